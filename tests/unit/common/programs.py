# SPDX-License-Identifier: GPL-2.0-or-later
"""Program - tests of a program as its user runs it, in a folder of its own."""
import os
import struct
import subprocess
import tempfile
import unittest


class Program(unittest.TestCase):
    program = None  # its path

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data if isinstance(data, (bytes, bytearray)) else data.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_it(self, *words, data=b""):
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # a user has none
        done = subprocess.run([self.program, *words], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=own)
        return done.returncode, done.stdout, done.stderr.decode()

    def size(self, png):
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", png[16:24])
