# SPDX-License-Identifier: GPL-2.0-or-later
"""qmp - QEMU's monitor for programs (QMP), for the tests that talk to a running machine.

Debian packages no client: qemu.qmp comes by pip only, or with sources of some of QEMU's series.

    with qmp.Monitor(path) as monitor:
        monitor.do("query-status")["status"]
        monitor.event("SUSPEND", "SHUTDOWN")     # which came
"""
import json
import socket
import time


class Error(Exception):
    """QEMU refuses a command."""


class Gone(Error):
    """QEMU has ended."""


class Monitor:
    def __init__(self, path, timeout=None, check=lambda: None):
        """Waits until QEMU listens at this socket. check() is called meanwhile, and raises what ends the wait."""
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                break
            except OSError:
                self.socket.close()
                check()
                time.sleep(0.02)
        self.socket.settimeout(timeout)
        self.answers = self.socket.makefile("r")
        self.answers.readline()  # greeting
        self.events = []
        self.do("qmp_capabilities")

    def do(self, execute, **arguments):
        """What a command returns."""
        try:
            self.socket.sendall(json.dumps({"execute": execute, "arguments": arguments}).encode() + b"\n")
            for line in self.answers:
                answer = json.loads(line)
                if "event" in answer:
                    self.events.append(answer["event"])
                if "error" in answer:
                    raise Error(f"{execute}: {answer['error']['desc']}")
                if "return" in answer:
                    return answer["return"]
        except (OSError, ValueError) as e:
            raise Gone(f"{execute}: {e}") from None
        raise Gone(f"{execute}: QEMU has ended")

    def event(self, *names):
        """Waits for an event of one of these names; it and those before it are then forgotten."""
        try:
            while not any(name in names for name in self.events):
                line = self.answers.readline()
                if not line:
                    raise Gone("QEMU has ended")
                self.events += [json.loads(line).get("event")]
        except (OSError, ValueError) as e:
            raise Gone(str(e)) from None
        while self.events:
            name = self.events.pop(0)
            if name in names:
                return name

    def hmp(self, line):
        """A command of the monitor for people; one that should print nothing."""
        if text := self.do("human-monitor-command", **{"command-line": line}).strip():
            raise Error(f"{line}: {text}")

    def close(self):
        self.answers.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
