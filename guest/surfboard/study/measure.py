# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - one of the paper's programs on shared virtual memory, on nodes that are machines: what each node says, and what must hold.

  said = on_nodes(perfboard, svmbench, 4, "lu --size 128", SHORT, out, args)
  complaints(said), board_complaints(said)
  for finding in findings("lu", drop, words_off, words_on)
"""

import os
import re
import subprocess
from typing import NamedTuple

# What makes the nodes' drivers trust each other's grants: in a file of the folder of results, which is for its owner alone.
SECRET_FILE, SECRET = "secret", "secret=000102030405060708090a0b0c0d0e0f"
# (the backplane's cable, the Ethernet), ns. Where both are slower, nodes make fewer steps.
LONG = (100_000, 100_000)
SHORT = (0, 10_000)
BOARD = "surfboard,slot=2"
PATIENCE = "1800"  # s: a busy host may take long until all have booted


def keys(console):
    """key=value lines, and the two counts of the SurfBoard if the console shows them."""
    board = re.findall(r"^(TECR|WCDR) [0-9A-F]+ \( (\d+)\.\)$", console, re.M)
    return dict(re.findall(r"^(\w+)=(\S+)$", console, re.M) + board)


def words(perfboard, svmbench, nodes, program, way, out, args, board=("--device", BOARD)):
    cable, latency = way
    return [perfboard, "cluster", "-n", str(nodes), "--lan", f"latency={latency}", "--join", "boot", "--patience", PATIENCE, "--quiet", "--out", out, *args,
            "--add", svmbench, "--add", os.path.join(out, SECRET_FILE) + "=/lib/modules/sni.parameters", "--device", "i82375",
            "--device", f"shrimp-sni,slot=1,node={{node}},nodes={{nodes}},fabric=cluster,cable={cable}", *board,
            "--", f"./{os.path.basename(svmbench)} {program}"]


def on_nodes(perfboard, svmbench, nodes, program, way, out, args, **board):
    """(exit status, what perfboard says, each node's keys)"""
    os.makedirs(out, exist_ok=True)
    with open(os.open(os.path.join(out, SECRET_FILE), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as f:
        f.write(SECRET + "\n")
    done = subprocess.run(words(perfboard, svmbench, nodes, program, way, out, args, **board), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    said = []
    for node in range(nodes):
        with open(f"{out}/node-{node}.console", encoding="utf-8", errors="replace") as f:
            said.append(keys(f.read()))
    return done.returncode, done.stdout, said


def numbers(node):
    return {key: int(value) for key, value in node.items() if value.isdigit()}


def complaints(said):
    """What does not hold, though it must, whatever the program."""
    for s in said:
        n = numbers(s)
        if s.get("result") != "right":
            yield f"node {s.get('node', '?')}: the result is {s.get('result', 'not there')}"
        elif n["ovf"] or n["rxd"] or n["txu"]:
            yield f"node {s['node']}: words were lost: {s}"
        elif not n["fetches"] or n["rxw"] < n["fetches"] * 1024:  # a node may have asked before the others began to count
            yield f"node {s['node']}: {n['fetches']} pages fetched, {n['rxw']} words received"
    if all("fetches" in s for s in said) and total(said, "dup") < total(said, "fetches"):
        yield f"{total(said, 'fetches')} pages fetched, {total(said, 'dup')} deliberate updates"


def board_complaints(said):
    """Where a node's SurfBoard has counted something else than its SNI. Each other node says a word more than once at a barrier: one counts already, or
    still, where the other does not."""
    for s in said:
        packets, counted = int(s["TECR"]) - int(s["rxp"]), int(s["WCDR"]) - int(s["rxw"])
        if not 0 <= packets == counted <= 4 * (len(said) - 1):
            yield f"node {s['node']}: the SurfBoard has {s['TECR']} packets with {s['WCDR']} words, the SNI {s['rxp']} with {s['rxw']}"


def total(said, key):
    return sum(int(s[key]) for s in said)


class Finding(NamedTuple):
    """Something that must hold of a program, and the number that it is about."""
    program: str
    what: str
    number: float
    holds: bool


def drop(fewer, off, on):
    return fewer


def least(fewer, off, on):
    return min(off, on)


def most(fewer, off, on):
    return max(off, on)


def growth(fewer, off, on):
    return on / off


# (what, its number of: how many packets fewer with combining in percent, words in a packet without and with it; does it hold?). The paper's 4.4.2, Tables 1 and 2.
FINDINGS = {
    "lu": (("fewer than 5 % go", drop, lambda n: n < 5), ("more than 10 words in a packet", least, lambda n: n > 10)),
    "radix": (("fewer than 5 % go", drop, lambda n: n < 5), ("fewer than 1.5 words in a packet", most, lambda n: n < 1.5)),
    "ocean": (("20 to 60 % go", drop, lambda n: 20 <= n <= 60), ("more than 5 words in a packet", least, lambda n: n > 5),
              ("packets are larger with combining", growth, lambda n: n > 1)),
}


def findings(program, *numbers_of):
    for what, number_of, holds in FINDINGS[program]:
        number = number_of(*numbers_of)
        yield Finding(program, what, number, holds(number))
