# SPDX-License-Identifier: GPL-2.0-or-later
"""others - what a MULTIKRON event costs the program that records it, and the models' own speed."""

import json
import os
import re
import shlex

from . import children, timing

# What mkcost calls the ways to record an event.
WAYS = {
    "mk_trace": "MK_TRACE: a store to MULTIKRON's sample page",
    "mk_resource": "MK_RESOURCE: with the 16 counters",
    "mk_filtered": "MK_TRACE that the filter discards",
    "mk_count": "MK_COUNT: a software count",
    "pipe": "write(2) of 16 bytes to a pipe",
    "trace_marker": "write(2) of 16 bytes to ftrace's trace_marker",
}
# What a table of the models' speed calls the benchmarks of tests/bench/models.cc.
MODELS = {
    "surf_packet_counted/words": "surf_packet, word count",
    "surf_packet_counted/trace": "surf_packet, word count and trace",
    "sni_bus_write_word/combining": "sni_bus_write, combining",
    "sni_bus_write_word/not_combining": "sni_bus_write, a packet each",
    "sni_bus_read_idle": "sni_bus_read",
    "cache_load_span/level_1/4096": "cache_load, hit in level 1",
    "cache_load_span/level_2/131072": "cache_load, hit in level 2",
    "cache_load_span/bus/4194304": "cache_load, miss",
    "trace": "mk_write, a trace sample and its 16 elements",
    "trace_discarded": "mk_write, a trace sample that the filter discards",
    "trace_overrun": "mk_write, a trace sample that overruns",
    "resource": "mk_write, a resource sample and its 80 elements",
    "external_fifo": "mk_write, a trace sample behind a full external FIFO",
    "p2_block/4": "machine_run, a block of 4 integer instructions",
    "p2_block/64": "machine_run, a block of 64",
    "p2_body/daxpy": "machine_run, the body of a loop, 19 instructions, half of them floating-point",
    "p2_body/roots": "machine_run, 16 square roots that wait for each other",
    "p2_settling/daxpy": "machine_run, the loop from an empty pipeline until its pipelines repeat",
}


def event_costs(root, build, image):
    """Instructions under icount, host time without."""
    costs = {}
    for unit, options in (("instructions", ["--icount", "4"]), ("ns", ["--append", timing.CLOCK])):
        words = [os.path.join(root, "scripts", "guest-run"), "--quiet", "--initramfs", image, "--device", "multikron",
                 "--plugin", os.path.join(build, "perfboard.so")] + options + ["--", "mkcost 20000 5"]
        done = children.run(words)
        found = dict(re.findall(r"^ns_per_event_(\w+)=([\d.]+)$", done.stdout, re.M))
        if done.returncode or not WAYS.keys() <= found.keys():
            raise children.Failed(f"{shlex.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        costs[unit] = {way: float(found[way]) / (16 if unit == "instructions" else 1) for way in WAYS}
    print("\nAn event, as the program in the guest sees it: instructions, and the host's time (least of 5 rounds of 20000)\n")
    print(f"{'instructions':>13}{'host ns':>9}")
    for way, text in WAYS.items():
        print(f"{costs['instructions'][way]:13.1f}{costs['ns'][way]:9.0f}  {text}")


def models(build):
    print("\nThe models by themselves, CPU time\n")
    print(f"{'ns':>8}{'M/s':>9}")
    for name in ("bench-models", "bench-multikron", "bench-power2-machine"):
        path = os.path.join(build, "tests", "bench", name)
        if not os.path.exists(path):
            raise children.Failed(f"{path} was not built: install libbenchmark-dev, then meson setup --reconfigure")
        children.say(name)
        done = children.run([path, "--benchmark_format=json", "--benchmark_repetitions=5"])
        if done.returncode:
            raise children.Failed(f"{path}: status {done.returncode}\n{done.stderr}")
        for b in json.loads(done.stdout)["benchmarks"]:
            if b.get("error_occurred"):
                raise children.Failed(f"{b['name']}: {b['error_message']}")
            if b.get("aggregate_name") == "median":
                print(f"{b['cpu_time']:8.1f}{1e3 / b['cpu_time']:9.1f}  {MODELS[b['run_name']]}")
