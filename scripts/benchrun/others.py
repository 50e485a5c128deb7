# SPDX-License-Identifier: GPL-2.0-or-later
"""others - the models' own speed, and what else a board's rows.py measures, in a guest and on the host."""

import json
import os

from . import children, rows


def linux(root, build, image):
    for board in rows.OF_BOARDS:
        board.more(root, build, image)


def models(build):
    print("\nThe models by themselves, CPU time\n")
    print(f"{'ns':>8}{'M/s':>9}")
    for name, texts in (board.MODELS for board in rows.OF_BOARDS if board.MODELS):
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
                print(f"{b['cpu_time']:8.1f}{1e3 / b['cpu_time']:9.1f}  {texts[b['run_name']]}")
    for host in (board.host for board in rows.OF_BOARDS if board.host):
        host(build)
