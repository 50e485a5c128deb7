# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard run's exit status: the command's, unless something worse happened; then a status and one line of its own."""

import collections
import re
import signal

from workbench import plain

USAGE, UNREACHED, UNSAID, NO_BOOT, MODULE, TRANSFER, PANIC, OOPS, WARNED, LOCKUP, TIMED_OUT, FAILED = 2, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125
MEANING = {
    USAGE: "an option is wrong; nothing was started",
    UNREACHED: "the command succeeded, but a line of --scenario was never reached: nothing was broken there (not with --record)",
    UNSAID: "an image of yours ended, and its console had not said the text of --expect",
    NO_BOOT: "an image of yours said nothing on its console",
    MODULE: "a module does not load: one of --module or --share, and the command was not run; or a driver of the guest's own, and the command succeeded",
    TRANSFER: "the command succeeded, but its files could not be handed over whole (--out, --get), or a log, coverage or what a board records was not written whole",
    PANIC: "the guest's kernel panicked, or had no room for all of its file system",
    OOPS: "the kernel had an oops, a BUG, memory misused, a bad page or a machine check (taint D, B, M)",
    WARNED: "the kernel warned (WARN; taint W), or a checker of it reported a mistake that did no harm yet (lockdep, KCSAN, UBSAN, a sleep where none may be)",
    LOCKUP: "a processor was locked up (taint L)",
    TIMED_OUT: "the time of --timeout is over; QEMU was killed",
    FAILED: "QEMU failed, or the machine ended before the command did",
}
# Flags of /proc/sys/kernel/tainted that tell of damage, the worst first: (bit, letter, status, what it is).
# A module from outside of the kernel's tree taints as well (O, E): that is no damage.
TAINTS = [(7, "D", OOPS, "the kernel had an oops"), (4, "M", OOPS, "the kernel had a machine check"),
          (5, "B", OOPS, "the kernel found memory misused"), (14, "L", LOCKUP, "a processor was locked up"),
          (9, "W", WARNED, "the kernel warned")]

# Of a kernel that looks for mistakes (scripts/kernel), and goes on: locks, races, undefined C, sleeping with a lock held. What it says of memory
# (KASAN) is "BUG: KASAN:", and no less than an oops.
REPORTS = re.compile(r"WARNING: |UBSAN: |INFO: trying to register non-static key|BUG: (KCSAN: |sleeping function called from invalid context|"
                     r"scheduling while atomic|using \S+ in preemptible|workqueue leaked )")

WORDS = {PANIC: "the kernel panicked", OOPS: "the kernel had an oops", WARNED: "the kernel warned",
         LOCKUP: "a processor was locked up"}

STAMP = re.compile(r"\[ *[0-9]+\.[0-9]{6}\](?:\[ *[TC][0-9]+\])? ")

Verdict = collections.namedtuple("Verdict", "status line")


def manual():
    rows = "\n".join(f"  {status:<4} {text}" for status, text in sorted(MEANING.items()))
    return ("Exit status: the command's own; 126, 127: the guest's shell cannot run it; 128 + n: signal n ended it.\n"
            f"perfboard run's own:\n{rows}\n"
            "With one of these the last line of standard error says what happened. If the command itself ends with\n"
            "one of these numbers, that line is \"perfboard: the command's own status is N\". So the two cannot be\n"
            "confused. SIGINT and SIGTERM end the machine; files and report come all the same, with status 130 or 143.\n"
            "An oops, a BUG or a lockup ends the machine at once. Without --icount lockups are not looked for, as a\n"
            "slow host looks the same: --timeout ends them.")


def kernel_lines(text):
    """Lines that the kernel printed, without their time stamps: what a command prints has none."""
    for line in plain(text).splitlines():
        if found := STAMP.search(line):
            yield line[found.end():].strip()


def scan(text):
    """{what: the line that says it} of a kernel's log; the last panic, of the others the first."""
    found = {}
    for line in kernel_lines(text):
        if "Kernel panic - not syncing" in line:
            found["panic"] = line
        elif re.search(r"soft lockup - CPU|hard LOCKUP on cpu", line):
            found.setdefault("lockup", line)
        elif re.search(r"\[#[0-9]+\]( |$)", line):  # an oops has a number
            found.setdefault("oops", line)
        elif REPORTS.match(line):
            found.setdefault("warning", line)
        elif re.search(r"^BUG[: ]|^kernel BUG at ", line):
            found.setdefault("bug", line)
    return found


def no_room(text):
    """What a kernel said that had no memory for its file system, and went on with a part of it; or None."""
    return next((f"{line}: its memory is too small for its file system (--mem)" for line in kernel_lines(text)
                 if line == "Initramfs unpacking failed: write error"), None)


def no_memory(text):
    """What the kernel said when it killed a process for its memory, or None."""
    found = (re.match(r"Out of memory: (Killed process \d+ \(.*?\))", line) for line in kernel_lines(text))
    return next((f"the kernel had no memory left (--mem): {m[1]}" for m in found if m), None)


def last_words(text):
    """(status, line) of what ended the kernel, or None."""
    found = scan(text)
    panic, locked = found.get("panic"), found.get("lockup")
    if not panic:
        return (LOCKUP, locked) if locked else None
    if re.search(r"softlockup|LOCKUP|hung_task", panic):
        return LOCKUP, locked or panic
    if "panic_on_warn" in panic:
        return WARNED, found.get("warning", panic)
    if re.search(r"Fatal exception|Fatal machine check", panic):
        return OOPS, found.get("bug") or found.get("oops") or panic
    return PANIC, no_room(text) or panic


def complaint(text):
    """(status, line) of the worst that a kernel's log has, or None."""
    if found := last_words(text):
        return found
    found = scan(text)
    for what, status in (("bug", OOPS), ("oops", OOPS), ("warning", WARNED)):
        if what in found:
            return status, found[what]
    return None


def damage(taint, log):
    """Verdict of the taint flags, or None."""
    for bit, letter, status, text in TAINTS:
        if taint >> bit & 1:
            said = complaint("\n".join(log))
            if bit == 5 and (not said or "Bad page" in said[1]):  # the flag's own meaning; checkers of memory set it as well
                text = "the kernel found a bad page"
            return Verdict(status, f"{text} (taint {letter})" + (f": {said[1]}" if said else ""))
    if said := complaint("\n".join(log)):  # without a taint: guest/initramfs/reports
        return Verdict(said[0], f"{WORDS[said[0]]}: {said[1]}")
    return None


def unfinished(records, returncode, console):
    """Of a machine that ended before the command did."""
    if said := last_words(console):
        when = "while the command ran" if records.started else "before the command"
        return Verdict(said[0], f"{WORDS[said[0]]} {when}: {said[1]}")
    if returncode:
        how = f"ended with status {returncode}" if returncode > 0 else f"was killed by signal {-returncode}"
        return Verdict(FAILED, f"QEMU {how}")
    return Verdict(FAILED, "the machine ended before the command did (switched off or reset from inside?)"
                   if records.started else "the machine ended before the command started")


def judge(records, returncode, console, after, transfer, allow_taint):
    """The verdict on a machine that ended by itself.

    console: its text up to the command's end; after: what came later; transfer: what went wrong with the files.
    """
    status = records.status
    if (cause := no_room(console)) and not last_words(console):
        return Verdict(PANIC, f"the guest's file system is not whole: {cause}")
    if status is None:
        return unfinished(records, returncode, console)
    if records.refused is not None:
        own = Verdict(MODULE, records.refused)
    else:
        line, killed = f"the command's own status is {status}", no_memory(console) if status else None
        own = Verdict(status, f"{line}: {killed}" if killed else line if status in MEANING else None)
    found = None
    if records.taint is None or not records.ended:
        said = complaint(after)
        found = Verdict(said[0], f"{WORDS[said[0]]} after the command: {said[1]}") if said else Verdict(FAILED, "the machine ended before it said how its kernel is")
    elif not allow_taint:
        found = damage(records.taint, records.log)
        if not found and (said := complaint(after)):
            found = Verdict(said[0], f"{WORDS[said[0]]} while the machine was switched off: {said[1]}")
    if not found and returncode:
        found = unfinished(records, returncode, "")
    if found:
        return found._replace(line=f"{found.line}; the command's status was {status}")
    if status:
        return own
    if records.modules:
        return Verdict(MODULE, not_loaded(records.modules))
    return Verdict(TRANSFER, transfer) if transfer else own


def not_loaded(modules):
    """modules: what was said of each of the guest's own that does not load."""
    options = " ".join("--without " + m.partition(".ko")[0] for m in modules)
    return f"the guest's own drivers are not all there ({options}, if that is meant); the command's status was 0"


def stopped(error):
    """Of KeyboardInterrupt, or what SIGTERM raises."""
    number = signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM
    return Verdict(128 + number, f"stopped by {number.name}")


def not_whole(found, lost):
    """lost: lines in which QEMU said that it could not write a file."""
    return Verdict(TRANSFER, f"not whole: {lost[0]}") if lost and not found.status else found


def of_scenario(found, left):
    """Of a machine whose scenario has lines left: (Verdict, what is to be said before it)."""
    if not left or found.status:
        return found, left
    return Verdict(UNREACHED, left[-1]), left[:-1]


def of_pending(found, lines):
    """lines: of boards whose interrupt line nobody takes back; beside a lockup, or a machine that has not come to its end."""
    if not lines or found.status not in (LOCKUP, TIMED_OUT):
        return found
    return found._replace(line="; ".join([found.line or WORDS[LOCKUP], *lines]))


def of_killed(killed, found):
    """Of a machine that was killed: a kernel that had come to its end by itself is the better reason."""
    return found if killed.status == TIMED_OUT and found.status in WORDS else killed
