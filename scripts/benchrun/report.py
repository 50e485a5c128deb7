# SPDX-License-Identifier: GPL-2.0-or-later
"""report - the table, as text or for a page, and the picture; the models' own speed."""

import json
import os
import re
import statistics
import subprocess

from workbench.output import Output

from . import children, rows, timing


def first_line(words):
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def machine(qemu):
    with open("/proc/cpuinfo") as f:
        model = re.search(r"^model name\s*: (.*)$", f.read(), re.M)
    return f"{os.cpu_count()} x {model.group(1) if model else os.uname().machine}; {qemu_version(qemu)}"


def qemu_version(qemu):
    return first_line([qemu, "--version"])


def median(values):
    return statistics.median(values) if values else None


def number(value, form):
    return "" if value is None else format(value, form).replace("-0.0", "0.0") if abs(value) < 0.05 else format(value, form)


def verdict(ratio, aim):
    if ratio is None or aim is None:
        return ""
    return "met" if ratio < aim + 0.005 else "missed"


HEAD = ["", "time", "lowest", "highest", "aim", "", "instructions", "aim", "", "an access", "code", "called", ""]


def table(chosen, times, counts):
    """Rows of words. Ratios of time, then of instructions, each with its aim; then what an access costs."""
    def time_ratio(name):
        return 1.0 if name == rows.PLAIN and times.times else median(times.ratios.get(name))

    lines = []
    for row in chosen:
        if row.name not in times.times and row.name not in counts.counts:
            continue
        ratios = times.ratios.get(row.name, [])
        time, of_instructions = time_ratio(row.name), counts.ratio(row.name)
        time_aim = time and row.aim
        count_aim = of_instructions and row.aim
        lines.append([row.name, number(time, ".2f"), number(min(ratios, default=None), ".2f"),
                      number(max(ratios, default=None), ".2f"),
                      number(time_aim, ".2f"), verdict(time, time_aim),
                      number(of_instructions, ".3f"), number(count_aim, ".3f"), verdict(of_instructions, count_aim),
                      number(counts.extra(row.name), ".1f"), number(counts.extra(row.name, lambda c: c.code), ".1f"),
                      number(counts.extra(row.name, lambda c: sum(c.called.values())), ".1f"), row.text])
    return lines


def heading(args, times, counts, qemu):
    text = [machine(qemu)]
    if times.times:
        text.append(f"Time: radix sort of {args.keys} keys in a Linux guest, {times.rounds} rounds of {args.runs} sorts")
    if counts.counts:
        n = counts.accesses()
        text.append("Instructions: radix sort without an operating system" + (f", {n} loads and stores" if n else ""))
    return text


def print_text(chosen, args, times, counts, qemu):
    print("\nRatios to plain TCG: median of time, lowest, highest; instructions of the host. An access: instructions beyond\n"
          "plain TCG's for each load or store of the guest, in translated code and in what that calls")
    print("\n".join(heading(args, times, counts, qemu)) + "\n")
    lines = table(chosen, times, counts)
    filled = [i for i in range(len(HEAD)) if any(line[i] for line in lines)]
    lines = [[line[i] for i in filled] for line in [HEAD] + lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(filled))]
    for line in lines:
        words = [w.rjust(width) for w, width in zip(line[1:-1], widths[1:])]
        print("  ".join([line[0].ljust(widths[0])] + words + [line[-1]]).rstrip())


def made_of(name, extra, code, called):
    return f"{extra} ({code} + {called})" if extra and name != rows.PLAIN else extra


def instruction_cells(row, counts):
    """What a page's line has of instructions: ratio, aim, an access."""
    line = table([row], timing.Results(None), counts)[0]
    _, _, _, _, _, _, ratio, aim, met, extra, code, called, _ = line
    return [ratio, " ".join(filter(None, (aim, met))), made_of(row.name, extra, code, called)]


def print_markdown(chosen, args, times, counts, qemu):
    print("\n| configuration | time: median (lowest–highest) | aim | instructions | aim | an access |")
    print("|---|---|---|---|---|---|")
    for line in table(chosen, times, counts):
        name, time, low, high, time_aim, time_met, ratio, count_aim, count_met, extra, code, called, text = line
        spread = f" ({low}–{high})" if low else ""
        print(f"| {text} | {time}{spread} | {' '.join(filter(None, (time_aim, time_met)))} | {ratio} | "
              f"{' '.join(filter(None, (count_aim, count_met)))} | {made_of(name, extra, code, called)} |")
    print("\n(" + ". ".join(heading(args, times, counts, qemu)) + ".)")


GNUPLOT = """
set terminal pngcairo size 900,480 font "sans,11"
set title "Radix sort in the guest: time as a ratio to plain TCG"
set style fill solid 0.6 border -1
set boxwidth 0.6
set logscale y 2
set yrange [0.9:*]
set ytics (1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16)
set grid ytics
set xtics rotate by -30
set key top left
set xrange [-0.6:{last}.6]
$rows << END
{rows}
END
plot $rows using 0:3:xtic(1) with boxes title "median", \\
     "" using 0:3:4:5 with yerrorbars lc rgb "black" pt 0 title "lowest to highest", \\
     "" using 0:6 with points pt 9 ps 1.5 lc rgb "red" title "aim"
"""


def picture(chosen, times, png):
    lines = []
    for row in chosen:
        if ratios := times.ratios.get(row.name):
            lines.append(f"{row.name} - {median(ratios)} {min(ratios)} {max(ratios)} {row.aim or 'NaN'}")
    if not lines:
        return
    draw(GNUPLOT.format(rows="\n".join(lines), last=len(lines) - 1), png)


def draw(script, png):
    done = subprocess.run(["gnuplot"], input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise children.Failed(f"gnuplot: {done.stderr.decode(errors='replace')}")
    os.makedirs(os.path.dirname(os.path.abspath(png)), exist_ok=True)
    with Output(png) as f:
        f.write(done.stdout)
    print(f"\npicture: {os.path.relpath(png)}")


def models(build):
    """The models' own speed, and what else a board's rows.py measures on the host."""
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
