# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's gdb for a guest, as perfboard run --gdb and perfboard replay --gdb start it.

    session = Session(arch, socket, work, names=FILE, modules=PATHS, ex=COMMANDS, batch=False)
    session.poll()      gdb's exit status, or None
    session.wait()

It knows the functions of the kernel (names: a copy of /proc/kallsyms), and each module's as soon as the kernel loads it, with lines of
source if the module has its debugger's data (gdb_guest.py, which gdb runs). QEMU should be in a process group of its own: Ctrl-C is gdb's.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from . import Refused, places, progress, symbols

# gdb's name of the architecture; the register with a function's first argument; bytes of a function that its callers in the kernel skip.
ARCHS = {"x86_64": ("i386:x86-64", "rdi", 0), "ppc64": ("powerpc:common64", "r3", 8)}
# The kernel calls it when a module is where it stays, before the module's own first function (kernel/module/main.c).
LOADED = "do_init_module"
# The tables of an x86 kernel without frame pointers (gdb_orc.py): where these point to, until a module is loaded.
UNWIND = ("cur_orc_ip_table", "cur_orc_table")
# What the kernel is asked: its symbols, and, as a symbol "*NAME", what each of those points to: from /proc/kcore, an ELF file, whose segment of
# the kernel's text has its data, too.
ASKED = r"""cat /proc/kallsyms >names
set -- $(head -c 4096 /proc/kcore | tail -c +65 | hexdump -v -e '14/4 "%%08x " "\n"' | awk '$6 $5 == "ffffffff81000000" { print $4 $3, $6 $5 }')
grep -E " (%s)$" names | while read -r at kind name; do
    dd if=/proc/kcore bs=8 count=1 skip=$(((0x$1 + 0x$at - 0x$2) / 8)) 2>/dev/null | hexdump -e '2/4 "%%08x " "\n"' | sed "s/\([^ ]*\) \([^ ]*\).*/\2\1 R *$name/"
done >more
cat more >>names""" % "|".join(UNWIND)


def find(arch):
    """gdb's path. Raises Refused."""
    if path := shutil.which("gdb-multiarch") or (shutil.which("gdb") if arch == "x86_64" else None):
        return path
    if arch != "x86_64" and shutil.which("gdb"):
        raise Refused("--gdb: for POWER it is gdb-multiarch (Debian's package of that name)")
    raise Refused("--gdb: there is no gdb (Debian's package gdb)")


def check(args):
    """Options that are gdb's. Raises Refused."""
    for name in ("ex", "batch"):
        if getattr(args, name) and args.gdb != "":
            raise Refused(f"--{name}: legal with --gdb without a socket only")


def kernel_names(kernel, arch, qemu, initramfs, quiet=False):
    """A copy of this kernel's /proc/kallsyms and more, or None: it is read from the kernel while it runs, once, and kept in the user's cache.

    The guest that is looked at must do nothing for it: each instruction more would move its times.
    """
    with open(kernel, "rb") as f:
        key = hashlib.file_digest(f, "sha256").hexdigest()[:16]
    kept = places.cache(f"names-{key}")
    if os.path.exists(kept):
        return kept
    with places.cached(), tempfile.TemporaryDirectory(prefix=".making-", dir=places.cache()) as work:
        made = os.path.join(work, "names")
        progress("asks this kernel for its functions' names, once", quiet)
        done = subprocess.run([os.path.join(places.SCRIPTS, "perfboard"), "run", "--arch", arch, "--qemu", qemu, "--kernel", kernel, "--initramfs", initramfs,
                               "--no-boards", "--append", "perfboard.noload", "--quiet", "--get", f"names={made}", "--", ASKED],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            print(f"perfboard: gdb has no names of the kernel's functions: {done.stderr.strip().split(chr(10))[-1]}", file=sys.stderr)
            return None
        os.replace(made, kept)
    return kept


def known_modules(paths):
    """What gdb_guest.py is to know of modules, by their names. Of several files for one module the first counts."""
    from guestrun import overlay
    found = {}
    for path in paths:
        try:
            places_of = symbols.module_symbols(path)
            name = overlay.modinfo(path).get("name", [os.path.basename(path).removesuffix(".ko")])[0].replace("-", "_")
        except OSError:
            continue  # gdb can do without
        found.setdefault(name, {"file": os.path.abspath(path), "symbols": places_of})
    return found


def file_commands(text):
    """gdb's commands for what --symbols names."""
    for word in filter(None, (text or "").split(",")):
        name, at, address = word.partition("@")
        if word != "none" and not name.endswith("kallsyms"):
            yield f"add-symbol-file {name} 0x{address.removeprefix('0x')}" if at else f"file {name}"


class Session:
    """gdb, connected to a machine. here: whether the machine runs a kernel already. files: what --symbols names."""

    def __init__(self, arch, socket, work, names=None, modules=(), files=None, ex=(), batch=False, here=False):
        gdb, (architecture, register, skipped) = find(arch), ARCHS[arch]
        known = known_modules(modules)
        commands = ["set confirm off", "set pagination off", "set breakpoint pending on", f"set architecture {architecture}"]
        if arch == "ppc64":
            commands.append("set endian little")
        addresses, unwind = {}, ["*" + name for name in UNWIND]
        if names:
            table = symbols.Symbols.of(names, without=known)
            file = os.path.join(work, "symbols")
            with open(file, "wb") as f:
                f.write(symbols.elf_of(table, architecture))
            commands.append(f"file {file}")
            addresses = symbols.addresses(names, (LOADED, "modules", *unwind))
        commands += file_commands(files)
        with open(os.path.join(work, "guest.json"), "w") as f:
            json.dump({"quietly": commands, "connect": f"target remote {socket}", "here": here, "modules": known, "register": register,
                       "loaded": addresses[LOADED] + skipped if LOADED in addresses else None, "list": addresses.get("modules"),
                       "orc": [addresses.get(name) for name in unwind]}, f)
        commands = [f"source {os.path.join(places.SCRIPTS, 'workbench', 'gdb_guest.py')}", *ex]
        self.before = {s: signal.signal(s, handler) for s, handler in
                       ((signal.SIGINT, lambda *_: None), (signal.SIGHUP, lambda *_: sys.exit(129)))}
        self.process = subprocess.Popen([gdb, "-q", "-nx", *(["-batch"] if batch else []), *(w for c in commands for w in ("-ex", c))],
                                        stdin=subprocess.DEVNULL if batch else None, env={**os.environ, "PERFBOARD_GDB": f.name})

    def poll(self):
        status = self.process.poll()
        if status is not None:
            self._give_back()
        return status

    def wait(self):
        try:
            return self.process.wait()
        finally:
            self._give_back()

    def stop(self):
        """For a machine that is not there any more."""
        if self.process.poll() is None:
            self.process.terminate()
        self.wait()

    def _give_back(self):
        while self.before:
            signal.signal(*self.before.popitem())
