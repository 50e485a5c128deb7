# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of a board's mutants: changes of one place of its model (hw/BOARD) that compile and that a test should see.

Each kind of change has a rule that finds all places of the sources where it can be made. The list takes one of each kind in turn, in an order by chance
that is the same for the same sources, until there are as many as are wanted.
"""

import os
import random
import re
from collections import Counter
from dataclasses import dataclass

MOST_OF_LINE = 2
NO_MODEL = re.compile(r"^(print_|manual_)")  # what is in the manual page's text alone
FIELD = re.compile(r'\{"\w+", (\d+), (\d+), (?:Access::)?(rw|ro|wo|w1c|wa|reserved), ([^,]+),')
OTHER_ACCESS = {"rw": "ro", "ro": "rw", "wo": "rw", "w1c": "rw", "wa": "ro", "reserved": "rw"}
LEAST_BYTES = re.compile(r", ([124]), k\w+Fields?,")
ROW = re.compile(r'\s*\{"[\w.]+"(, .*)\},?$')
LIST_ROW = re.compile(r"[A-Z]\w*\((.*)\)$")
EXCHANGED = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "}
JOINED = {" && ": " || ", " || ": " && "}
COMPUTED = {" + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / ", " & ": " | ", " | ": " & ", " << ": " >> ", " >> ": " << ",
            " += ": " = ", " -= ": " += ", " |= ": " = ", " &= ": " |= ", " ^= ": " |= ", "++": "--", "--": "++"}
STATEMENT = re.compile(r"\s*([\w:.>\-\[\]*]+ [|&^+\-]?= .*;|[\w:.>\-]+\(.*\);|[\w:.>\-\[\]]+(\+\+|--);|(\+\+|--)[\w:.>\-\[\]]+;)$")
CHECK = re.compile(r"\bcheck\.(in|bits|flag|is|that)\(")  # of a snapshot (hw/model/state_check.h)
NO_STATEMENT = re.compile(r"\s*(return|using|static_assert|throw|delete)\b")


@dataclass(frozen=True)
class Mutant:
    kind: str
    path: str    # in the tree
    line: int    # from 1
    column: int  # from 0
    old: str
    new: str

    def apply(self, text):
        lines = text.split("\n")
        there = lines[self.line - 1]
        assert there[self.column:].startswith(self.old)
        lines[self.line - 1] = there[:self.column] + self.new + there[self.column + len(self.old):]
        return "\n".join(lines)

    def describe(self, text):
        there = text.split("\n")[self.line - 1]
        return f"{self.path}:{self.line}: {self.kind}: {there.strip()}  ->  {self.apply(text).split(chr(10))[self.line - 1].strip()}"


def blanked(text):
    """The text with as many blanks for each comment, and dots for what a literal has between its quotes."""
    def blank(found):
        word = found[0]
        if word[0] == '"':
            return '"' + "." * (len(word) - 2) + '"'
        return re.sub(r"[^\n]", " ", word)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def closing(line, at):
    """Where the parenthesis that opens there closes, or -1: on another line."""
    depth = 0
    for i in range(at, len(line)):
        depth += (line[i] in "([{") - (line[i] in ")]}")
        if depth == 0:
            return i
    return -1


def arguments(line, at, shown):
    """[(column, text)] of a call's arguments, whose parenthesis opens there."""
    found, depth, begin = [], 0, at + 1
    for i in range(at, len(line)):
        depth += (line[i] in "([{") - (line[i] in ")]}")
        if (line[i] == "," and depth == 1) or depth == 0:
            word = shown[begin:i]
            found.append((begin + len(word) - len(word.lstrip()), word.strip()))
            begin = i + 1
        if depth == 0:
            return found
    return []


def more(column, word):
    """One more than what the word says is the most."""
    return column, word, f"({word}) + 1" if " ? " in word else word + " + 1"


def in_table(line):
    """Whether it is of a table of registers or fields (hw/model/register.h)."""
    return FIELD.search(line) or LEAST_BYTES.search(line)


# --- rules: each yields (kind, column, old, new) ------------------------------------------------------------

def in_tables(line):
    """A field's access, reset value and bits; the narrowest write that a register takes."""
    for field in FIELD.finditer(line):
        msb, lsb, access, reset = field.groups()
        yield "access", field.start(3), access, OTHER_ACCESS[access]
        if access not in ("wo", "reserved"):
            yield "reset", field.start(4), reset, hex(int(reset, 0) ^ 1) if re.fullmatch(r"0x[\da-fA-F]+|\d+", reset) else f"({reset}) ^ 1"
        if int(msb) > int(lsb):
            yield "width", field.start(1), msb, str(int(msb) - 1)
            yield "width", field.start(2), lsb, str(int(lsb) + 1)
    for least in LEAST_BYTES.finditer(line):
        yield "lane", least.start(1), least[1], "4" if least[1] != "4" else "1"


def in_rows(line, shown, below):
    """A row does what the row below does; or nothing besides."""
    row, other = ROW.match(shown), ROW.match(below)
    if other and other[1] != row[1] and not in_table(below):
        yield "row", row.start(1), row[1], other[1]
    for column, word in arguments(line, line.index("{"), shown)[2:]:
        if re.fullmatch(r"(?!k[A-Z]|nullptr|true|false)[a-z]\w+", word):
            yield "row", column, word, "nullptr"


def in_list(line, shown, is_state):
    """A list's row (*.def): two of its words change places. Of a member's row, what is legal."""
    if not LIST_ROW.match(line.strip()):
        return
    words = arguments(line, line.index("("), shown)
    if is_state:
        if len(words) >= 4:
            yield "range", *more(*words[-1])
        return
    for (column, word), (next_column, after) in zip(words[1:], words[2:]):
        if word != after and re.match(r"\w", word) and re.match(r"\w", after):
            yield "row", column, shown[column:next_column + len(after)], f"{after}, {word}"


def in_checks(line, shown):
    """What is legal in a snapshot."""
    for call in re.finditer(r"\b(?:check\.)?(in|bits|flag|is|that)\(\"", line):
        words = arguments(line, call.end() - 2, shown)
        if call[1] == "in" and len(words) > 3:
            yield "range", *more(*words[3])
        elif call[1] == "bits" and len(words) > 2:
            yield "range", words[2][0], words[2][1], "~uint64_t{0}"
        elif words and line.endswith(");"):
            yield "range", call.start(), shown[call.start():], ";"


def in_code(line, shown):
    """Of a line's code; shown: the line with its literals."""
    for kind, table in (("comparison", EXCHANGED), ("logic", JOINED), ("arithmetic", COMPUTED)):
        for old, new in table.items():
            for found in re.finditer(re.escape(old), line):
                yield kind, found.start(), old, new
    for found in re.finditer(r"\b(?:if|while) \(", line):
        end = closing(line, found.end() - 1)
        if end > 0 and ";" not in line[found.end():end] and " = " not in line[found.end():end]:
            yield "condition", found.end(), shown[found.end():end], f"!({shown[found.end():end]})"
    for found in re.finditer(r"(?<![\w.'])(0x[\da-fA-F]+|\d+)(?![\w.'])", line):
        yield "number", found.start(), found[0], hex(int(found[0], 16) + 1) if "x" in found[0] else str(int(found[0]) + 1)
    for found in re.finditer(r"\btrue\b|\bfalse\b", line):
        yield "truth", found.start(), found[0], "false" if found[0] == "true" else "true"
    for found in re.finditer(r"!(?=[\w(])", line):
        yield "truth", found.start(), "!", ""
    if STATEMENT.match(line) and not NO_STATEMENT.match(line):
        at = len(line) - len(line.lstrip())
        yield "statement", at, shown[at:], ";"


def in_names(line, shown, fields):
    """Another field of the same register; fields: names by the register's."""
    for found in re.finditer(r'\b(?:bits|field)\("', line):
        name = shown[found.end():shown.index('"', found.end())]
        register, _, field = name.partition(".")
        others = fields.get(register, [])
        if field in others and len(others) > 1:
            yield "name", found.end(), name, f"{register}.{others[(others.index(field) + 1) % len(others)]}"


def fields_of(text):
    """{register: names of its fields}, of a header with tables."""
    tables = {}
    for name, body in re.findall(r"\bField (k\w+)\[\] = \{(.*?)\};", text, flags=re.S):
        tables[name] = list(dict.fromkeys(re.findall(r'\{"(\w+)", \d+, \d+, ', body)))
    return {register: tables.get(table, []) for register, table in re.findall(r'\{"(\w+)", [^,]+, [^,]+, (k\w+),', text)}


# --- the list ---------------------------------------------------------------------------------------------

def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def sources(root, board):
    """{path: text} of the model's."""
    folder = os.path.join(root, "hw", board)
    names = sorted(n for n in os.listdir(folder) if n.endswith((".cc", ".h", ".def")) and not NO_MODEL.match(n))
    return {f"hw/{board}/{n}": read(os.path.join(folder, n)) for n in names}


def of_file(path, text, fields):
    name = os.path.basename(path)
    shown, code = text.split("\n"), blanked(text).split("\n")
    function = ""  # whose body the line is in
    for i, line in enumerate(code):
        if line and not line[0].isspace():
            begun = line.endswith("{") and re.search(r"(\w+)\(", line)
            function = begun[1] if begun else ""
        if not line.strip() or line.lstrip().startswith("#") or "static_assert" in line:
            continue
        below = shown[i + 1] if i + 1 < len(shown) else ""
        line, with_literals = line.rstrip(), shown[i][:len(line.rstrip())]
        if name.endswith(".def"):
            found = in_list(line, with_literals, name == "state.def")
        elif in_table(with_literals):
            found = in_tables(with_literals)
        elif ROW.match(with_literals):
            found = in_rows(line, with_literals, below)
        elif name == "state_ok.cc" or CHECK.search(line):
            found = in_checks(line, with_literals)
        else:
            found = [*in_code(line, with_literals), *in_names(line, with_literals, fields)]
        for kind, column, old, new in found:
            if kind not in ("range", "row", "width", "access", "reset", "lane") and name != "view.cc":
                if "inject" in name or "inject" in line.lower() or "inject" in function:
                    kind = "injection"
                elif re.search(r"\b(lanes?|byte)\b", line):
                    kind = "lane"
            yield Mutant(kind, path, i + 1, column, with_literals[column:column + len(old)], new)


KINDS = ["access", "reset", "width", "row", "lane", "range", "injection", "comparison", "condition", "logic", "arithmetic", "number", "name", "truth",
         "statement"]


def of_board(root, board, count):
    """(the list, how many there could be)."""
    texts = sources(root, board)
    fields = {}
    for text in texts.values():
        fields |= fields_of(text)
    by_kind = {kind: [] for kind in KINDS}
    for path, text in texts.items():
        for mutant in of_file(path, text, fields):
            by_kind[mutant.kind].append(mutant)
    possible = sum(map(len, by_kind.values()))
    for kind, found in by_kind.items():
        random.Random(f"{board} {kind}").shuffle(found)
    chosen, of_line = [], Counter()
    while any(by_kind.values()) and len(chosen) < count:
        for found in by_kind.values():
            if found and len(chosen) < count:
                mutant = found.pop()
                of_line[mutant.path, mutant.line] += 1
                if of_line[mutant.path, mutant.line] <= MOST_OF_LINE:
                    chosen.append(mutant)
    return sorted(chosen, key=lambda m: (m.path, m.line, m.column, m.new)), possible, texts
