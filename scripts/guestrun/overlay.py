# SPDX-License-Identifier: GPL-2.0-or-later
"""A second archive behind the guest's: the user's modules and files, and what is to be done with them.

The kernel unpacks one archive after the other, so that nothing of the first has to be made anew. guest/initramfs/workbench
is the script that does the work in the guest; it has the names of the files.
"""

import base64
import bz2
import fnmatch
import gzip
import lzma
import mmap
import os
import re
import shlex
import shutil
import stat
import struct
import subprocess
import tempfile

from workbench import Refused, places

from . import lan, packages, share
from .arch import ARCHS

HERE = "perfboard"
COMMAND = "exec /perfboard/run"
SHARED = f"/{share.HERE}/run || exit; cd /root && "  # one of the folders may be /root
ON_LAN = f". /{lan.HERE}/run && "  # it adds to the environment
KALLSYMS = ("perfboard.kallsyms.0", "perfboard.kallsyms.1")  # before the command, behind it


def is_private(path):
    """Whether a file of the guest holds a module's parameters that others may not read (guest/initramfs/init)."""
    return re.fullmatch(r"/*lib/modules/[^/]+\.parameters", path) is not None


def transfer_name(number):
    """Of the file that --get number asks for."""
    return f"perfboard.get.{number}"


class Archive:
    """In the newc format, which the kernel unpacks. Fixed times and owners: the same input gives the same bytes.

    Not by bsdtar: that would write the inode numbers of this machine's files, or numbers that the first archive has as well.
    """

    def __init__(self):
        self.entries = {}  # path: (mode, bytes or the path of a file)

    def folder(self, path):
        parts = path.strip("/").split("/")
        for n in range(1, len(parts) + 1):
            self.entries.setdefault("/".join(parts[:n]), (stat.S_IFDIR | 0o755, b""))

    def put(self, path, mode, data):
        path = path.strip("/")
        if "/" in path:
            self.folder(os.path.dirname(path))
        self.entries[path] = (mode, data)

    def text(self, path, text, mode=0o644):
        self.put(path, stat.S_IFREG | mode, os.fsencode(text))

    def add(self, source, path):
        """A file, or a folder with all that is in it."""
        found = os.lstat(source) if os.path.islink(source) else os.stat(source)
        if stat.S_ISDIR(found.st_mode):
            self.folder(path)
            for name in sorted(os.listdir(source)):
                self.add(os.path.join(source, name), path + "/" + name)
        elif stat.S_ISLNK(found.st_mode):
            self.put(path, stat.S_IFLNK | 0o777, os.fsencode(os.readlink(source)))
        elif stat.S_ISREG(found.st_mode):
            self.put(path, stat.S_IFREG | (0o600 if is_private(path) else 0o755 if found.st_mode & 0o111 else 0o644), source)

    def size(self):
        return sum(len(data) if isinstance(data, bytes) else os.path.getsize(data) for _, data in self.entries.values())

    def unpacked(self, page):
        """Bytes that the guest's memory holds of it."""
        return _unpacked((len(data) if isinstance(data, bytes) else os.path.getsize(data) for _, data in self.entries.values()), page)

    def write(self, out):
        """Appends to an open file, whose size is a multiple of 4."""
        for number, (path, (mode, data)) in enumerate([*sorted(self.entries.items()), ("TRAILER!!!", (0, b""))], 1):
            if not isinstance(data, bytes):
                with open(data, "rb") as f:
                    data = f.read()
            name = os.fsencode(path) + b"\0"
            fields = (0x70000000 + number, mode, 0, 0, 2 if stat.S_ISDIR(mode) else 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
            head = b"070701" + b"".join(b"%08X" % f for f in fields) + name
            out.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))


def _entries(data):
    """(name, where its bytes are) of the first archive's members. (bsdtar would take a tenth of a second of each run.)"""
    at = 0
    while data[at:at + 5] == b"07070" and at + 110 <= len(data):
        if not re.fullmatch(rb"[0-9A-Fa-f]{110}", data[at:at + 110]):
            return
        size, name_size = int(data[at + 54:at + 62], 16), int(data[at + 94:at + 102], 16)
        name = os.fsdecode(data[at + 110:at + 109 + name_size]).removeprefix("./")
        at += (110 + name_size + 3) // 4 * 4
        if name in ("", "TRAILER!!!"):
            return
        yield name, slice(at, at + size)
        at += (size + 3) // 4 * 4


def _contents(path):
    """A file of archives, unpacked if its compression is known here."""
    with open(path, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if os.path.getsize(path) else f.read()
    for start, unpack in ((b"\x1f\x8b", gzip.decompress), (b"\xfd7zXZ", lzma.decompress), (b"BZh", bz2.decompress)):
        if data[:len(start)] == start:
            data = unpack(data)
    return data


def members(path, chosen=lambda name: True):
    """{name: bytes} of the first archive of a file; {} if its compression is not known here. Of a large archive only what is chosen is read."""
    data = _contents(path)
    return {name: bytes(data[where]) for name, where in _entries(data) if chosen(name)}


def _unpacked(sizes, page):
    """Bytes of a tmpfs that hold files of these sizes. It has as many inodes as pages."""
    pages = [-(-size // page) for size in sizes]
    return page * max(sum(pages), len(pages))


def memory_least(args, arch):
    """Bytes of memory in which the guest's file system, with its second archive if there is one, can be unpacked: a multiple of arch.mem_step.

    The kernel unpacks into a tmpfs, which takes half of what is free then; the archive is still there beside it. One page of 64 holds what the
    kernel knows of all.
    """
    more = args.guest.archive
    first = _unpacked((where.stop - where.start for _, where in _entries(_contents(args.initramfs))), arch.page)
    packed = os.path.getsize(args.initramfs) + (more.size() if more else 0)
    unpacked = max(first, os.path.getsize(args.initramfs)) + (more.unpacked(arch.page) if more else 0)
    needed = (kernel_bytes(args.kernel) + packed + 2 * unpacked) * 64 // 63
    return max(arch.mem_least, -(-needed // arch.mem_step) * arch.mem_step)


def _of_drivers(name):
    """Whether a member is a driver or says in which order they load."""
    return name.startswith("lib/modules/")


def modinfo(path):
    """{key: [values]} of a module's .modinfo, out of its strings."""
    with open(path, "rb") as f:
        data = f.read()
    found = {}
    for key, value in re.findall(rb"(?:^|(?<=\0))(alias|vermagic|depends|name)=([^\0]*)\0", data):
        found.setdefault(key.decode(), []).append(value.decode(errors="replace"))
    return found


def check_whole(option, path):
    """Raises Refused for an ELF file whose end is missing. Its sections are told of at the end."""
    have = os.path.getsize(path)
    with open(path, "rb") as f:
        head = f.read(64)
    if not head.startswith(b"\x7fELF\x02"):
        return
    offset, = struct.unpack_from("<Q", head, 40) if len(head) == 64 else (64,)
    each, count = struct.unpack_from("<HH", head, 58) if len(head) == 64 else (0, 0)
    if have < offset + each * count:
        raise Refused(f"{option} {path}: this file is not whole: it has {have} bytes, and its sections end at {offset + each * count}")


def stripped(path, arch):
    """A module's bytes without the debugger's data, which is twenty times the rest. Nor with a build ID: that is a sum over them. Raises Refused."""
    with tempfile.TemporaryDirectory(prefix="perfboard-strip-") as work:
        out = os.path.join(work, "module.ko")
        done = subprocess.run([ARCHS[arch].cross + "strip", "--strip-debug", "--remove-section=.note.gnu.build-id", "-o", out, path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise Refused(f"{path}: not stripped: {done.stderr.strip()}")
        with open(out, "rb") as f:
            return f.read()


def _for_guest(path, arch):
    """The path, or bytes if it has the debugger's data: so a guest is the same with and without them."""
    with open(path, "rb") as f:
        has = b".debug_info\0" in f.read()
    return stripped(path, arch) if has and shutil.which(ARCHS[arch].cross + "strip") else path


def kernel_release(path):
    """As uname -r has it, or None."""
    with open(path, "rb") as f:
        data = f.read(1 << 17)
        if data[0x202:0x206] != b"HdrS":
            data += f.read()
    if data[0x202:0x206] == b"HdrS":
        at = struct.unpack_from("<H", data, 0x20e)[0] + 0x200
        return data[at:data.find(b"\0", at)].decode(errors="replace").split(" ")[0]
    found = re.search(rb"Linux version (\S+) ", data)
    return found[1].decode(errors="replace") if found else None


def kernel_bytes(path):
    """Of memory, while it starts; 0 if the file does not tell."""
    with open(path, "rb") as f:
        head = f.read(1 << 16)
    if head[0x202:0x206] == b"HdrS":  # init_size of x86's boot protocol
        return struct.unpack_from("<I", head, 0x260)[0] if len(head) >= 0x264 else 0
    if head[:6] != b"\x7fELF\2\1":
        return 0
    at, (each, count) = struct.unpack_from("<Q", head, 32)[0], struct.unpack_from("<HH", head, 54)
    parts = (at + n * each for n in range(count) if at + (n + 1) * each <= len(head))
    return sum(struct.unpack_from("<Q", head, part + 40)[0] for part in parts if struct.unpack_from("<I", head, part)[0] == 1)


def drivers_release(path):
    """The kernel's that the drivers of an initramfs were built for, or None."""
    for data in members(path, lambda name: _of_drivers(name) and name.endswith(".ko")).values():
        if found := re.search(rb"(?:^|(?<=\0))vermagic=(\S+)", data):
            return found[1].decode(errors="replace")
    return None


def libraries(option, path, arch):
    """What the dynamic linker would load for a program; [] for anything else."""
    check_whole(option, path)
    with open(path, "rb") as f:
        head = f.read(1 << 16)
    if head[:5] != b"\x7fELF\x02":
        return []
    kind, machine, offset = struct.unpack_from("<HH12xQ", head, 16)
    size, count = struct.unpack_from("<HH", head, 54)
    if kind not in (2, 3) or not any(struct.unpack_from("<I", head, offset + n * size)[0] == 3 for n in range(count)
                                     if offset + (n + 1) * size <= len(head)):
        return []
    if arch != "x86_64" or machine != 62:
        raise Refused(f"{option} {path}: a program that is linked dynamically; legal for another machine is one with -static")
    text = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    if "not found" in text:
        raise Refused(f"{option} {path}: a shared library of it is missing ({re.search(r'[^ 	]+ => not found', text)[0]})")
    return [found[1] for line in text.splitlines() if (found := re.search(r"(?:=> )?(/\S+) \(0x", line))]


def _modules(archive, args, first):
    """The user's modules; which of ours stay out for them. Returns their names."""
    release = kernel_release(args.kernel)
    load, out = [], set(args.without)
    order = [line.split() for line in os.fsdecode(first.get("lib/modules/order", b"")).splitlines()]
    for path, parameters in args.module:
        check_whole("--module", path)
        info, name = modinfo(path), os.path.basename(path)
        if not info.get("vermagic"):
            raise Refused(f"--module {path}: legal is a module of the kernel, NAME.ko, which this file is not")
        built = info["vermagic"][0].split(" ")[0]
        if release and built != release:
            raise Refused(f"--module {path}: built for the kernel {built}, the guest's is {release} (perfboard build-module builds for it)")
        load.append(" ".join([name, *parameters]))
        archive.put(f"{HERE}/modules/{name}", stat.S_IFREG | 0o644, _for_guest(path, args.arch))
        for other, *aliases in order:
            if other == name or any(fnmatch.fnmatchcase(a, b) or fnmatch.fnmatchcase(b, a)
                                    for a in info.get("alias", []) for b in aliases):
                out.add(other.removesuffix(".ko"))
    known = {words[0].removesuffix(".ko") for words in order}
    for name in args.without:
        if name not in known:
            raise Refused(f"--without {name}: legal are the guest's modules: {', '.join(sorted(known)) or 'none is known'}")
    if out:
        archive.text("lib/modules/order", "".join(" ".join(words) + "\n" for words in order if words[0].removesuffix(".ko") not in out))
    archive.text(f"{HERE}/load", "".join(line + "\n" for line in load))
    return sorted(out)


def _for_this_kernel(archive, args, first):
    """Drivers of ours that were built for --kernel DIR, in place of those of the first archive. Raises Refused."""
    release, left = kernel_release(args.kernel), set(args.without)
    for path in filter(re.compile(r"lib/modules/[^/]*\.ko").fullmatch, first if args.guest.drivers else {}):
        name = os.path.basename(path)
        if name in args.guest.drivers:
            archive.put(path, stat.S_IFREG | 0o644, args.guest.drivers[name])
        elif name.removesuffix(".ko") not in left:
            raise Refused(f"--initramfs {args.initramfs}: its {name} is no driver of Perfboard's, and is not built for the kernel {release}; "
                          f"legal is --without {name.removesuffix('.ko')}")


def needed(args):
    """Whether there is more to do than the kernel's command line can say."""
    return bool(args.guest.drivers is not None or args.module or args.add or args.get or args.without or args.add_package or args.share or args.lan
                or args.guest.kallsyms or args.stdin is not None)


def command(args):
    """The shell's line that does it."""
    return (SHARED if args.share else "") + (ON_LAN if args.lan else "") + COMMAND


def make(args):
    """(Archive, names of our modules that stay out)."""
    archive = Archive()
    first = members(args.initramfs, _of_drivers) if args.module or args.without or args.guest.drivers else {}
    _for_this_kernel(archive, args, first)
    out = _modules(archive, args, first)
    for source, target in args.add:
        archive.add(os.path.realpath(source), target)  # a link that is named is followed; one in a folder stays one
        if os.path.isfile(source):
            for library in libraries("--add", source, args.arch):
                archive.put(library, stat.S_IFREG | 0o755, os.path.realpath(library))
    if args.add_package:
        packages.add(archive, args.add_package)
    if args.share:
        share.put(archive, args)
    if args.lan:
        lan.put(archive, args)
    if args.guest.drivers is None:
        archive.add(places.guest("initramfs", "workbench"), f"{HERE}/run")
    else:
        archive.add(places.guest("initramfs", "workbench"), f"{HERE}/workbench")
        archive.add(places.guest("initramfs", "reports"), f"{HERE}/run")
    if args.text is not None:
        # A profile begins where the program of this name (plugins/profile.h) executes another one.
        marked = args.profile is not None
        if marked:
            archive.text(f"{HERE}/perfboard-mark", '#!/bin/busybox sh\nexec "$@"\n', 0o755)
        simple = args.words and len(args.words) > 1 or not re.search(r"[^\w/.,:=@%+ -]", args.text)
        archive.text(f"{HERE}/command", args.text if not marked else f"/{HERE}/perfboard-mark " + (args.text if simple else shlex.join(["sh", "-c", args.text])))
    if args.stdin is not None:
        archive.put(f"{HERE}/stdin", stat.S_IFREG | 0o644, args.stdin)
    archive.text(f"{HERE}/get", "".join(f"{transfer_name(n)} {source}\n" for n, (source, _) in enumerate(args.get)))
    if args.guest.kallsyms:
        archive.text(f"{HERE}/symbols", "")
    return archive, out


def join(first, archive, out):
    """The guest's archive and the second one as one file."""
    with open(first, "rb") as f, open(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as joined:
        while block := f.read(1 << 20):
            joined.write(block)
        joined.write(bytes(-joined.tell() % 4))
        archive.write(joined)


def line(text):
    """base64 for the kernel's command line (guest/initramfs/init)."""
    return "perfboard.b64=" + base64.b64encode(os.fsencode(text)).decode()
