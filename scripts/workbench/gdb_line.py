# SPDX-License-Identifier: GPL-2.0-or-later
"""Between gdb and QEMU: where a recording ends, gdb is told so in words.

    line = Line(path, qemu_path, text)      gdb connects to path; QEMU listens at qemu_path

QEMU tells gdb of a machine that was switched off by SIGQUIT, and then leaves it without an answer to `continue`. Here it hears what a target
with a record of its own says, "No more reverse-execution history", and the text before it, each time that it wants to go on. Going back is tried by QEMU, which from here
often switches the machine off once more: then gdb hears the same. The protocol: https://sourceware.org/gdb/current/onlinedocs/gdb.html/Remote-Protocol.html
"""

import contextlib
import re
import selectors
import socket
import threading

OFF = re.compile(rb"\$T03thread:([^;#]*);[^#]*#..")
ONWARD = re.compile(rb"\$(?:vCont;[cCsSr][^#]*|[cCsS][0-9a-f]*(?:;[0-9a-f]*)?)#..")


def packet(data):
    return b"$" + data + b"#%02x" % (sum(data) & 255)


class Line(threading.Thread):
    def __init__(self, path, qemu_path, text):
        super().__init__(daemon=True)
        self.qemu_path, self.text, self.ended, self.unasked = qemu_path, text, None, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)
        self.start()

    def end(self):
        """What gdb hears at the end."""
        self.unasked += 2  # its answers to these are not QEMU's
        return packet(b"O" + self.text.encode().hex().encode()) + packet(b"T05thread:" + self.ended + b";replaylog:end;")

    def of_qemu(self, data):
        if not (found := OFF.search(data)):
            return data
        self.ended = found[1]
        answer = self.end()
        self.unasked -= 1
        return data[:found.start()] + answer + data[found.end():]

    def of_gdb(self, data):
        """(for QEMU, for gdb)"""
        acks = len(data) - len(data.lstrip(b"+"))
        kept, self.unasked = max(acks - self.unasked, 0), max(self.unasked - acks, 0)
        asked, data = data[acks:], data[acks - kept:]
        if self.ended and ONWARD.fullmatch(asked):
            return data[:kept], b"+" + self.end()
        if self.ended and re.match(rb"\$b[cs]#", asked):
            self.ended = None
        return data, b""

    def run(self):
        with contextlib.suppress(OSError):  # one of them has ended
            self.carry()

    def carry(self):
        with self.listener:
            gdb, _ = self.listener.accept()
        with gdb, socket.socket(socket.AF_UNIX) as qemu, selectors.DefaultSelector() as both:
            qemu.connect(self.qemu_path)
            both.register(gdb, selectors.EVENT_READ)
            both.register(qemu, selectors.EVENT_READ)
            held = b""
            while True:
                for key, _ in both.select():
                    data = key.fileobj.recv(1 << 16)
                    if not data:
                        return
                    if key.fileobj is qemu:
                        held += data
                        if b"$" in held and not re.search(rb"#..$", held, re.S):
                            continue  # the rest of a packet is on its way
                        gdb.sendall(self.of_qemu(held))
                        held = b""
                    else:
                        onward, back = self.of_gdb(data)
                        qemu.sendall(onward)
                        gdb.sendall(back)
