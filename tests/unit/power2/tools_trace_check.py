#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads p2trace's JSON from standard input and prints what a viewer would make of it.

Fails if it is no JSON, or if an event lacks what the format wants.
"""

import json
import sys


def want(condition, event):
    if not condition:
        sys.exit(f"not a trace event: {event}")


trace = json.load(sys.stdin)
names, threads = {}, {}
for e in trace["traceEvents"]:
    want(e["ph"] in "MXiC" and isinstance(e["pid"], int) and isinstance(e["tid"], int) and isinstance(e["name"], str), e)
    if e["ph"] == "M":
        want(e["name"] in ("process_name", "thread_name"), e)
        if e["name"] == "process_name":
            names[e["pid"]] = e["args"]["name"]
        else:
            threads[e["pid"], e["tid"]] = e["args"]["name"]
        continue
    want(isinstance(e["ts"], (int, float)) and e["ts"] >= 0, e)
    process = names[e["pid"]]
    where = f"{process}, {threads.get((e['pid'], e['tid']))}"
    if e["ph"] == "X":
        want(e["dur"] >= 0 and isinstance(e["args"], dict), e)
        print(f"{where}: {e['name']} {e['ts']:.3f}-{e['ts'] + e['dur']:.3f} cycles={e['args']['cycles']}")
    elif e["ph"] == "i":
        want(e["s"] == "t" and "args" in e, e)
        text = f" ({e['args']['text']})" if "text" in e["args"] else ""
        print(f"{where}: {e['name']} at {e['ts']:.3f}{text}")
    elif e["name"] == "cycles /us":
        print(f"{process}: {e['name']} {float(e['args']['rate'])} from {e['ts']:.3f}")
