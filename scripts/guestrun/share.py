# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders of this machine in the guest, live and both ways: --share DIR[=DEST], --share-ro DIR[=DEST].

QEMU itself serves them by 9p: no daemon is needed that could be left behind, what it writes to the guest's memory goes by QEMU as any
device's does, and it has the rights of whoever started it. Root in the guest is this user here: owners are not changed (security_model=none).

In the guest guest/initramfs/share loads what of 9p the kernel lacks (p9_modules.py) and mounts the folders. It comes in the second archive
(overlay.py), so that a guest without --share is the same to the bit.
"""

import collections
import os
import stat
import tempfile

from workbench import Refused, output, places, recording

from . import device_args, p9_modules

HERE = "perfboard/share"
MOST = 8  # one slot's functions
SLOT = "1d"  # beside that of the transfer memory: boards keep their places
FOLDERS = ("out", "files")  # options whose files are below
SYSTEM = ("/bin", "/dev", "/lib", "/perfboard", "/proc", "/sys")

Share = collections.namedtuple("Share", "folder target readonly")


def _share(option, word, readonly):
    """Share of an option's word. A folder whose own name has a = is taken for what it is."""
    source, _, target = (word, "", "") if os.path.isdir(word) else word.partition("=")
    what = f"{option} {word}: {source or 'nothing'}"
    legal = "legal is DIR or DIR=DEST, a folder that can be read"
    try:
        names = os.listdir(source) if source else None
    except OSError as e:
        raise Refused(f"{what}: {e.strerror}; {legal}") from None
    if names is None or not os.access(source, os.X_OK):
        raise Refused(f"{what} cannot be read; {legal}")
    target = "/" + os.path.normpath(os.path.join("/mnt", target or os.path.basename(os.path.abspath(source)))).strip("/")
    if any(ord(c) < 32 for c in target) or target != target.strip():
        raise Refused(f"{option} {word!r}: legal is a DEST in one line, without blanks at its end")
    if target == "/" or any(target == s or target.startswith(s + "/") for s in SYSTEM):
        raise Refused(f"{option} {word}: legal is a DEST that the guest itself does not need, not {target}")
    folder = os.path.realpath(source)
    if not readonly and not places.closed(os.path.dirname(folder)):
        raise Refused(f"{option} {word}: others of this machine can reach {folder}, and a program that the guest's root makes set-uid there would give them your rights; "
                      "legal is a folder below one that only you may enter (mode 0700), or --share-ro")
    return Share(folder, target, readonly)


def check(args):
    """args.share, args.share_ro become one list of Share. Raises Refused."""
    words = [("--share", w, False) for w in args.share] + [("--share-ro", w, True) for w in args.share_ro]
    args.share = [_share(*w) for w in words]
    if not words:
        return
    option, word, _ = words[0]
    if args.record is not None:
        raise Refused(f"{option} {word}: not together with --record: a recording does not hold what this machine does in the folder")
    if len(words) > MOST:
        raise Refused(f"{words[MOST][0]} {words[MOST][1]}: legal are {MOST} folders")
    seen = set()
    for (option, word, _), share in zip(words, args.share):
        if share.target in seen:
            raise Refused(f"{option} {word}: another one is at {share.target} already; legal is a DEST for each")
        seen.add(share.target)


def _written(args):
    """(option, path) of what is written on this machine, by QEMU, too."""
    yield from (("--" + name, path) for name in (*FOLDERS, "junit", "log", "coverage", "profile", "monitor", "gdb") if (path := getattr(args, name)))
    yield from (("--get", path) for _, path in args.get)
    yield "TMPDIR", os.path.join(tempfile.gettempdir(), "file")  # where this run's own folder may be
    for device in args.devices:
        yield from (("--device", path) for _, path in recording.take_apart(["", "-device", device]).outputs)
    # Which of QEMU's words name a file that it writes nobody lists: each that could is one.
    option = ""
    for word in args.qemu_arg:
        for part in recording.split(word):
            path = recording.plain(part.rpartition("=")[2])
            for path in (path, path.rpartition(":")[2]):
                if path and (os.sep in path or os.path.lexists(path) or option.lstrip("-") == "D"):
                    yield "--qemu-arg", path
        option = word


def check_written(args):
    """The guest can put a link to any file of this user's in the place of what is in its folders. Raises Refused."""
    for share in args.share:
        for option, path in _written(args) if not share.readonly else ():
            whole = os.path.join(path, "file") if option[2:] in FOLDERS else path
            names = [*output.looked_up(whole), *output.looked_up(os.path.abspath(whole))]
            if any(at.startswith(share.folder + "/") or at == share.folder and name != ".." for at, name in names):
                raise Refused(f"{option} {path}: the guest can put a link there (--share); legal is a file outside of its folders, or --share-ro")


def find_modules(args):
    """After what is soon told: the first time it takes a while."""
    if args.share:
        args.guest.share_modules = p9_modules.modules(args.arch, args.kernel, args.quiet)


def words(shares):
    """For QEMU."""
    q = []
    for n, share in enumerate(shares):
        q += ["-fsdev", f"local,id=share{n},path={device_args.escaped(share.folder)},security_model=none,multidevs=remap" + (",readonly=on" if share.readonly else ""),
              "-device", f"virtio-9p-pci,fsdev=share{n},mount_tag=share{n},addr={SLOT}.{n}" + (",multifunction=on" if n == 0 else "")]
    return q


def put(archive, args):
    """What guest/initramfs/share needs, into the second archive."""
    archive.add(places.guest("initramfs", "share"), f"{HERE}/run")
    for path in args.guest.share_modules:
        archive.put(f"{HERE}/{os.path.basename(path)}", stat.S_IFREG | 0o644, path)
    archive.text(f"{HERE}/modules", "".join(os.path.basename(path) + "\n" for path in args.guest.share_modules))
    archive.text(f"{HERE}/folders", "".join(f"share{n} {'ro' if share.readonly else 'rw'} {share.target}\n" for n, share in enumerate(args.share)))
