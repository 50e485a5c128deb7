# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's monitor, listened to: why the machine ended. Nothing is asked before it is told to end, so that nothing of the guest's
time depends on it."""

import json
import os
import socket


class Monitor:
    """greeted: QEMU has started whole; reason: of its end, as SHUTDOWN has it, or None."""

    def __init__(self, work):
        self.path = os.path.join(work, "qmp")
        self.socket, self.rest = None, b""
        self.greeted, self.reason = False, None

    def words(self):
        return ["-qmp", f"unix:{self.path},server=on,wait=off"]

    def poll(self):
        if self.socket is None:
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(self.path)
                self.socket.sendall(b'{"execute":"qmp_capabilities"}\n')
                self.socket.setblocking(False)
            except OSError:  # not yet there
                self.socket.close()
                self.socket = None
                return
        try:
            while data := self.socket.recv(1 << 16):
                self.rest += data
        except OSError:
            pass
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def quit(self):
        """False: nobody is there to be told."""
        try:
            self.socket.setblocking(True)
            self.socket.sendall(b'{"execute":"quit"}\n')
            self.socket.setblocking(False)
        except (AttributeError, OSError):
            return False
        return True

    def _take(self, word):
        if "QMP" in word:
            self.greeted = True
        elif word.get("event") == "SHUTDOWN":
            self.reason = word["data"]["reason"]
