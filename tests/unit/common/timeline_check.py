#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a tool's timeline (the trace event format) from standard input and prints what a viewer would make of it, a line each.

Fails if it is no JSON, if an event lacks what the format wants, if slices of a thread overlap without one being in the other, or if an arrow
has not two ends that each lie in a slice, the second not before the first. With arrows the lines are in the order of time, else as they come.
"""

import json
import sys


def want(condition, event):
    if not condition:
        sys.exit(f"not a trace event: {event}")


def told(args):
    """What is so, and what has a value."""
    return "".join(f" {name}" if value is True else f" {name} {value}" for name, value in args.items() if value is not False)


names, threads, sort, open_slices, slices, ends, lines = {}, {}, {}, {}, {}, {}, []
for e in json.load(sys.stdin)["traceEvents"]:
    kind, thread = e["ph"], (e["pid"], e.get("tid"))
    want(kind in "MBEXiCsf" and isinstance(e["pid"], int) and isinstance(e["name"], str), e)
    if kind == "M":
        known, of, what = {"process_name": (names, e["pid"], "name"), "thread_name": (threads, thread, "name"),
                           "process_sort_index": (sort, e["pid"], "sort_index")}[e["name"]]
        known[of] = e["args"][what]
        continue
    at, args = e["ts"], e.get("args", {})
    want(isinstance(at, (int, float)) and at >= 0, e)
    where = names[e["pid"]] + (f", {threads[thread]}" if thread in threads else "")
    if kind in "BE":
        want(thread in threads and thread[1] > 0, e)  # some viewers take thread 0 for another
        stack = open_slices.setdefault(thread, [])
        want(not stack or stack[-1][1] <= at, e)
        if kind == "B":
            stack.append((e["name"], at))
        else:
            want(stack and stack[-1][0] == e["name"], e)
            lines.append((at, f"{where}: {e['name']} {stack.pop()[1]:.3f}-{at:.3f} depth {len(stack)}{told(args)}"))
    elif kind == "X":
        want(thread in threads and thread[1] > 0 and e["dur"] >= 0, e)
        slices.setdefault(thread, []).append((at, round(at + e["dur"], 3)))
        lines.append((at, f"{where}: {e['name']} {at:.3f}-{at + e['dur']:.3f}{told(args)}"))
    elif kind == "i":
        want(e["s"] in "gpt", e)
        lines.append((at, f"{where}: {e['name']} at {at:.3f}{told(args)}"))
    elif kind == "C":
        lines.append((at, f"{names[e['pid']]}: {e['name']} = {', '.join(f'{value:g}' for value in args.values())} from {at:.3f}"))
    else:
        want(e["bp"] == "e" and (e["id"], kind) not in ends and any(begin <= at < end for begin, end in slices[thread]), e)
        ends[e["id"], kind] = at, where
want(not any(open_slices.values()), open_slices)
for number, kind in ends:
    want((number, "s") in ends and (number, "f") in ends, number)
    if kind == "f":
        (begin, sender), (end, receiver) = ends[number, "s"], ends[number, "f"]
        want(begin <= end, number)
        lines.append((end, f"{sender} -> {receiver}: {begin:.3f} to {end:.3f}"))
for thread, spans in slices.items():
    spans.sort(key=lambda span: (span[0], -span[1]))
    for (begin, end), (after, last) in zip(spans, spans[1:]):
        want(after >= end or last <= end, thread)
if ends:
    lines.sort(key=lambda line: line[0])
    print(", ".join(names[pid] for pid in sorted(names, key=sort.get)))
for _, line in lines:
    print(line)
