#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/perfboard: a transfer memory of any contents gives files or one line, and always an end."""
import errno
import os
import random
import resource
import struct
import unittest
from unittest import mock

from guestrun_fixture import Case, write
from guestrun import transfer

GOOD = b"start\nexit 0\ntaint 12288\nend\n"


def pad(data):
    return data + bytes(-len(data) % 64)


def record(name, data, name_bytes=None, data_bytes=None, tag=b"FILE"):
    head = struct.pack("<4sIQ", tag, len(name) if name_bytes is None else name_bytes,
                       len(data) if data_bytes is None else data_bytes)
    return pad(head + name) + pad(data)


def memory(*records, end=None, magic=b"PBHOST1\0", size=8192):
    body = b"".join(records)
    return (pad(struct.pack("<8sQ", magic, 64 + len(body) if end is None else end)) + body).ljust(size, b"\0")


class Transfer(Case):
    def setUp(self):
        super().setUp()
        self.out = self.path("out")
        os.mkdir(self.out)

    def files(self):
        found = {}
        for name in os.listdir(self.out):
            with open(os.path.join(self.out, name), "rb") as f:
                found[name] = f.read()
        return found

    def take(self, contents):
        taken = transfer.split(write(self.path("m"), contents), lambda name: os.path.join(self.out, name))
        return [(os.path.relpath(path, self.out), size) for path, size in taken]

    def damaged(self, contents, text, files=None):
        with self.assertRaisesRegex(transfer.Damaged, text):
            self.take(contents)
        self.assertEqual(self.files(), files or {})

    def test_files(self):
        large = bytes(range(256)) * 11
        self.assertEqual(self.take(memory(record(b"one", b"1"), record(b"empty", b""), record(b"large", large))),
                         [("one", 1), ("empty", 0), ("large", len(large))])
        self.assertEqual(self.files(), {"one": b"1", "empty": b"", "large": large})

    def test_a_name_used_again(self):
        self.take(memory(record(b"one", b"first"), record(b"one", b"2")))
        self.assertEqual(self.files(), {"one": b"2"})

    def test_nothing_handed_over(self):
        for contents in (b"", bytes(8192), b"PBHOST1\0"):
            self.assertEqual(self.take(contents), [])

    def test_head(self):
        self.damaged(memory(magic=b"PBHOST2\0"), "begins with")
        for end in (0, 1, 63, 65, 8192 + 64, 1 << 63, (1 << 64) - 64):
            self.damaged(memory(end=end), "records end at")

    def test_lengths(self):
        ok = record(b"ok", b"yes")
        for bad in (record(b"x", b"data", data_bytes=1 << 20), record(b"x", b"data", data_bytes=(1 << 64) - 1),
                    record(b"x", b"data", name_bytes=0xffffffff), record(b"x", b"data", data_bytes=65),
                    record(b"x", b"data", name_bytes=200)):
            self.damaged(memory(ok, bad), "record at 0xc0: a name of .* to the end", {"ok": b"yes"})

    def test_overlapping(self):
        # A length that is too short: the next record is looked for inside of the data.
        self.damaged(memory(record(b"x", b"d" * 200, data_bytes=64)), "no record at 0xc0", {"x": b"d" * 64})

    def test_no_record(self):
        self.damaged(memory(record(b"x", b"y", tag=b"FIL\0")), "no record at 0x40")
        self.damaged(memory(record(b"ok", b"yes"), bytes(64)), "no record at 0xc0", {"ok": b"yes"})

    def test_truncated(self):
        contents = memory(record(b"x", b"d" * 4000))
        for length in (16, 64, 100, 192, 1000, 4096):
            self.damaged(contents[:length], "records end at")

    def test_names(self):
        for name in (b"", b".", b"..", b"a/b", b"/etc/passwd", b"../up", b"a\0b", b"n" * 256):
            self.damaged(memory(record(name, b"x")), "no file's name")
        self.take(memory(record(b"n" * 255, b"x"), record(b"\xff\xfe", b"y")))
        self.assertEqual(sorted(os.listdir(os.fsencode(self.out))), [b"n" * 255, b"\xff\xfe"])

    def test_a_folder_of_that_name(self):
        os.mkdir(os.path.join(self.out, "x"))
        with self.assertRaisesRegex(transfer.Damaged, "x: Is a directory"):
            self.take(memory(record(b"x", b"y")))

    def test_full_disk(self):
        real = open

        def full(path, mode="r", *rest):
            f = real(path, mode, *rest)
            if "x" in mode:
                f = mock.Mock(wraps=f)
                f.__enter__, f.__exit__ = mock.Mock(return_value=f), mock.Mock(return_value=None)
                f.write.side_effect = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return f
        write(self.path("m"), memory(record(b"x", b"y")))
        with mock.patch("builtins.open", full), self.assertRaisesRegex(transfer.Damaged, "x: No space left on device"):
            list(transfer.split(self.path("m"), lambda name: os.path.join(self.out, name)))
        self.assertEqual(self.files(), {})

    def test_a_file_that_may_not_grow(self):
        contents = memory(record(b"x", b"y" * 100000), size=1 << 20)
        write(self.path("m"), contents)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, before[1]))
            with self.assertRaisesRegex(transfer.Damaged, "x: File too large"):
                list(transfer.split(self.path("m"), lambda name: os.path.join(self.out, name)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(self.files(), {})

    def test_any_bytes(self):
        good = memory(record(b"one", b"1" * 100), record(b"two", b"2" * 1000), record(b"three", b""))
        generator = random.Random(7)
        for _ in range(1000):
            contents = bytearray(good)
            for _ in range(generator.randint(1, 6)):
                contents[generator.choice((generator.randrange(2048), generator.randrange(96)))] = generator.randrange(256)
            try:
                taken = self.take(bytes(contents))
            except transfer.Damaged as e:
                self.assertEqual(len(str(e).splitlines()), 1)
            else:
                self.assertLessEqual(sum(n for _, n in taken), len(good))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(["out", "m", "qemu", "kernel", "initramfs", "plugin.so"]))

    def test_guest_run_says_it(self):
        bad = memory(record(b"ok", b"yes"), record(b"x", b"data", data_bytes=1 << 40))
        console = b"perfboard: start\r\n\nperfboard: exit 0\n"
        done = self.run_guest(console, GOOD, bad, ["--out", self.out])
        self.assertEqual(done.status, 119, done)
        self.assertRegex(done.err, r"\Aperfboard: files from the guest: record at 0xc0: .*\n\Z")
        self.assertEqual(self.files(), {"ok": b"yes"})
        # A command that failed keeps its status; the files are spoken of as well.
        done = self.run_guest(console.replace(b"0", b"9"), GOOD.replace(b"exit 0", b"exit 9"), bad, ["--out", self.out])
        self.assertEqual(done.status, 9, done)
        self.assertIn("files from the guest: record at 0xc0", done.err)


if __name__ == "__main__":
    unittest.main()
