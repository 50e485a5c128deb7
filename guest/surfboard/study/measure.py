# SPDX-License-Identifier: GPL-2.0-or-later
"""measure - one of the paper's programs on shared virtual memory, on nodes that are machines: what each node says, and what must hold.

  said = on_nodes(perfboard, svmbench, 4, "lu --size 128", SHORT, out, args)
  complaints(said), board_complaints(said)
  for finding in findings("lu", drop, words_off, words_on)
  for finding in beside_the_paper("lu", (packets_off, packets_on), (words_off, words_on))
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
            "--device", f"shrimp-sni,slot=1,node={{node}},nodes={{nodes}},fabric=cluster,links=on,cable={cable}", *board,
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
        elif n["rxw"] < n["fetches"] * 1024:
            yield f"node {s['node']}: {n['fetches']} pages fetched, {n['rxw']} words received"
    # A node may have asked before the others began to count.
    if all("fetches" in s for s in said) and not 0 < total(said, "fetches") <= total(said, "dup"):
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


# Tables 1 and 2: packets and words in a packet, without and with combining.
PAPER = {"lu": ((6458, 6452), (35.4, 34.4)), "ocean": ((54477, 33148), (12.4, 20.4)), "radix": ((401789, 394011), (1.0, 1.0))}


def fewer(off, on):
    """Percent."""
    return 100 * (off - on) / off


def beside_the_paper(program, packets, words):
    """At the paper's sizes: how far the counts of the node with the board are from the paper's."""
    paper_packets, paper_words = PAPER[program]
    saved, paper_saved = fewer(*packets), fewer(*paper_packets)
    if program == "lu":  # most of its packets are the protocol's, not the program's
        yield Finding(program, "combining saves fewer than 1 %, as in the paper", saved, abs(saved) < 1)
        number = packets[0] * words[0] / (paper_packets[0] * paper_words[0])
        yield Finding(program, "words, by the paper's: within 15 %", number, abs(number - 1) < 0.15)
        return
    for way, seen, paper in zip(("without combining", "with it"), packets, paper_packets):
        yield Finding(program, f"packets {way}, by the paper's: within 3 %", seen / paper, abs(seen / paper - 1) < 0.03)
    yield Finding(program, "what combining saves, by the paper's: within a fifth", saved / paper_saved, abs(saved / paper_saved - 1) < 0.2)
    for way, seen, paper in zip(("without combining", "with it"), words, paper_words):
        yield Finding(program, f"words in a packet {way}, by the paper's: within 15 %", seen / paper, abs(seen / paper - 1) < 0.15)
