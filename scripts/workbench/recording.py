# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording: a folder with all that `perfboard replay` needs to run a machine again.

    events           what QEMU's record (rr=record) keeps of the run. Only of a machine with one processor
    recording.json   format, kind, the words of QEMU's command line, what it read and what it wrote, with SHA-256 of each
    input-N          what the run read and deleted afterwards
    kallsyms         the guest's functions, if it handed them over
    modules/         the user's modules as they were, for gdb

kind "rr": QEMU replays the events, and gdb can go back. kind "again": QEMU records one processor only. A machine with several runs
again from the start; under icount it does the same, and gdb can only go on. In both kinds what the replay writes (console, files,
log) is compared with what the recorded run wrote.

In the words an output is @OUTPUT:N@ and a copied input @INPUT:N@.
"""

import dataclasses
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from . import Refused

KALLSYMS, MODULES = "kallsyms", "modules"  # a file and a folder in it
FORMAT = 1
RR, AGAIN = "rr", "again"
# What would reach the guest from outside while it runs, and be in no recording.
OUTSIDE = {"-drive", "-blockdev", "-hda", "-hdb", "-hdc", "-hdd", "-cdrom", "-sd", "-pflash", "-mtdblock", "-netdev", "-nic", "-net",
           "-monitor", "-mon", "-vnc", "-spice", "-usb", "-usbdevice", "-virtfs", "-fsdev", "-incoming", "-loadvm", "-S", "-gdb", "-s"}
CHARDEVS = {"file", "null", "ringbuf", "memory"}
WRITTEN = {"log", "coverage", "vcd", "opcodes"}  # properties of boards that name a file


def split(word):
    """A word's parts at single commas; a doubled comma stays."""
    return [p.replace("\0", ",,") for p in word.replace(",,", "\0").split(",")]


def plain(value):
    return value.replace(",,", ",")


def quoted(value):
    return value.replace(",", ",,")


def digest(path):
    total = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def identity(path):
    return {"sha256": digest(path), "bytes": os.path.getsize(path)}


def version(qemu):
    done = subprocess.run([qemu, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.split("\n", 1)[0]


@dataclasses.dataclass
class Words:
    """QEMU's words taken apart: the same words with places for files, and the files."""

    words: list
    outputs: list  # of (what it is, path)
    inputs: list   # of paths


def _file_word(option, word, outputs):
    """The word with its output, if it has one, as a place."""
    def place(what, path):
        if path == "-":
            return path
        known = [p for _, p in outputs]
        if path not in known:
            outputs.append((what, path))
            known.append(path)
        return f"@OUTPUT:{known.index(path)}@"

    if option == "-serial" and word.startswith("file:"):
        return "file:" + place("a serial port", word[5:])
    if option == "-D":
        return place("QEMU's log", word)
    parts = split(word)
    for i, part in enumerate(parts):
        key, given, value = part.partition("=")
        if not given:
            continue
        is_output = (option == "-chardev" and (key == "path" and parts[0] == "file" or key == "logfile")
                     or option == "-object" and key == "mem-path" or option == "-device" and key in WRITTEN)
        if is_output:
            what = {"-chardev": "chardev " + next((p[3:] for p in parts if p.startswith("id=")), "?"), "-object": "the files' memory"}
            parts[i] = f"{key}={place(what.get(option, key), plain(value))}"
    return ",".join(parts)


def take_apart(words):
    """Words from QEMU's command line, without -qmp: nobody must ask a replay what nobody asked before."""
    found = Words([], [], [])
    option = None
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
            continue
        if word == "-qmp":
            skip = True
            continue
        found.words.append(_file_word(option, word, found.outputs))
        option = word
    for word in found.words:
        for part in split(word):
            path = plain(part.rpartition("=")[2])
            if os.sep in path and os.path.isfile(path) and path not in found.inputs:
                found.inputs.append(path)
    return found


def refuse(words):
    """Raises Refused for what no recording holds."""
    options = dict()
    for option, word in zip(words, words[1:] + [""]):
        if option in OUTSIDE:
            raise Refused(f"--record: {option} {word}".rstrip() + ": what comes from outside while the machine runs cannot be recorded; "
                          "legal are a kernel, an initramfs, boards and chardevs that are files")
        options.setdefault(option, []).append(word)
    for word in options.get("-chardev", []):
        if word.split(",")[0] not in CHARDEVS:
            raise Refused(f"--record: -chardev {word}: legal are {', '.join(sorted(CHARDEVS))}: of others the reader or writer would be missing "
                          "in the replay")
    for word in options.get("-serial", []):
        if not word.startswith(("file:", "null", "none", "chardev:")):
            raise Refused(f"--record: -serial {word}: what is typed cannot be recorded; give a command after --")
    for word in options.get("-device", []):
        if re.search(r"(^|,)break=", word):
            raise Refused(f"--record: {word}: a recording is not stopped; `perfboard replay --until` stops its replay")
    if "-icount" not in options:
        raise Refused("--record: legal with --icount only: without it time is the host's")


def processors(words):
    for option, word in zip(words, words[1:]):
        if option == "-smp":
            counts = [int(n) for n in re.findall(r"(?:^|cpus=)([0-9]+)", word)]
            return counts[0] if counts else 1
    return 1


class Recorder(subprocess.Popen):
    """QEMU while a recording is made. The recording is whole when wait() or poll() has told of QEMU's end."""

    def __init__(self, folder, words, **more):
        refuse(words)
        self.folder, self.parts = folder, take_apart(words)
        self.kind = RR if processors(words) == 1 else AGAIN
        begin(folder)
        self.needs = [self._need(i, path) for i, path in enumerate(self.parts.inputs)]
        self.qemu = shutil.which(words[0]) or words[0]
        self.closed = False
        super().__init__(words + (rr_words(folder, "record", words) if self.kind == RR else []), **more)

    def _need(self, number, path):
        """Temporary files are copied; of others the replay looks whether they are the same."""
        absolute = os.path.abspath(path)
        temporary = any(os.path.commonpath([absolute, t]) == t for t in {tempfile.gettempdir(), "/dev/shm", "/tmp"})
        if not temporary:
            return {"path": absolute, "given": path, **identity(path)}
        copy = f"input-{number}"
        shutil.copy(path, os.path.join(self.folder, copy))  # its mode, too: it can hold a secret
        return {"copy": copy, "given": path, **identity(path)}

    def _close(self):
        self.closed = True
        found = {"format": FORMAT, "kind": self.kind, "words": self.parts.words, "needs": self.needs,
                 "qemu": {"path": self.qemu, "version": version(self.qemu), **identity(self.qemu)},
                 "status": self.returncode, "outputs": []}
        for what, path in self.parts.outputs:
            found["outputs"].append({"what": what, **(identity(path) if os.path.isfile(path) else {})})
        write(self.folder, found)

    def poll(self):
        super().poll()
        if self.returncode is not None and not self.closed:
            self._close()
        return self.returncode

    def wait(self, timeout=None):
        super().wait(timeout)
        if not self.closed:
            self._close()
        return self.returncode


def kallsyms(folder):
    """The recorded guest's functions, as Symbols.of() takes them, or None."""
    path = os.path.join(folder, KALLSYMS)
    return path if os.path.exists(path) else None


def keep_modules(folder, paths):
    os.mkdir(os.path.join(folder, MODULES))
    for path in paths:
        shutil.copy(path, os.path.join(folder, MODULES))


def modules(folder):
    """The recorded guest's that the user had given."""
    return sorted(glob.glob(os.path.join(glob.escape(folder), MODULES, "*.ko")))


def word_of(found, option):
    """The file that QEMU's command line names there, or None."""
    for given, word in zip(found["words"], found["words"][1:]):
        if given == option:
            return next((need["file"] for need in found["needs"] if need["given"] == word), word)
    return None


def begin(folder):
    """An empty recording. A folder that is none is left alone."""
    if os.path.lexists(folder):
        if not os.path.isdir(folder) or os.listdir(folder) and not os.path.exists(os.path.join(folder, "recording.json")):
            raise Refused(f"--record {folder}: it is there, and is no recording; legal is a new folder, or a recording to replace")
        shutil.rmtree(folder)
    try:
        os.makedirs(folder)
    except OSError as e:
        raise Refused(f"--record {folder}: {e.strerror}") from None
    write(folder, {"format": FORMAT, "kind": None})


def write(folder, found):
    part = os.path.join(folder, "recording.json.part")
    with open(part, "w") as f:
        json.dump(found, f, indent=1)
        f.write("\n")
    os.replace(part, os.path.join(folder, "recording.json"))


def rr_words(folder, mode, words):
    """What QEMU gets besides: mode record or replay.

    QEMU's device that helps guests under KVM to reach their APIC runs code on the processor whenever a snapshot is loaded. While
    gdb goes back, the processor's thread and the main loop may then wait for each other for ever. So a PC goes without it.
    """
    pc = any(option == "-machine" and word.startswith(("pc", "q35")) for option, word in zip(words, words[1:]))
    return ["-icount", f"rr={mode},rrfile={quoted(os.path.join(folder, 'events'))}"] + (["-global", "apic-common.vapic=off"] if pc else [])


def read(folder):
    """The recording, whole and with all it needs. Raises Refused."""
    path = os.path.join(folder, "recording.json")
    try:
        with open(path) as f:
            found = json.load(f)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise Refused(f"{folder}: a recording of format {found.get('format') if isinstance(found, dict) else '?'}; this is format {FORMAT}")
        if not found["kind"]:
            raise Refused(f"{folder}: the recording was not finished: perfboard run was killed")
        for need in found["needs"]:
            file = os.path.join(folder, need["copy"]) if "copy" in need else need["path"]
            if not os.path.isfile(file):
                raise Refused(f"{folder}: {file} is not there any more; the recording needs it")
            if os.path.getsize(file) != need["bytes"] or digest(file) != need["sha256"]:
                raise Refused(f"{folder}: {file} is another one than was recorded; record again")
            need["file"] = file
        if found["kind"] == RR and not os.path.isfile(os.path.join(folder, "events")):
            raise Refused(f"{folder}: events is missing")
        return found
    except OSError as e:
        raise Refused(f"{path}: {e.strerror}; legal is a folder that perfboard run --record has made") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise Refused(f"{path}: damaged ({type(e).__name__}: {e})") from None


def check_qemu(folder, found, qemu):
    path = shutil.which(qemu) or qemu
    try:
        same = digest(path) == found["qemu"]["sha256"]
    except OSError as e:
        raise Refused(f"--qemu {qemu}: {e.strerror}") from None
    if not same:
        raise Refused(f"{folder}: it was recorded with {found['qemu']['version']} ({found['qemu']['path']}), and {path} is another "
                      f"({version(path)}); replay with the same")
    return path


def put_together(found, outputs):
    """The recorded words with files in their places. outputs: a path for each."""
    def filled(word):
        for i, path in enumerate(outputs):
            word = word.replace(f"@OUTPUT:{i}@", quoted(path) if "," in word else path)
        for need in found["needs"]:
            if "copy" in need:
                word = word.replace(need["given"], need["file"])
        return word

    return [filled(word) for word in found["words"]]
