# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run with a QEMU that only pretends: it writes the guest's two serial ports, its transfer memory and its log.

    class Something(Case):
        def test_it(self):
            done = self.run_guest(console=b"...", records=b"...", options=["--quiet"])
            self.assertEqual(done.status, 0)
"""
import collections
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
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

Done = collections.namedtuple("Done", "status out err last")


def write(path, data, mode=0o644):
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    os.chmod(path, mode)
    return path


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="guestrun-unit-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.qemu = write(self.path("qemu"), FAKE, 0o755)
        self.kernel = write(self.path("kernel"), b"\0" * 0x202 + b"HdrS" + b"\0" * 64)
        self.initramfs = write(self.path("initramfs"), b"070701" + b"0" * 100)
        self.plugin = write(self.path("plugin.so"), b"\x7fELF" + b"\0" * 60)

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self, *words, without=None):
        """perfboard run and these words; its machine is fine but for them, and for the option left out."""
        fine = {"qemu": self.qemu, "kernel": self.kernel, "initramfs": self.initramfs, "plugin": self.plugin}
        given = [w for name, value in fine.items() if name != without for w in ("--" + name, value)]
        return [os.path.join(ROOT, "scripts", "perfboard"), "run", *given, *words]

    def guest_run(self, *words, environment=None, without=None):
        run = subprocess.run(self.words(*words, without=without), stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=PATIENCE, env={**os.environ, **(environment or {})})
        err = run.stderr.decode(errors="replace")
        return Done(run.returncode, run.stdout, err, err.splitlines()[-1] if err else "")

    def run_guest(self, console=b"", records=b"", memory=None, options=(), end="0"):
        write(self.path("console"), console)
        write(self.path("records"), records)
        write(self.path("end"), end)
        if memory is not None:
            write(self.path("memory"), memory)
        return self.guest_run("--timeout", str(PATIENCE), *options, "--", "true")
