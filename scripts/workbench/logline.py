# SPDX-License-Identifier: GPL-2.0-or-later
"""A line of an access log, as text or as JSON (hw/inspect/text.h says what each has).

    entry = parse(line)       None: it is no such line
    entry.function = "surf_write+0x15"
    text_of(entry), json_of(entry)

Text shows less than JSON: of a write the fields that changed, of a read those that are not 0; and where a register is, but not its
window and offset. So a line of text becomes a line of JSON without these: with `lanes` (which bits of the register the access
touches), and with `cleared`, the fields that a 1 has cleared. Back as text it is the same line. One of a board's JSON becomes the
text that the board would have written, except that a field that is only written, and not kept, is shown where the register does not
tell what it holds.

A line may stand for many (`times`): each the same access or event again. A line that is no board's says what has no room in the log
(op "left-out"), or that the log ends (op "end").
"""

import dataclasses
import json
import re

LINE = re.compile(r"^ *([0-9]+)\.([0-9]{9}) (\*|-|cpu[0-9]+) +(-|[0-9a-f]+(?:\[[^\]]*\])?) +(\S+) +(.*)$")
PART = re.compile(r"^(?:([0-9]+):)?([A-Za-z0-9_-]+)(?:\[([0-9]+)\])?(?:\+([0-3]))? (<-|->) ([0-9a-f]+)((?: [A-Za-z0-9_]+(?:=\w+| cleared))*)$")
NOWHERE = re.compile(r"^([A-Za-z0-9_-]+(?: [0-9]+)?)\+0x([0-9a-f]+) (<-|->) ([0-9a-f]+)(?: \(nothing answers\))?$")
FIELD = re.compile(r"([A-Za-z0-9_]+)(?:=(\w+)|( cleared))")
MISTAKE = re.compile(r"^MISTAKE ([A-Za-z0-9-]+) \((.*?)\): (.*)$")
NAMED = re.compile(r"^(inject(?:ed)?-[a-z-]+) (\S.*) \((0x[0-9a-f]+|[0-9]+)\)$")
RUN = re.compile(r"; ([0-9]+) times to ([0-9]+)\.([0-9]{9})(?: \(([0-9]+) of ([0-9]+) in turn\))?$")
LEFT_OUT = re.compile(r"^# ([0-9]+) accesses and events are left out here, from ([0-9]+)\.([0-9]{9}) to ([0-9]+)\.([0-9]{9}): log-size=([0-9]+)$")
END = re.compile(r"^# the log ends here: log-size=([0-9]+)$")
NOTES = ("left-out", "end")  # op of a line that is no board's
MOST_EXACT = 1 << 53


@dataclasses.dataclass
class Part:
    reg: str = None      # None: nothing answers there
    index: int = None
    part: int = None     # of a card with several alike
    low: int = 0         # first byte of the register
    data: int = 0
    bytes: int = 0
    shown: list = dataclasses.field(default_factory=list)  # (field, value, cleared), as text has them
    fields: dict = None  # all fields of the data; None: unknown, the line is text or made of it

    def lanes(self):
        """Bits of the register that the access touches."""
        return ((1 << 8 * self.bytes) - 1) << 8 * self.low


@dataclasses.dataclass
class Event:
    kind: str  # effect, mistake, irq, reset, injected
    name: str = ""
    value: int = 0
    line: str = ""
    source: str = ""
    means: str = ""  # what an error on purpose's value stands for


@dataclasses.dataclass
class Entry:
    ns: int
    cpu: str           # "cpu0", "-", or "*": no access
    pc: int            # or None
    board: str
    unit: str
    op: str            # read, write or event; or of NOTES
    parts: list
    events: list
    json: dict = None  # the line, if it is JSON
    text: str = None   # the line, if it is text
    function: str = ""
    window: str = ""   # where nothing answers
    offset: int = 0    # of the whole access
    times: int = 1     # so often, and ns of the last
    until: int = 0
    turn: int = 1      # which of so many lines that take turns
    turns: int = 1
    size: int = 0      # a note's: bytes that the log may have
    line: int = 0      # of the file

    def note(self):
        return self.op in NOTES

    def offset_of(self, part):
        return self.offset + sum(p.bytes for p in self.parts[:next(i for i, p in enumerate(self.parts) if p is part)])


def number(value, most=(1 << 64) - 1):
    """Of JSON, or of text as Python has it. Raises ValueError: no log has it."""
    found = int(value, 0) if isinstance(value, str) else value
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise ValueError
    return found


def decimal(text):
    """Of text, which may begin with zeros. Raises ValueError."""
    return number(int(text))


def word(value):
    if not isinstance(value, str):
        raise ValueError
    return value


def exact(value):
    return value if value <= MOST_EXACT else hex(value)


# --- text ------------------------------------------------------------------------


def _event(text):
    if found := MISTAKE.match(text):
        return Event("mistake", found[1], 0, found[3], found[2])
    if text.startswith("MISTAKE"):
        return Event("mistake", "", 0, text.partition(": ")[2])
    if text == "reset":
        return Event("reset")
    means = ""
    if found := NAMED.match(text):
        text, means = f"{found[1]} {found[3]}", found[2]
    name, _, value = text.rpartition(" ") if re.search(r" (0x[0-9a-f]+|[0-9]+)$", text) else (text, "", "0")
    kind = "irq" if name == "irq" else "injected" if name.startswith("inject-") else "effect"
    return Event(kind, name, number(value), means=means)


def _part(text):
    if found := PART.match(text):
        shown = [(f[1], number(f[2]) if f[2] else 0, bool(f[3])) for f in FIELD.finditer(found[7])]
        return Part(found[2], decimal(found[3]) if found[3] else None, decimal(found[1]) if found[1] else None,
                    int(found[4] or 0), number(int(found[6], 16)), len(found[6]) // 2, shown), found[5]
    return None, None


def _split(rest):
    """The access and its events; what a mistake says may have a semicolon in it."""
    access, *events = rest.split("; ")
    joined = []
    for text in events:
        if joined and joined[-1].startswith("MISTAKE") and not re.match(r"^(MISTAKE |irq |reset$|inject-|[a-z0-9]+-[a-z0-9-]+( |$)|effect )", text):
            joined[-1] += "; " + text
        else:
            joined.append(text)
    return access, joined


def _ns(seconds, rest):
    return number(int(seconds) * 10**9 + int(rest))


def _note(line):
    if found := LEFT_OUT.match(line):
        return Entry(_ns(found[2], found[3]), "", None, "", "", "left-out", [], [], times=decimal(found[1]), until=_ns(found[4], found[5]), size=decimal(found[6]))
    found = END.match(line)
    return found and Entry(0, "", None, "", "", "end", [], [], times=0, size=decimal(found[1]))


def _of_text(line):
    run = RUN.search(line)
    entry = _of_one(line[:run.start()] if run else line)
    if entry and run:
        entry.times, entry.until = decimal(run[1]), _ns(run[2], run[3])
        entry.turn, entry.turns = decimal(run[4] or 1), decimal(run[5] or 1)
    return entry


def _of_one(line):
    found = LINE.match(line)
    if not found:
        return None
    board, _, unit = found[5].partition("@")
    pc, _, function = found[4].partition("[")
    entry = Entry(_ns(found[1], found[2]), found[3], None if pc == "-" else number(int(pc, 16)), board, unit, "event", [], [],
                  text=line, function=function.rstrip("]"))
    if found[3] == "*":
        entry.events = [_event(found[6])]
        return entry
    access, events = _split(found[6])
    for text in access.split(", "):
        if nowhere := NOWHERE.match(text):  # the half of a wide access, too
            part = Part(None, None, None, 0, number(int(nowhere[4], 16)), len(nowhere[4]) // 2)
            before = sum(p.bytes for p in entry.parts)
            arrow, entry.window, entry.offset = nowhere[3], nowhere[1], number(int(nowhere[2], 16)) - before
        else:
            part, arrow = _part(text)
            if part is None:
                return None
        entry.parts.append(part)
    entry.op = "write" if arrow == "<-" else "read"
    entry.events = [_event(text) for text in events]
    return entry


def columns(text):
    """time, cpu, pc and the rest of a line of text."""
    found = LINE.match(text)
    if not found:
        return {"time": "", "cpu": "", "pc": "", "rest": text}
    return {"time": f"{found[1]}.{found[2]}", "cpu": found[3], "pc": found[4], "rest": f"{found[5]} {found[6]}"}


# --- JSON ------------------------------------------------------------------------


def _json_part(found, op, value, size, low, made_of_text):
    reg = word(found["reg"]) if "reg" in found else None
    index, part = (number(found[key]) if key in found else None for key in ("index", "part"))
    if made_of_text:
        cleared = found.get("cleared", [])
        shown = [(name, number(v), name in cleared) for name, v in found.get("changed" if op == "write" else "fields", {}).items()]
        return Part(reg, index, part, low, value, size, shown)
    fields = {k: number(v) for k, v in found.get("fields", {}).items()}
    changed = {k: number(v) for k, v in found.get("changed", {}).items()}
    if op == "write":
        # What the register says it keeps, in the order of its fields.
        shown = [(name, changed[name], changed[name] == 0 and fields.get(name) == 1 and found.get("before") is not None)
                 if name in changed else (name, data, False)
                 for name, data in fields.items() if name in changed or "after" not in found and data]
        shown += [(name, v, False) for name, v in changed.items() if name not in fields]
    else:
        shown = [(name, data, False) for name, data in fields.items() if data]
    return Part(reg, index, part, low, value, size, shown, fields)


def of_json(found):
    op = found["op"]
    if op in NOTES:
        return Entry(number(found.get("ns", 0)), "", None, "", "", op, [], [], json=found, times=number(found.get("times", 0)),
                     until=number(found.get("until", 0)), size=number(found["log-size"]))
    if op not in ("read", "write", "event"):
        raise ValueError
    cpu = "*" if op == "event" else f"cpu{number(found['cpu'])}" if "cpu" in found else "-"
    entry = Entry(number(found["ns"]), cpu, number(found["pc"]) if "pc" in found else None, word(found["board"]), word(found.get("unit", "")), op,
                  [], [], json=found, function=word(found.get("function", "")), times=number(found.get("times", 1)), until=number(found.get("until", 0)),
                  turn=number(found.get("turn", 1)), turns=number(found.get("turns", 1)))
    if op != "event":
        made_of_text = "window" not in found
        if not made_of_text:
            entry.window, entry.offset = str(found["window"]), number(found["offset"])
        for part in found["parts"] if "parts" in found else [found] if "lanes" in found else []:
            lanes = number(part["lanes"])
            low = (lanes & -lanes).bit_length() - 1 if lanes else 0
            if made_of_text and "window" in part:
                entry.window, entry.offset = str(part["window"]), number(part["offset"]) - sum(p.bytes for p in entry.parts)
            data = number(part["data"]) >> low if "data" in part else number(part["value"])
            entry.parts.append(_json_part(part, op, data, bin(lanes).count("1") // 8, low // 8, made_of_text))
        if not entry.parts:
            size = number(found["bytes"], 8)
            low = entry.offset & 3 if found.get("reg") and size < 4 else 0
            size = min(size, 4) if found.get("reg") else size  # what only fills the access is no register's
            entry.parts.append(_json_part(found, op, number(found["value"]) & ((1 << 8 * size) - 1), size, low, False))
    for e in found.get("effects", []):
        entry.events.append(Event("effect", word(e["name"]), number(e["value"]), means=word(e.get("means", ""))))
    if "irq" in found:
        entry.events.append(Event("irq", "irq", number(found["irq"])))
    for e in found.get("mistakes", []):
        entry.events.append(Event("mistake", word(e["name"]), 0, word(e["line"]), word(e.get("source", ""))))
    for e in found.get("injected", []):
        entry.events.append(Event("injected", word(e["name"]), number(e["value"]), means=word(e.get("means", ""))))
    if found.get("reset"):
        entry.events.append(Event("reset"))
    return entry


def parse(line):
    try:
        if not line.startswith("{"):
            return _note(line) if line.startswith("#") else _of_text(line)
        return of_json(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


# --- out -------------------------------------------------------------------------


def value_text(value):
    return str(value) if value < 10 else hex(value)


def _event_text(e):
    if e.kind == "mistake":
        return f"MISTAKE {e.name} ({e.source.partition(':')[0]}): {e.line}" if e.name else f"MISTAKE: {e.line}"
    if e.kind == "reset":
        return "reset"
    if e.kind == "irq":
        return f"irq {e.value}"
    if e.means:
        return f"{e.name} {e.means} ({value_text(e.value)})"
    return e.name + (f" {value_text(e.value)}" if e.value or e.kind == "injected" else "")


def _part_text(entry, p):
    arrow = "<-" if entry.op == "write" else "->"
    data = f"{p.data:0{2 * p.bytes}x}"
    if p.reg is None:
        window = f"window {entry.window}" if entry.window.isdigit() else entry.window
        return f"{window}+{entry.offset_of(p):#x} {arrow} {data}" + ("" if entry.window.isdigit() else " (nothing answers)")
    name = (f"{p.part}:" if p.part is not None else "") + p.reg + (f"[{p.index}]" if p.index is not None else "") + (f"+{p.low}" if p.low else "")
    return f"{name} {arrow} {data}" + "".join(f" {f}{' cleared' if cleared else '=' + value_text(v)}" for f, v, cleared in p.shown)


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def _run_text(entry, times):
    if entry.times == 1:
        return ""
    return f"; {entry.times} times" + (f" to {seconds(entry.until)}" if times else "") + (f" ({entry.turn} of {entry.turns} in turn)" if entry.turns > 1 else "")


def text_of(entry, function=True, times=True):
    """times=False: without the end of a run."""
    if entry.op == "end":
        return f"# the log ends here: log-size={entry.size}"
    if entry.op == "left-out":
        between = f", from {seconds(entry.ns)} to {seconds(entry.until)}" if times else ""
        return f"# {entry.times} accesses and events are left out here{between}: log-size={entry.size}"
    pc = "-" if entry.pc is None else f"{entry.pc:x}"
    if function and entry.function:
        pc += f"[{entry.function}]"
    if entry.text is not None:
        found = LINE.match(entry.text)
        rest = entry.text[found.start(5):]
        if not entry.unit:
            rest = rest.replace(found[5], entry.board, 1)
    else:
        board = entry.board + (f"@{entry.unit}" if entry.unit else "")
        words = [", ".join(_part_text(entry, p) for p in entry.parts)] if entry.parts else []
        rest = f"{board:<12} " + "; ".join(words + [_event_text(e) for e in entry.events])
    return f"{entry.ns // 10**9:5}.{entry.ns % 10**9:09} {entry.cpu:<6} {pc:<16} {rest}" + _run_text(entry, times)


def json_of(entry):
    if entry.json is not None:
        found = dict(entry.json)
    elif entry.op == "end":
        found = {"op": entry.op, "log-size": entry.size}
    elif entry.op == "left-out":
        found = {"ns": entry.ns, "op": entry.op, "times": entry.times, "until": entry.until, "log-size": entry.size}
    else:
        found = {"ns": entry.ns, "board": entry.board, "unit": entry.unit, "op": entry.op}
        if entry.cpu.startswith("cpu"):
            found["cpu"] = int(entry.cpu[3:])
        if entry.pc is not None:
            found["pc"] = exact(entry.pc)
        if len(entry.parts) == 1 and entry.parts[0].reg is None:
            found |= {"window": entry.window.removeprefix("window "), "offset": entry.offset, "bytes": entry.parts[0].bytes, "value": entry.parts[0].data}
        elif len(entry.parts) == 1:
            found |= {"bytes": entry.parts[0].bytes, "value": exact(entry.parts[0].data), "lanes": entry.parts[0].lanes(), **_text_part(entry, entry.parts[0])}
        elif entry.parts:
            found["parts"] = [{"lanes": p.lanes(), "data": p.data << 8 * p.low, **_text_part(entry, p)} for p in entry.parts]
        _text_events(found, entry.events)
        if entry.times != 1:
            found |= {"times": entry.times, "until": entry.until} | ({"turn": entry.turn, "turns": entry.turns} if entry.turns > 1 else {})
    if entry.function:
        found["function"] = entry.function
    return json.dumps(found, separators=(",", ":"))


def _text_part(entry, p):
    if p.reg is None:
        return {"window": entry.window.removeprefix("window "), "offset": entry.offset_of(p)}
    found = {"reg": p.reg}
    if p.index is not None:
        found["index"] = p.index
    if p.part is not None:
        found["part"] = p.part
    found |= {"changed" if entry.op == "write" else "fields": {name: value for name, value, _ in p.shown}}
    cleared = [name for name, _, cleared in p.shown if cleared]
    return found | ({"cleared": cleared} if cleared else {})


def _text_events(found, events):
    def valued(kind):
        return [{"name": e.name, "value": exact(e.value)} | ({"means": e.means} if e.means else {}) for e in events if e.kind == kind]

    mistakes = [{"name": e.name, "line": e.line, "source": e.source} for e in events if e.kind == "mistake"]
    for name, value in (("effects", valued("effect")), ("mistakes", mistakes), ("injected", valued("injected"))):
        if value:
            found[name] = value
    for e in events:
        if e.kind in ("irq", "reset"):
            found[e.kind] = e.value if e.kind == "irq" else True
