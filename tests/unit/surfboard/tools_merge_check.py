#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads traceMerge's timeline from standard input and prints what a viewer would make of it, in the order of time.

Fails if it is no JSON, if an event lacks what the format wants, if slices of a thread overlap without one being in the other, or if
an arrow has not two ends that each lie in a slice, the second not before the first.
"""

import json
import sys


def want(condition, event):
    if not condition:
        sys.exit(f"not a trace event: {event}")


events = json.load(sys.stdin)["traceEvents"]
names, threads, sort, slices, ends, lines = {}, {}, {}, {}, {}, []
ticks = lambda us: round(us * 10)
for e in events:
    want(e["ph"] in "MXsf" and isinstance(e["pid"], int) and e["pid"] > 0 and isinstance(e["name"], str), e)
    if e["ph"] == "M":
        if e["name"] == "process_name":
            want(e["pid"] not in names, e)
            names[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            threads[e["pid"], e["tid"]] = names[e["pid"]] + " " + e["args"]["name"]
        else:
            want(e["name"] == "process_sort_index", e)
            sort[e["pid"]] = e["args"]["sort_index"]
        continue
    want(isinstance(e["ts"], (int, float)) and e["ts"] >= 0 and e["tid"] > 0 and e["cat"] == "packet", e)
    thread, at = (e["pid"], e["tid"]), ticks(e["ts"])
    if e["ph"] == "X":
        slices.setdefault(thread, []).append((at, at + ticks(e["dur"])))
        args = " ".join(f"{name} {value}" for name, value in e["args"].items())
        lines.append((at, f"{threads[thread]}: {e['name']} at {e['ts']:.1f}: {args}"))
    else:
        want(e["bp"] == "e", e)
        want(any(begin <= at < end for begin, end in slices[thread]), e)
        want((e["id"], e["ph"]) not in ends, e)
        ends[e["id"], e["ph"]] = at, threads[thread]
for number, phase in ends:
    want((number, "s") in ends and (number, "f") in ends, number)
    if phase == "f":
        (begin, sender), (end, receiver) = ends[number, "s"], ends[number, "f"]
        want(begin <= end, number)
        lines.append((end, f"{sender} -> {receiver}: {begin / 10:.1f} to {end / 10:.1f}"))
for thread, spans in slices.items():
    spans.sort(key=lambda span: (span[0], -span[1]))
    for (begin, end), (after, last) in zip(spans, spans[1:]):
        want(after >= end or last <= end, thread)
print(", ".join(names[pid] for pid in sorted(names, key=sort.get)))
for _, line in sorted(lines, key=lambda line: line[0]):
    print(line)
