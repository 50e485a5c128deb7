# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's monitor, listened to: why the machine ended. Nothing is asked before it is told to end, so that nothing of the guest's
time depends on it."""

import os

from workbench import qmp


class Monitor:
    """greeted: QEMU has started whole; reason: of its end, as SHUTDOWN has it, or None."""

    def __init__(self, work):
        self.path = os.path.join(work, "qmp")
        self.channel = None
        self.greeted, self.reason = False, None

    def words(self):
        return ["-qmp", f"unix:{self.path},server=on,wait=off"]

    def poll(self):
        try:
            if self.channel is None:
                self.channel = qmp.Channel(self.path)
                self.channel.send("qmp_capabilities")
            while word := self.channel.read(0):
                self._take(word)
        except (OSError, qmp.Gone):  # not yet there, or not any more
            pass

    def quit(self):
        """False: nobody is there to be told."""
        try:
            self.channel.send("quit")
        except (AttributeError, qmp.Gone):
            return False
        return True

    def _take(self, word):
        if "QMP" in word:
            self.greeted = True
        elif word.get("event") == "SHUTDOWN":
            self.reason = word["data"]["reason"]
