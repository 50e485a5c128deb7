# SPDX-License-Identifier: GPL-2.0-or-later
"""A command on an image of the user's, typed at its serial console as a person would.

The machine's console is a file to read and a pipe to type into; a socket would lose characters when it is full. What comes
goes on to the console's file, and what perfboard is to know to the records' file (console.py), so that all else is as with a
guest of ours. Nothing is taken for a prompt of the shell: once the log-in
is answered, a line is typed until its output comes, and its output differs from how it is typed.
"""

import base64
import os
import re
import time

from workbench import plain

from . import verdict

AGAIN = 5  # host seconds until a line that had no effect is typed again: what programs read before a log-in is lost
STILL = 0.5  # host seconds without a character
COMMAND_MOST = 3000  # bytes: a terminal's line has 4095, and base64 needs a third more

HELLO = "printf '\\nperf%s: shell\\n' board"
# Echo off first: else what follows would come twice. The word that ends it is random, so that no output can be taken for it.
RUN = ("stty -echo -opost; printf '\\nperf%s: start\\n' board; (eval \"$(echo {} | base64 -d)\"); s=$?; t=$(cat /proc/sys/kernel/tainted); "
       "printf '\\nperf%s: {} %d %s\\n' board $s $t; sync; poweroff -f || systemctl poweroff -ff")
START = re.compile(rb"\nperfboard: start\r?\n")


class Login:
    """user: NAME or NAME:PASSWORD."""

    def __init__(self, work, text, user, files):
        self.shown, self.typing = (os.path.join(work, name) for name in ("terminal", "keyboard"))
        open(self.shown, "wb").close()
        os.mkfifo(self.typing)
        self.screen, self.keyboard = open(self.shown, "rb"), os.open(self.typing, os.O_RDWR | os.O_NONBLOCK)
        self.user, _, self.password = user.partition(":")
        self.word = "end-" + base64.b16encode(os.urandom(6)).decode().lower()
        self.command = RUN.format(base64.b64encode(os.fsencode(text)).decode(), self.word)
        self.console, self.records = (open(f, "ab", buffering=0) for f in files)
        self.seen = b""       # since the last line was typed
        self.step = "login"
        self.typed = self.heard = time.monotonic()
        self.offered = False  # the user, to the log-in that asks now
        self.failed = None    # a verdict

    def words(self):
        return ["-chardev", f"file,id=terminal,path={self.shown},input-path={self.typing}", "-serial", "chardev:terminal"]

    def poll(self):
        if data := self.screen.read():
            self.heard = time.monotonic()
            self._take(data)
        self._answer()

    def _type(self, line):
        self.seen, self.typed = b"", time.monotonic()
        os.write(self.keyboard, line.encode() + b"\n")

    def _take(self, data):
        self.seen += data
        if self.step == "running":
            self._show()
        elif self.step == "starting" and (found := START.search(self.seen)):
            rest = self.seen[found.end():]
            self.console.write(data[:len(data) - len(rest)])
            self.records.write(b"start\n")
            self.seen, self.step = rest, "running"
            self._show()
        else:
            self.console.write(data)

    def _show(self):
        """Of what the command said, all but what could be the beginning of the line that ends it."""
        mark = f"\nperfboard: {self.word} ".encode()
        if found := re.search(re.escape(mark) + rb"(\d{1,3}) ?(\d*)\r?\n", self.seen):
            status = int(found[1])
            self.records.write(b"exit %d\n%send\n" % (status, b"taint %s\n" % found[2] if found[2] else b""))
            self.console.write(self.seen[:found.start()] + b"\nperfboard: exit %d\n" % status + self.seen[found.end():])
            self.seen, self.step = b"", "over"
            return
        at = self.seen.find(mark)
        if at < 0:
            at = self.seen.rfind(b"\n")
            if at < 0 or not mark.startswith(self.seen[at:]):
                at = len(self.seen)
        self.console.write(self.seen[:at])
        self.seen = self.seen[at:]

    def _answer(self):
        tail = plain(self.seen[-400:].decode(errors="replace"))
        now = time.monotonic()
        still = now - self.heard > STILL  # what looks like a prompt could else be the middle of a line
        late = now - max(self.heard, self.typed) > AGAIN

        def asks(word):
            """A message of the kernel may stand behind the question."""
            return re.search(word + r": *$", tail) and still or re.search(word + ":", tail) and late

        if self.step in ("running", "over", "starting"):
            return
        if self.offered and re.search(r"Login incorrect|incorrect password|Authentication failure", tail):
            self.failed = verdict.Verdict(verdict.FAILED, f"--login {self.user}: the image does not let that user in")
        elif asks("login"):
            self.offered, self.step = True, "password"
            self._type(self.user)
        elif asks("assword"):
            self._type(self.password if self.offered else "")
        elif "perfboard: shell" in tail:
            self.step = "starting"
            self._type(self.command)
        elif re.search(r"[#$] ?$", tail) and still or late and self.step != "login":
            self.step = "shell"
            self._type(HELLO)
