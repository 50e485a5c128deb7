# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/perfboard: a transfer memory of any contents gives files or one line, and always an end."""
import errno
import os
import random
import re
import resource
from unittest import mock

import pytest

from conftest import memory, record
from guestrun import transfer

GOOD = b"start\nexit 0\ntaint 12288\nend\n"


@pytest.fixture
def guest(guest):
    guest.out = guest.path("out")
    os.mkdir(guest.out)
    return guest


def split(guest):
    return list(transfer.split(guest.path("m"), lambda name: os.path.join(guest.out, name)))


def take(guest, contents):
    guest.write("m", contents)
    return [(os.path.relpath(path, guest.out), size) for path, size in split(guest)]


def damaged(guest, contents, text, files=None):
    with pytest.raises(transfer.Damaged, match=text):
        take(guest, contents)
    assert guest.files(guest.out) == (files or {})


def test_files(guest):
    large = bytes(range(256)) * 11
    assert take(guest, memory(record(b"one", b"1"), record(b"empty", b""), record(b"large", large))) == [("one", 1), ("empty", 0), ("large", len(large))]
    assert guest.files(guest.out) == {"one": b"1", "empty": b"", "large": large}


def test_a_name_used_again(guest):
    take(guest, memory(record(b"one", b"first"), record(b"one", b"2")))
    assert guest.files(guest.out) == {"one": b"2"}


def test_nothing_handed_over(guest):
    for contents in (b"", bytes(8192), b"PBHOST1\0"):
        assert take(guest, contents) == []


def test_head(guest):
    damaged(guest, memory(magic=b"PBHOST2\0"), "begins with")
    for end in (0, 1, 63, 65, 8192 + 64, 1 << 63, (1 << 64) - 64):
        damaged(guest, memory(end=end), "records end at")


def test_lengths(guest):
    ok = record(b"ok", b"yes")
    for bad in (record(b"x", b"data", data_bytes=1 << 20), record(b"x", b"data", data_bytes=(1 << 64) - 1),
                record(b"x", b"data", name_bytes=0xffffffff), record(b"x", b"data", data_bytes=65),
                record(b"x", b"data", name_bytes=200)):
        damaged(guest, memory(ok, bad), "record at 0xc0: a name of .* to the end", {"ok": b"yes"})


def test_overlapping(guest):
    # A length that is too short: the next record is looked for inside of the data.
    damaged(guest, memory(record(b"x", b"d" * 200, data_bytes=64)), "no record at 0xc0", {"x": b"d" * 64})


def test_no_record(guest):
    damaged(guest, memory(record(b"x", b"y", tag=b"FIL\0")), "no record at 0x40")
    damaged(guest, memory(record(b"ok", b"yes"), bytes(64)), "no record at 0xc0", {"ok": b"yes"})


def test_truncated(guest):
    contents = memory(record(b"x", b"d" * 4000))
    for length in (16, 64, 100, 192, 1000, 4096):
        damaged(guest, contents[:length], "records end at")


def test_names(guest):
    for name in (b"", b".", b"..", b"a/b", b"/etc/passwd", b"../up", b"a\0b", b"n" * 256):
        damaged(guest, memory(record(name, b"x")), "no file's name")
    take(guest, memory(record(b"n" * 255, b"x"), record(b"\xff\xfe", b"y")))
    assert sorted(os.listdir(os.fsencode(guest.out))) == [b"n" * 255, b"\xff\xfe"]


def test_a_folder_of_that_name(guest):
    os.mkdir(os.path.join(guest.out, "x"))
    with pytest.raises(transfer.Damaged, match="x: Is a directory"):
        take(guest, memory(record(b"x", b"y")))


def test_full_disk(guest):
    real = open

    def full(path, mode="r", *rest):
        f = real(path, mode, *rest)
        if "x" in mode:
            f = mock.Mock(wraps=f)
            f.__enter__, f.__exit__ = mock.Mock(return_value=f), mock.Mock(return_value=None)
            f.write.side_effect = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return f
    guest.write("m", memory(record(b"x", b"y")))
    with mock.patch("builtins.open", full), pytest.raises(transfer.Damaged, match="x: No space left on device"):
        split(guest)
    assert guest.files(guest.out) == {}


def test_a_file_that_may_not_grow(guest):
    contents = memory(record(b"x", b"y" * 100000), size=1 << 20)
    guest.write("m", contents)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50000, before[1]))
        with pytest.raises(transfer.Damaged, match="x: File too large"):
            split(guest)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert guest.files(guest.out) == {}


def test_any_bytes(guest):
    good = memory(record(b"one", b"1" * 100), record(b"two", b"2" * 1000), record(b"three", b""))
    generator = random.Random(7)
    for _ in range(1000):
        contents = bytearray(good)
        for _ in range(generator.randint(1, 6)):
            contents[generator.choice((generator.randrange(2048), generator.randrange(96)))] = generator.randrange(256)
        try:
            taken = take(guest, bytes(contents))
        except transfer.Damaged as e:
            assert len(str(e).splitlines()) == 1
        else:
            assert sum(n for _, n in taken) <= len(good)
    assert sorted(os.listdir(guest.folder)) == sorted(["out", "m", "qemu", "kernel", "initramfs", "plugin.so"])


def test_guest_run_says_it(guest):
    bad = memory(record(b"ok", b"yes"), record(b"x", b"data", data_bytes=1 << 40))
    console = b"perfboard: start\r\n\nperfboard: exit 0\n"
    done = guest.run_guest(console, GOOD, bad, ["--out", guest.out])
    assert done.status == 119, done
    assert re.search(r"\Aperfboard: files from the guest: record at 0xc0: .*\n\Z", done.err)
    assert guest.files(guest.out) == {"ok": b"yes"}
    # A command that failed keeps its status; the files are spoken of as well.
    done = guest.run_guest(console.replace(b"0", b"9"), GOOD.replace(b"exit 0", b"exit 9"), bad, ["--out", guest.out])
    assert done.status == 9, done
    assert "files from the guest: record at 0xc0" in done.err
