# SPDX-License-Identifier: GPL-2.0-or-later
"""A target's inputs: a growing folder in the cache, and an archive of bounded size in the tree, which the tests run, too.

An archive is inputs one behind the other, each with its length before it: 4 bytes, little endian (tests/fuzz/driver.cc reads it).
"""

import hashlib
import os
import random
import subprocess
import tempfile

MOST_BYTES = 100_000  # of an archive


def folder(target, cache):
    path = os.path.join(cache, "corpus", target.name)
    os.makedirs(path, exist_ok=True)
    return path


def unpack(archive):
    with open(archive, "rb") as f:
        data = f.read()
    inputs, at = [], 0
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "little")
        at += 4
        if at + n > len(data):
            raise ValueError(f"{archive}: an input is cut short")
        inputs.append(data[at:at + n])
        at += n
    return inputs


def pack(inputs, most=MOST_BYTES):
    """The shortest first, as many as there is room for."""
    packed = b""
    for data in sorted(inputs, key=lambda i: (len(i), i)):
        if len(packed) + 4 + len(data) > most:
            break
        packed += len(data).to_bytes(4, "little") + data
    return packed


def begin(target, cache, seed=1):
    """The growing folder, with what the tree keeps in it. Where there is nothing a few random inputs are: libFuzzer begins with none of any
    length, and a bench is set up by more bytes than it would soon try."""
    path = folder(target, cache)
    inputs = unpack(target.kept) if os.path.exists(target.kept) else []
    if not inputs and not os.listdir(path):
        chance = random.Random(seed)
        inputs = [chance.randbytes(n) for n in (64, 256, 512, 1024, 2048, 4096)]
    for data in inputs:
        with open(os.path.join(path, hashlib.sha1(data).hexdigest()), "wb") as f:
            f.write(data)
    return path


def keep(target, cache):
    """Of all inputs those that are needed to reach what they reach go into the archive. Says what it did."""
    with tempfile.TemporaryDirectory(prefix="perfboard-fuzz-") as least:
        done = subprocess.run([target.program, "-merge=1", "-timeout=600", f"-artifact_prefix={least}/../", least, begin(target, cache)],
                              capture_output=True, text=True, errors="replace", cwd=cache)
        if done.returncode:
            return f"libFuzzer's merge failed, and the archive stays as it is:\n{done.stderr[-2000:]}"
        inputs = []
        for name in os.listdir(least):
            with open(os.path.join(least, name), "rb") as f:
                inputs.append(f.read())
    packed = pack(inputs)
    with open(target.kept, "wb") as f:
        f.write(packed)
    return f"{len(inputs)} inputs reach all that is reached; {len(unpack(target.kept))} of them kept, {len(packed)} bytes"
