# SPDX-License-Identifier: GPL-2.0-or-later
"""From --board, --device, --log ... to QEMU's -device words.

--board NAME[,PROPERTY=VALUE...] knows what else a board needs (hw/boards), and which slot or node is free.
"""

from workbench import Refused

from .boards import BOARDS, PROFILER, WITHOUT_REGISTERS

NUMBERS = {"slot": range(1, 16), "node": range(256)}  # that a board may be told by; slots are those of an EISA machine


def properties(word):
    """(name, {property: value}) of a word of -device; a comma in a value is doubled."""
    name, *rest = [w.replace("\0", ",,") for w in word.replace(",,", "\0").split(",")]
    return name, {key: value for key, _, value in (w.partition("=") for w in rest)}


def text(name, values):
    return ",".join([name, *(f"{key}={value}" if value else key for key, value in values.items())])


def escaped(value):
    """As QEMU's options have a comma."""
    return value.replace(",", ",,")


def board_of(word, buses):
    name = word.split(",")[0]
    here = [b for b in BOARDS if b.bus in buses]
    for board in here:
        if name in (board.name, board.device):
            return board
    raise Refused(f"--board {word}: legal are {', '.join(b.name for b in here)}, with properties after commas")


def free(what, taken, word):
    for number in NUMBERS[what]:
        if str(number) not in taken:
            return str(number)
    raise Refused(f"--board {word}: no {what} is free")


def devices(words, buses):
    """Words for -device of what --board was given, the bridge first."""
    asked = [(board_of(word, buses), word) for word in words]
    names = {board.name for board, _ in asked}
    for board, _ in asked:
        for need in (board.needs or "").split(","):
            if need and need not in names:
                names.add(need)
                asked.append((board_of(need, buses), need))
    asked.sort(key=lambda pair: _depth(pair[0]))  # who is needed comes first
    made = [(board, word, properties(word)[1]) for board, word in asked]
    return [_word(board, word, own, made) for board, word, own in made]


def _depth(board):
    needed = (board.needs or "").split(",")
    return max((1 + _depth(b) for b in BOARDS if b.name in needed), default=0)


def _word(board, word, own, made):
    default = properties(board.plugged.rpartition(":")[2])[1] if board.plugged else {}
    values = {**default, **own}
    what = board.told_by
    if what and what not in own:
        taken = {v[what] for b, _, v in made if b.told_by == what and what in v}
        values[what] = default[what] if what in default and default[what] not in taken else free(what, taken, word)
    own.update(values)  # so that the next one of its kind gets another place
    return text(board.device, values)


def profiles(word):
    """Whether a word of -device is the board that makes profiles."""
    return word.split(",")[0] == PROFILER.device


def looked_at(words, values):
    """The words of -device, those of boards with more properties. values: {property: value}, with None left out."""
    more = "".join(f",{key}={escaped(value)}" for key, value in values.items() if value is not None)
    boards = {b.device for b in BOARDS if b.device not in WITHOUT_REGISTERS}
    return [word + more if word.split(",")[0] in boards else word for word in words]
