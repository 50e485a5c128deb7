# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's two serial ports, each a file that grows.

Records (the second port) is what /init and guest/initramfs/workbench say to perfboard run; the command writes nothing there:

    module NAME: TEXT      a module that does not load
    start                  the command starts
    refused TEXT           a module of the user's that does not load: there is no command then
    missing TEXT           a file that was to be handed over and is not
    exit N                 its status; written before the console's line "perfboard: exit N"
    taint N                /proc/sys/kernel/tainted, after the command
    log TEXT               the kernel's log from the first warning on, if it is tainted
    end                    all was said

Console (the first port) is shown as it grows. Until the records have `exit`, every byte after the
line "perfboard: start" is the command's (or the kernel's). What comes later waits for the end of the
machine, and is cut at the last "perfboard: exit N". So no output can look like the end.
"""

import os
import re


KEPT, LAST = 8 << 20, 64 << 10  # bytes, the last ones


def keep(buffer, data):
    """Adds to a bytearray, which loses its beginning when it has twice as many as are kept."""
    buffer += data
    if len(buffer) > 2 * KEPT:
        del buffer[:-KEPT]


class Records:
    def __init__(self, path):
        self.file, self.rest = open(path, "rb"), b""
        self.started, self.ended = False, False
        self.status, self.taint = None, None
        self.modules, self.log = [], []
        self.refused, self.missing = None, []

    def poll(self):
        *lines, self.rest = (self.rest + self.file.read()).split(b"\n")
        for raw in lines:
            word, _, value = raw.decode(errors="replace").strip().partition(" ")
            if word == "start":
                self.started = True
            elif word == "module":
                self.modules.append(value)
            elif word == "refused":
                self.refused = value
            elif word == "missing":
                self.missing.append(value)
            elif word == "exit" and re.fullmatch("[0-9]{1,3}", value) and int(value) < 256:
                self.status = int(value)
            elif word == "taint" and re.fullmatch("[0-9]{1,20}", value):
                self.taint = int(value)
            elif word == "log":
                self.log.append(value)
            elif word == "end":
                self.ended = True


class Console:
    """Shows the console; `quiet`: only what stands between start and exit."""

    START = b"perfboard: start"

    def __init__(self, path, records, quiet, out):
        self.file, self.records, self.quiet, self.out = open(path, "rb"), records, quiet, out
        self.rest, self.before = b"", []
        self.running = False
        self.any = False   # something has come
        self.recent = bytearray()  # of what was shown since the start
        self.fresh = True  # the last byte shown ends a line
        self.after = b""   # what followed the command's end

    def poll(self):
        """True if something came."""
        data = self.file.read()
        self.records.poll()  # after the console: without `exit` here, all of data is from before it
        self.any = self.any or bool(data.strip(b"\0\r\n "))
        self.rest += data
        self._take_lines()
        self.out.flush()
        return bool(data)

    def finish(self):
        """After QEMU's end: the rest, without the line that /init ends with if quiet."""
        self.poll()
        if self.records.started and not self.running:
            # A message of the kernel has torn the line "perfboard: start": nothing may be lost for that.
            self.running = True
            if self.quiet:
                self._show(b"".join(line + b"\n" for line in self.before))
        mark = b"\nperfboard: exit %d\n" % (-1 if self.records.status is None else self.records.status)
        own, found, after = self.rest.rpartition(mark)
        if not found:
            own, after = self.rest, b""
        self.after = after.replace(b"\r", b"")
        *lines, rest = own.split(b"\n")
        for line in lines:
            self._line(line)
        if rest:
            self._line(rest, b"")
        if found and not self.quiet:
            self._show((b"" if self.fresh else b"\n") + mark[1:] + self.after)
        self.out.flush()

    def _take_lines(self):
        """Shows whole lines, but once the command has ended only those up to its start."""
        while not self.running or self.records.status is None:
            line, end, rest = self.rest.partition(b"\n")
            if not end:
                return
            self._line(line)
            self.rest = rest

    def boot(self):
        """What came before the command's start."""
        return b"\n".join(self.before).decode(errors="replace")

    def text(self):
        """What the kernel's last words are looked for in."""
        return self.boot() + "\n" + self.recent[-LAST:].decode(errors="replace")

    def whole(self):
        """As much as is kept."""
        return self.boot() + "\n" + self.recent.decode(errors="replace")

    def _line(self, line, end=b"\n"):
        if not self.running:
            line = line.rstrip(b"\r")
            self.before.append(line)
            if not self.quiet:
                self._show(line + end)
            # What boots may leave a line of its own open (Linux on POWER does). The records know whether this can be the start.
            self.running = line == self.START or self.records.started and line.endswith(self.START)
            return
        if re.search(rb"\[ *[0-9]+\.[0-9]{6}\]", line):
            line = line.rstrip(b"\r")  # the kernel's; the command's bytes stay as they are
        self._show(line + end)

    def _show(self, data):
        self.out.write(data)
        if data:
            self.fresh = data.endswith(b"\n")
        if self.running:
            keep(self.recent, data)


class Plain:
    """The console of an image of the user's, as it comes; `quiet`: not shown."""

    def __init__(self, path, records, quiet, out):
        self.file, self.records, self.quiet, self.out = open(path, "rb"), records, quiet, out
        self.data, self.any, self.after = bytearray(), False, b""

    def poll(self):
        """True if something came."""
        data = self.file.read()
        if data:
            self.any = self.any or bool(data.strip(b"\0\r\n "))
            keep(self.data, data)
            if not self.quiet:
                self.out.write(data.replace(b"\r\n", b"\n"))
                self.out.flush()
        return bool(data)

    def finish(self):
        self.poll()
        if not self.quiet and self.data and not self.data.endswith(b"\n"):
            self.out.write(b"\n")
            self.out.flush()

    def text(self):
        return self.data[-KEPT:].replace(b"\r\n", b"\n").decode(errors="replace")

    boot = whole = text


NAMES = ("console", "records")


def create(folder, name):
    """What is there stays."""
    path = os.path.join(folder, name)
    open(path, "ab").close()
    return path
