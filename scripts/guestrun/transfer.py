# SPDX-License-Identifier: GPL-2.0-or-later
"""Take hostput's files out of the transfer memory. Its layout is in guest/initramfs/hostput.c.

The guest wrote the memory, so nothing in it is believed: each length is compared with what is there,
and a name is one name in the folder. A file appears under its name when it is whole.
"""

import math
import os
import struct

from workbench import safe
from workbench.output import Output

MAGIC = b"PBHOST1\0"
HEAD = struct.Struct("<8sQ")
RECORD = struct.Struct("<4sIQ")
ALIGN = 64
NAME_MAX = 255
BLOCK = 1 << 20


class Damaged(Exception):
    """A record that is none, or a file that cannot be written; files before it were taken."""


def aligned(number):
    return (number + ALIGN - 1) // ALIGN * ALIGN


def name_of(raw, at):
    if not raw or len(raw) > NAME_MAX or raw in (b".", b"..") or b"/" in raw or b"\0" in raw:
        raise Damaged(f"record at {at:#x}: {raw[:NAME_MAX]!r} is no file's name")
    return os.fsdecode(raw)


def copy(memory, length, path, patience):
    try:
        with Output(path, patience) as target:
            left = length
            while left:
                block = memory.read(min(left, BLOCK))
                if not block:
                    raise Damaged(f"{safe(path)}: the transfer memory ends {left} bytes before the file")
                target.write(block)
                left -= len(block)
    except OSError as e:
        raise Damaged(f"{safe(path)}: {e.strerror}") from None


def split(path, target, patience=math.inf):
    """Yields (file, bytes) of each file as it is taken; raises Damaged.

    target(name): where it goes, or None: nowhere. patience: seconds for somebody to read, if that is a pipe.
    """
    with open(path, "rb") as memory:
        total = os.fstat(memory.fileno()).st_size
        head = memory.read(HEAD.size)
        if len(head) < HEAD.size or head == bytes(HEAD.size):
            return  # nothing was handed over
        magic, end = HEAD.unpack(head)
        if magic != MAGIC:
            raise Damaged(f"it begins with {magic!r}, not with {MAGIC!r}")
        if end % ALIGN or not ALIGN <= end <= total:
            raise Damaged(f"its records end at {end:#x}, legal is a multiple of {ALIGN} up to {total:#x}")
        at = ALIGN
        while at < end:
            memory.seek(at)
            tag, name_bytes, data_bytes = RECORD.unpack(memory.read(RECORD.size))
            if tag != b"FILE":
                raise Damaged(f"no record at {at:#x}")
            start = at + aligned(RECORD.size + name_bytes)
            following = start + aligned(data_bytes)
            if following > end:
                raise Damaged(f"record at {at:#x}: a name of {name_bytes} and data of {data_bytes} bytes, "
                              f"but {end - at} bytes to the end")
            name = name_of(memory.read(name_bytes), at)
            memory.seek(start)
            if (file := target(name)) is not None:
                copy(memory, data_bytes, file, patience)
                yield file, data_bytes
            at = following
