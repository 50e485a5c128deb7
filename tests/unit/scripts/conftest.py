# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run with a QEMU that only pretends: it writes the guest's two serial ports, its transfer memory and its log.

    def test_it(guest):
        done = guest.run_guest(console=b"...", records=b"...", options=["--quiet"])
        assert done.status == 0
"""
import collections
import os
import pathlib
import struct
import subprocess
import tempfile

import pytest
from guestrun import options
from workbench import command

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
PERFBOARD = os.path.join(ROOT, "scripts", "perfboard")
PATIENCE = 600  # seconds: ends a hang, nothing else

FAKE = """#!/usr/bin/env python3
import os, re, shutil, signal, sys, time
here = os.path.dirname(os.path.abspath(__file__))
ports = [w[5:] for w in sys.argv if w.startswith("file:")]
memory = [m.group(1) for w in sys.argv if (m := re.search("mem-path=([^,]*)", w))]
logs = [m.group(1) for w in sys.argv if (m := re.search(",log=([^,]*)", w))][:1]
with open(os.path.join(here, "words"), "w") as f:
    f.write("\\n".join(sys.argv[1:]))
unreached, pending = ([m.group(1) for w in sys.argv if (m := re.search(name + "=([^,]*)", w))] for name in ("unreached", "pending"))
for source, targets in (("records", ports[1:]), ("console", ports[:1]), ("memory", memory), ("log", logs), ("unreached", unreached), ("pending", pending)):
    if targets and os.path.exists(os.path.join(here, source)):
        with open(os.path.join(here, source), "rb") as f, open(targets[0], "wb") as to:  # a pipe, too
            shutil.copyfileobj(f, to)
end = open(os.path.join(here, "end")).read()
if os.path.exists(os.path.join(here, "errors")):
    sys.stderr.write(open(os.path.join(here, "errors")).read())
    sys.stderr.flush()
if end == "fill":  # the disk, through the console
    try:
        with open(ports[0], "wb", buffering=0) as f:
            while True:
                f.write(bytes(1 << 16))
    except OSError:
        end = "never"
if end == "never":
    time.sleep(100000)
if end.startswith("-"):
    os.kill(os.getpid(), int(end[1:]))
sys.exit(int(end))
"""

FINE = {"records": b"start\nexit 0\ntaint 0\nend\n", "console": b"perfboard: start\n\nperfboard: exit 0\n"}
Done = collections.namedtuple("Done", "status out err last")


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    os.chmod(path, mode)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def pad(data):
    return data + bytes(-len(data) % 64)


def record(name, data, name_bytes=None, data_bytes=None, tag=b"FILE"):
    head = struct.pack("<4sIQ", tag, len(name) if name_bytes is None else name_bytes,
                       len(data) if data_bytes is None else data_bytes)
    return pad(head + name) + pad(data)


def memory(*records, end=None, magic=b"PBHOST1\0", size=8192):
    body = b"".join(records)
    return (pad(struct.pack("<8sQ", magic, 64 + len(body) if end is None else end)) + body).ljust(size, b"\0")


def run(*words, **more):
    return subprocess.run(words, **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace",
                                    "timeout": PATIENCE, **more})


class Guest:
    def __init__(self, folder):
        self.folder = folder
        self.qemu = self.write("qemu", FAKE, 0o755)
        self.kernel = self.write("kernel", b"\0" * 0x202 + b"HdrS" + b"\0" * 64)
        self.initramfs = self.write("initramfs", b"070701" + b"0" * 100)
        self.plugin = self.write("plugin.so", b"\x7fELF" + b"\0" * 60)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data, mode=0o644):
        return write(self.path(name), data, mode)

    def words(self, *words, without=()):
        """perfboard run and these words; its machine is fine but for them, and for the options left out."""
        fine = {"qemu": self.qemu, "kernel": self.kernel, "initramfs": self.initramfs, "plugin": self.plugin}
        given = [w for name, value in fine.items() if name not in without for w in ("--" + name, value)]
        return [PERFBOARD, "run", *given, *words]

    def guest_run(self, *words, environment=None, without=()):
        done = run(*self.words(*words, without=without), text=False, errors=None, env={**os.environ, **(environment or {})})
        err = done.stderr.decode(errors="replace")
        return Done(done.returncode, done.stdout, err, err.splitlines()[-1] if err else "")

    def run_guest(self, console=b"", records=b"", memory=None, options=(), end="0"):
        self.write("console", console)
        self.write("records", records)
        self.write("end", end)
        if memory is not None:
            self.write("memory", memory)
        return self.guest_run("--timeout", str(PATIENCE), *options, "--", "true")

    def files(self, folder):
        return {name: read(os.path.join(folder, name)) for name in os.listdir(folder)}

    def qemu_words(self):
        return read(self.path("words")).decode().split("\n")

    def checked(self, *words):
        """What is made of these words."""
        words = ["run", *self.words(*words)[2:], *([] if "--disk" in words else ["--", "true"])]
        return options.check(command.parse(words, command.modules()))

    def accepted(self, *words, **more):
        """QEMU's words."""
        self.write("end", "0")
        self.guest_run(*words, *([] if "--" in words else ["--", "true"]), **more)
        return self.qemu_words()

    def refused(self, *words, says, command=("--", "true"), **more):
        """In one line with these texts, before QEMU is started."""
        if os.path.exists(self.path("words")):
            os.unlink(self.path("words"))
        done = self.guest_run(*words, *(() if "--" in words else command), **more)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, b"", 1), done
        assert done.err.startswith("perfboard: "), done
        for text in [says] if isinstance(says, str) else says:
            assert text in done.err, words
        assert not os.path.exists(self.path("words")), "QEMU was started"
        return done


@pytest.fixture
def folder():
    # A short name, as sockets' are; a browser's helpers end a moment after it.
    with tempfile.TemporaryDirectory(prefix="unit-", ignore_cleanup_errors=True) as path:
        yield pathlib.Path(path)


@pytest.fixture
def guest(folder):
    return Guest(str(folder))
