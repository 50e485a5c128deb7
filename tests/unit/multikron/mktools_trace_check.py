#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a trace in Chrome's format from standard input and prints what a viewer would make of it.

Fails if it is no JSON, if an event lacks what the format wants, or if slices do not nest.
"""

import json
import sys


def want(condition, event):
    if not condition:
        sys.exit(f"not a trace event: {event}")


trace = json.load(sys.stdin)
names, threads, open_slices = {}, {}, {}
for e in trace["traceEvents"]:
    want(e["ph"] in "MBEiC" and isinstance(e["pid"], int) and isinstance(e["name"], str), e)
    if e["ph"] == "M":
        if e["name"] == "process_name":
            names[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            threads[e["pid"], e["tid"]] = e["args"]["name"]
        continue
    want(isinstance(e["ts"], (int, float)), e)
    where = names[e["pid"]]
    if e["ph"] in "BE":
        stack = open_slices.setdefault((e["pid"], e["tid"]), [])
        where += ", " + threads[e["pid"], e["tid"]]
        if e["ph"] == "B":
            want(not stack or stack[-1][1] <= e["ts"], e)
            stack.append((e["name"], e["ts"]))
        else:
            want(stack and stack[-1][0] == e["name"] and stack[-1][1] <= e["ts"], e)
            start = stack.pop()[1]
            notes = ("" if e["args"]["exited"] else " open") + (" lossy" if e["args"]["lost_samples"] else "")
            print(f"{where}: {e['name']} {start:.3f}-{e['ts']:.3f} depth {len(stack)}{notes}")
    elif e["ph"] == "i":
        want(e["s"] in "gpt", e)
        print(f"{where}: {e['name']} at {e['ts']:.3f}")
    else:
        print(f"{where}: {e['name']} = {e['args']['value']:g} from {e['ts']:.3f}")
for key, stack in open_slices.items():
    want(not stack, (key, stack))
