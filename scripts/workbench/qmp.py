# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's monitor for programs (QMP), for commands, tests and the Python module.

Debian packages no client: qemu.qmp comes by pip only, or with sources of some of QEMU's series.

    with qmp.Monitor(path, alive) as monitor:
        monitor.do("query-status")["status"]
        monitor.event({"STOP", "SHUTDOWN"}, seconds)    # (name, data) of the first that comes, or None

    channel = qmp.Channel(path)                         # for who asks nothing
    channel.read(seconds)                               # what QEMU says next, or None
"""

import json
import os
import socket
import struct
import time

LONGEST = 16 << 20  # bytes of a line


class Error(Exception):
    """QEMU refuses a command: its reason."""


class Gone(Error):
    """QEMU has ended, or what answers is none."""


class Silent(Error):
    """QEMU lives and does not answer."""


class Foreign(Error):
    """Another user listens there."""


class Channel:
    """What QEMU says and is told, whatever it means."""

    def __init__(self, path, seconds=None):
        """seconds: to wait until it is connected (for ever)."""
        self.rest, self.looked, self.socket = bytearray(), 0, socket.socket(socket.AF_UNIX)
        try:
            self.socket.settimeout(seconds)
            self.socket.connect(path)
            owner = struct.unpack("iII", self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
            if owner not in (0, os.geteuid()):
                raise Foreign(f"it belongs to user {owner}; legal is a machine of your own")
        except (OSError, Foreign):
            self.socket.close()
            raise

    def read(self, seconds):
        """What QEMU says next, or None if it says nothing for so long."""
        while (end := self.rest.find(b"\n", self.looked)) < 0:
            self.looked = len(self.rest)
            self.socket.settimeout(seconds)
            try:
                data = self.socket.recv(1 << 16)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError as e:
                raise Gone(str(e)) from None
            if not data:
                raise Gone("QEMU has ended")
            self.rest += data
            if len(self.rest) > LONGEST:
                raise Gone(f"what answers is no QEMU: a line of more than {LONGEST >> 20}M")
        line = bytes(self.rest[:end])
        del self.rest[:end + 1]
        self.looked = 0
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise Gone(f"what answers is no QEMU: {line[:60]!r}")
        return said

    def send(self, execute, **arguments):
        try:
            self.socket.settimeout(None)
            self.socket.sendall(json.dumps({"execute": execute, "arguments": arguments}).encode() + b"\n")
        except OSError as e:
            raise Gone(str(e)) from None

    def close(self):
        self.socket.close()


class Monitor(Channel):
    def __init__(self, path, alive, silence=None):
        """Waits until QEMU listens at this socket. alive(): whether QEMU runs yet. silence: seconds to wait for an answer (for ever)."""
        self.events, self.silence = [], silence
        while True:
            try:
                super().__init__(path, silence)
                break
            except (TimeoutError, BlockingIOError):
                raise Silent(f"no answer for {silence} s") from None
            except OSError:
                if not alive():
                    raise Gone("QEMU has ended") from None
                time.sleep(0.02)
        self._answer()  # the greeting
        self.do("qmp_capabilities")

    def _answer(self):
        said = self.read(self.silence)
        if said is None:
            raise Silent(f"no answer for {self.silence} s")
        return said

    def do(self, execute, **arguments):
        """What a command returns."""
        self.send(execute, **arguments)
        while True:
            said = self._answer()
            if "event" in said:
                self.events.append((said["event"], said.get("data", {})))
            elif "error" in said:
                raise Error(said["error"]["desc"])
            elif "return" in said:
                return said["return"]

    def people(self, line):
        """What a command of the monitor for people prints."""
        return self.do("human-monitor-command", **{"command-line": line}).replace("\r", "").strip()

    def order(self, line):
        """A command of the monitor for people that should print nothing."""
        if text := self.people(line):
            raise Error(f"{line}: {text}")

    def event(self, names, seconds=None):
        """The first event of these names, with those before it forgotten; None if none comes within the time (for ever)."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            while self.events:
                name, data = self.events.pop(0)
                if name in names:
                    return name, data
            said = self.read(None if end is None else max(end - time.monotonic(), 0.001))
            if said is None:
                return None
            if "event" in said:
                self.events.append((said["event"], said.get("data", {})))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def boards(monitor):
    """(QOM path, type) of each board."""
    found = []
    for folder in ("/machine/peripheral", "/machine/peripheral-anon"):
        for item in monitor.do("qom-list", path=folder):
            if item["type"].startswith("child<"):
                path = f"{folder}/{item['name']}"
                if any(p["name"] == "break" for p in monitor.do("qom-list", path=path)):
                    found.append((path, item["type"][len("child<"):-1]))
    return found
