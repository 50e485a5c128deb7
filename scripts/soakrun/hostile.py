# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/soak --hostile: rounds of a guest that means harm, each in a QEMU of its own, with a seed of its own.

  bare    tests/guest/bare/storm: all boards on a PC, one to eight processors, under icount or free-running. While a free-running one
          works, the monitor injects errors, resets it, plugs processors and cards in, asks cards to go, saves it, and loads what was saved with bytes
          changed into another QEMU
  bare-ppc64   the same on POWER's pseries, with the boards that it has: tests/guest/bare/storm/ppc. No processor goes:
          that is QEMU's own end, a little later (hw/qemu/GUEST.md)
  qtest   registers, ports, configuration space and memory from outside, on a PC, with the clock stepped
  ppc64   the same on pseries; configuration space by RTAS

Wrong is: QEMU ends by a signal or with a sanitizer's report, does not answer, or grows beyond the limit.
A guest that runs away in its own code ends its round only. So do aborts that QEMU has for such guests (ITS_OWN).
"""

import os
import random
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
import zlib

from guestrun import arch
from guestrun.boards import BOARDS, BRIDGES
from workbench import qmp

from . import boards, checked

PC, POWER = boards.storm(("eisa", "pci")), boards.storm(("pci",), "ppc64")
EISA = tuple(b.device for b in BOARDS if b.bus == "eisa")
# record_save: 32-bit LDS and LES executed from a device's registers, without the object, too (hw/qemu/GUEST.md).
ITS_OWN = ["qemu: fatal: invalid tss type", "qemu: fatal: Trying to execute code outside RAM or ROM",
           "record_save: Assertion `offset == db->record_start + db->record_len' failed"]
RECENT = [b.device for b in BOARDS if boards.lines(b, "recent")]  # what they keep of the newest accesses is asked for
MOST_CPUS = 8         # storm.c's CPUS; so many run in a round, one after another, and QEMU takes no more than maxcpus= (GUEST.md)
MOST_KB = 1500 << 10  # of VmRSS: 128 MB of guest, 64 of translated code, and what the sanitizer keeps
SILENCE = 600         # host seconds without an answer: it hangs
PER_SECOND = 3000     # accesses from outside for each second of a round: a number, so that a seed does the same on any host
REPORT = re.compile(r"AddressSanitizer|runtime error:|Assertion|assertion failed|ERROR:.*:code should not be reached")


KINDS = ["bare", "bare-ppc64", "qtest", "ppc64"]


def needs(only, path):
    """Whether these rounds run that program."""
    power = "ppc64" in os.path.basename(path)
    return only == ("bare-ppc64" if power else "bare") if only else True


class Wrong(Exception):
    """What a round found."""


class Qemu:
    """A QEMU with the object, its monitor and its words."""

    def __init__(self, args, folder, name, words, target="x86_64"):
        self.target = target
        self.path = os.path.join(folder, name + ".qmp")
        self.said = os.path.join(folder, name + ".said")
        emulator = args.qemu if target == "x86_64" else args.qemu_ppc64
        self.words = [emulator, "-display", "none", "-nodefaults", "-d", "guest_errors", "-D", "/dev/null", "-plugin", args.plugin,
                      "-qmp", f"unix:{self.path},server=on,wait=off"] + words
        self.out = open(self.said, "wb")
        self.child = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out, env=checked.environment())

    def monitor(self):
        return qmp.Monitor(self.path, lambda: self.child.poll() is None, SILENCE)

    def cards(self):
        """The boards' places on the first PCI bus: they have names, what belongs to the machine has none; the bridge is QEMU's."""
        with self.monitor() as m:
            return [d["slot"] for d in m.do("query-pci")[0]["devices"] if d["qdev_id"] not in ("", *BRIDGES)]

    def text(self):
        with open(self.said, errors="replace") as f:
            return f.read()

    def look(self):
        """Raises what is wrong with a QEMU that runs."""
        try:
            with open(f"/proc/{self.child.pid}/status") as f:
                kb = int(re.search(r"VmRSS:\s*(\d+)", f.read())[1])
        except (OSError, TypeError):
            return
        if kb > MOST_KB:
            raise Wrong(f"{kb >> 10} MB of memory")

    def end(self):
        """Ends it, if it has not ended, and raises what is wrong with its end."""
        if self.child.poll() is None:
            self.child.terminate()
        try:
            status = self.child.wait(SILENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            raise Wrong("it does not end") from None
        text = self.text()
        if any(t in text for t in ITS_OWN):
            return
        if REPORT.search(text) or (status < 0 and -status != signal.SIGTERM):
            raise Wrong(f"status {status}: " + told(text))


def told(text):
    """The sanitizer's report as far as it says where, or the last lines."""
    at = text.find("ERROR: AddressSanitizer")
    return text[at:].split("Shadow bytes")[0][:8000] if at >= 0 else text[-3000:]


def damaged(path, chance):
    """The file with some bytes changed."""
    with open(path, "r+b") as f:
        size = os.path.getsize(path)
        for _ in range(chance.randrange(1, 12)):
            # What devices save is behind the memory.
            at = size - 1 - chance.randrange(min(size, 60000)) if chance.random() < 0.9 else chance.randrange(size)
            f.seek(at)
            f.write(bytes([chance.randrange(256)]))


def bare_words(args, chance, cpus, icount, ejects, cards, only, power):
    words = ["-smp", f"{cpus},maxcpus={MOST_CPUS}"]
    words += ([*arch.PSERIES, "-m", "256", "-serial", "stdio", "-no-shutdown", "-bios", chance.choice(args.storm_ppc64)] if power else
              ["-M", "pc,accel=tcg", "-m", "128", "-debugcon", "stdio", "-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", args.storm])
    words += ["-icount", "shift=4,sleep=off", "-rtc", "clock=vm,base=1999-03-02", "-seed", "1", "-no-reboot"] if icount else []
    for d in POWER if power else PC:
        name = d.split(",")[0]
        words += ["-device", ",".join([d, f"id={name}", *(f"{key}={chance.choice(values)}" for key, values in boards.either(name))])]
    # Anything at all in one round of eight: it soon ends itself.
    only += (" no-atomic" if ejects else " no-eject") + ("" if cards else " no-cards") + (" tame" if chance.random() < 0.875 else "")
    if power:
        return words + ["-name", f"seed:{chance.randrange(1 << 31)} cpus:{cpus} steps:0 {only}"]
    return words + ["-append", f"seed={chance.randrange(1 << 31)} cpus={cpus} steps=0 {only}"]


def bare(args, folder, chance, seconds, found, power):
    icount = chance.random() < 0.4
    cpus = chance.choice([1, 2, 3, 4, 8])
    # Ejections end QEMU by itself under icount, when it is saved behind one, and when another vCPU does an atomic access to a device (GUEST.md).
    ejects = not icount and "eject" not in args.without and chance.random() < 0.4
    cards = not icount and not power and "cards" not in args.without and chance.random() < 0.5
    words = bare_words(args, chance, cpus, icount, ejects, cards, " ".join("no-" + w for w in args.without), power)
    qemu = Qemu(args, folder, "bare", words, "ppc64" if power else "x86_64")
    devices = [d.split(",")[0] for d in (POWER if power else PC)]
    found = [e for e in found if e.device in devices]
    actions, plugged, end = 0, cpus, time.monotonic() + seconds
    try:
        with qemu.monitor() as m:
            while time.monotonic() < end and qemu.child.poll() is None:
                qemu.look()
                time.sleep(0.05 if not icount else 0.5)
                what = chance.random()
                if icount:
                    m.do("query-status")
                elif what < 0.6:
                    e = chance.choice(found)
                    on_board(m, cards, "qom-set", path="/machine/peripheral/" + e.device, property=e.name, value=e.json(e.random(chance)))
                elif what < 0.64:
                    m.do("system_reset")
                elif what < 0.66 and cards:
                    card(chance, m)
                elif what < 0.68 and not ejects:
                    save_and_load(args, folder, chance, m, words, qemu.target)
                elif what < 0.7 and plugged < MOST_CPUS and ejects:
                    plugged += plug(chance, m, power)
                elif what < 0.8:
                    on_board(m, cards, "qom-set", path="/machine/peripheral/" + chance.choice([d for d in RECENT if d in devices]), property="recent",
                             value=chance.choice([0, 16]))
                else:
                    m.do("query-status")
                actions += 1
    except qmp.Gone:
        pass  # how it ended says end()
    except (OSError, qmp.Error) as e:
        raise Wrong(f"the monitor: {e}") from None
    finally:
        qemu.end()
    if qemu.child.returncode > 0 and "storm: " not in qemu.text():
        raise Wrong(f"the guest never began: {told(qemu.text())}")
    beats = re.findall(r"beat (\d+)", qemu.text())
    comes = "" if not ejects else ", some come" if power else ", some come and go"
    comes += ", cards too" if cards else ""
    return f"{cpus} vCPUs, {'icount' if icount else 'free'}{comes}: {64 * len(beats)} steps of the first, {actions} actions"


def on_board(m, may_be_away, command, **arguments):
    """Whether it was done; a refusal is wrong of one that is there."""
    try:
        m.do(command, **arguments)
    except (qmp.Gone, qmp.Silent):
        raise
    except qmp.Error:
        if not may_be_away:
            raise
        return False
    return True


def card(chance, m):
    """One is asked to go, or comes. The guest lets it go without looking who has asked."""
    device = chance.choice([d for d in PC if not d.startswith(EISA)])
    name = device.split(",")[0]
    line = f"device_del {name}" if chance.random() < 0.3 else f"device_add {device},id={name}"
    m.do("human-monitor-command", **{"command-line": line})


def plug(chance, m, power):
    """A processor, where there may be one already. 1: it is plugged in."""
    core = chance.randrange(MOST_CPUS)
    if power:
        return int(on_board(m, True, "device_add", driver="power10_v2.0-spapr-cpu-core", **{"core-id": core}))
    return int(on_board(m, True, "device_add", driver="qemu64-x86_64-cpu", **{"socket-id": 0, "core-id": core, "thread-id": 0}))


def save_and_load(args, folder, chance, m, words, target):
    path = os.path.join(folder, "snapshot")
    m.do("stop")
    m.do("migrate", uri="file:" + path)
    end = time.monotonic() + SILENCE
    while m.do("query-migrate").get("status") not in ("completed", "failed"):
        if time.monotonic() > end:
            raise Wrong("a snapshot takes for ever")
        time.sleep(0.02)
    m.do("cont")
    damaged(path, chance)
    if chance.random() < 0.3:  # into a machine with another number of processors
        words = list(words)
        words[words.index("-smp") + 1] = f"{chance.randrange(1, MOST_CPUS + 1)},maxcpus={MOST_CPUS}"
    other = Qemu(args, folder, "loaded", words + ["-incoming", "file:" + path], target)
    try:
        with other.monitor() as n:
            for _ in range(20):
                n.do("query-status")
                time.sleep(0.1)
                other.look()
    except qmp.Gone:
        pass  # refused
    except qmp.Silent as e:
        raise Wrong(f"a damaged snapshot: {e}") from None
    finally:
        other.end()


class Qtest:
    """Accesses from outside."""

    def __init__(self, path, alive):
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen(1)
        self.alive, self.link, self.rest, self.digest = alive, None, b"", 0

    def accept(self):
        while not select.select([self.server], [], [], 0.1)[0]:
            if not self.alive():
                raise qmp.Gone("QEMU has ended")
        self.link = self.server.accept()[0]
        self.link.settimeout(SILENCE)

    def do(self, line):
        self.link.sendall(line.encode() + b"\n")
        while True:
            while b"\n" not in self.rest:
                data = self.link.recv(4096)
                if not data:
                    raise qmp.Gone("QEMU has ended")
                self.rest += data
            said, _, self.rest = self.rest.partition(b"\n")
            self.digest = zlib.crc32(said, self.digest)
            if said.startswith((b"OK", b"FAIL", b"ERR")):
                return said.decode()

    def number(self, line):
        return int(self.do(line).split()[1], 0)


def qtest_words(args, folder, target):
    words = ["-S", "-m", "256", "-icount", "shift=0,sleep=off", "-seed", "1", "-qtest", "unix:" + os.path.join(folder, "qtest"), "-qtest-log", "none"]
    if target == "x86_64":
        words += ["-M", "pc,accel=tcg", "-rtc", "clock=vm,base=2026-01-01"]
    else:
        words += arch.PSERIES
    for d in PC if target == "x86_64" else POWER:
        words += ["-device", f"{d},id={d.split(',')[0]}"]
    return words


def value(chance):
    return chance.choice([0, 1, 2, 3, 0xFFFFFFFF, 1 << chance.randrange(32), chance.randrange(1 << 12), chance.randrange(1 << 32)])


class Config:
    """Configuration space of the first PCI bus, as 32-bit numbers: by ports on the PC, by RTAS on pseries."""

    BUID = (0x08000000, 0x20000000)
    WORDS, RESULTS = 0x1000, 0x2000  # in the guest's memory

    def __init__(self, link, pc):
        self.link, self.pc = link, pc

    def rtas(self, name, words, results):
        self.link.do(f"write {self.WORDS:#x} {4 * len(words):#x} 0x" + "".join(f"{w:08x}" for w in words))
        self.link.do(f"rtas {name} {len(words)} {self.WORDS:#x} {results} {self.RESULTS:#x}")

    def get(self, device, at):
        if self.pc:
            self.link.do(f"outl 0xcf8 {0x80000000 | device << 11 | at:#x}")
            return self.link.number("inl 0xcfc")
        self.rtas("ibm,read-pci-config", [device << 11 | at, *self.BUID, 4], 2)
        both = self.link.number(f"read {self.RESULTS:#x} 8")  # status, value
        return both & 0xFFFFFFFF if both >> 32 == 0 else 0xFFFFFFFF

    def put(self, device, at, v):
        if self.pc:
            self.link.do(f"outl 0xcf8 {0x80000000 | device << 11 | at:#x}")
            self.link.do(f"outl 0xcfc {v:#x}")
        else:
            self.rtas("ibm,write-pci-config", [device << 11 | at, *self.BUID, 4, v], 1)


def outside(args, folder, chance, seconds, found, target):
    """Accesses to the boards' windows, and near them, while these move."""
    pc = target == "x86_64"
    holder = []
    link = Qtest(os.path.join(folder, "qtest"), lambda: not holder or holder[0].child.poll() is None)
    qemu = Qemu(args, folder, "qtest", qtest_words(args, folder, target), target)
    holder.append(qemu)
    done, enough = 0, int(seconds * PER_SECOND)
    try:
        link.accept()
        config = Config(link, pc)
        mmio = [0xA0000000 + (i << 24) for i in range(32)]
        cards = qemu.cards()
        if len(cards) != 4:
            raise Wrong(f"{len(cards)} PCI cards of 4")
        if pc:
            link.do("outl 0x2c84 0x80009001")
        for i, d in enumerate(cards):
            for b in range(6):
                config.put(d, 0x10 + 4 * b, mmio[(4 * i + b) % 32])
            config.put(d, 4, 7)
        above = 0 if pc else 0x200000000000  # where pseries has its PCI bus in the map of memory
        with qemu.monitor() as m:
            while done < enough:
                for _ in range(200):
                    kind, a = chance.random(), above + chance.choice(mmio) + chance.choice([chance.randrange(0x200), chance.randrange(1 << 20)])
                    letter = chance.choice("bwlq")
                    most = (1 << 8 * {"b": 1, "w": 2, "l": 4, "q": 8}[letter]) - 1
                    v = (value(chance) | value(chance) << 32) & most
                    if pc and kind < 0.15:
                        port = chance.choice([1, 2, chance.randrange(12)]) << 12 | 0xC80 | chance.randrange(16)
                        letter = chance.choice("bwl")
                        link.do(chance.choice([f"in{letter} {port:#x}", f"out{letter} {port:#x} {v & 0xFFFFFFFF:#x}"]))
                    elif kind < (0.2 if pc else 0.05):
                        config.put(chance.choice(cards), 4 * chance.choice([1, 4, 5, 6, 7, chance.randrange(64)]), chance.choice(mmio + [7, value(chance)]))
                    elif kind < 0.55:
                        link.do(f"write{letter} {a:#x} {v:#x}")
                    elif kind < 0.9:
                        link.do(f"read{letter} {a:#x}")
                    elif kind < 0.95:
                        link.do(f"clock_step {chance.choice([1, 100, 10000, 10**7, chance.randrange(10**9)])}")
                    elif pc:
                        link.do(f"write {chance.randrange(1 << 27):#x} 0x8 {chance.randrange(1 << 64):#018x}")
                    done += 1
                qemu.look()
                if chance.random() < 0.3:
                    e = chance.choice([e for e in found if pc or e.device not in EISA])
                    m.do("qom-set", path="/machine/peripheral/" + e.device, property=e.name, value=e.json(e.random(chance)))
                if chance.random() < 0.02:
                    m.do("system_reset")
                    m.event({"RESET"}, SILENCE)
    except (qmp.Gone, BrokenPipeError, ConnectionResetError):
        qemu.child.wait(SILENCE)
        if qemu.child.returncode > 0:
            raise Wrong(f"it ended: {qemu.text()[-2000:]}") from None
    except TimeoutError:
        raise Wrong(f"no answer for {SILENCE} s") from None
    except qmp.Error as e:
        raise Wrong(f"the monitor: {e}") from None
    finally:
        qemu.end()
    return f"{done} accesses from outside, answers {link.digest:08x}"


def round_of(args, kind, seed, seconds, found):
    chance = random.Random(f"{seed} {kind}")
    with tempfile.TemporaryDirectory(prefix="perfboard-hostile-") as folder:
        if kind.startswith("bare"):
            return bare(args, folder, chance, seconds, found, kind == "bare-ppc64")
        return outside(args, folder, chance, seconds, found, "ppc64" if kind == "ppc64" else "x86_64")


def campaign(args, seed, found):
    """Exit status."""
    same = f"--round {args.round:g}" + (f" --without {','.join(args.without)}" if args.without else "")
    kinds = [args.only] if args.only else ["bare", "qtest", "bare", "bare-ppc64", "bare", "ppc64"]
    end, number, wrong = time.monotonic() + 60 * args.minutes, 0, []
    print(f"soak: hostile, {args.minutes:g} min, seed {seed}, {args.qemu}", flush=True)
    while time.monotonic() < end:
        kind = kinds[number % len(kinds)]
        mine = seed + number
        try:
            print(f"soak: {kind} {mine}: {round_of(args, kind, mine, args.round, found)}", flush=True)
        except Wrong as e:
            wrong.append(f"scripts/soak --hostile --only {kind} --seed {mine} --minutes 0.1 {same}")
            print(f"soak: {kind} {mine}: WRONG: {e}\nsoak: again: {wrong[-1]}", flush=True)
        number += 1
    print(f"soak: hostile, {number} rounds, seed {seed}: " + (f"{len(wrong)} went wrong: " + "; ".join(wrong) if wrong else "survived"), flush=True)
    return 1 if wrong else 0
