# SPDX-License-Identifier: GPL-2.0-or-later
"""perturbation - what a way of measuring does to the program, and how far its answer is from the truth.

  runs(columns)        for measure.py
  table(runs)          a row (HEADER) for each run; of runs with the same columns the first is without a measurement: the truth
  complaints(rows)     what does not hold that should

The program's questions: how long does a row take (the median), and which share of the time do the threads wait at the barrier? Each way
answers from what it has recorded itself.
"""

import statistics

import measure
from measure import BARRIER, ENTER, ROW

HEADER = ["columns", "way", "events", "instructions", "per_event", "program_per_event", "stretch_percent", "row_ns", "row_error_percent", "wait_percent",
          "wait_error_points", "lost"]
NONE, CARD = "none", "card"
CALLS = ("marker", "write")


def runs(columns):
    return [(way, n) for n in columns for way in [NONE] + measure.WAYS]


def spans(thread, state):
    """Times between entering a state and leaving it."""
    mine = [(time, kind) for time, kind, which in thread if which == state]
    return [left - entered for (entered, kind), (left, _) in zip(mine, mine[1:]) if kind == ENTER]


def row_ns(threads):
    return statistics.median(span for thread in threads for span in spans(thread, ROW))


def wait_percent(threads):
    """Of the time from the first event to the last, on the average of the threads."""
    first, last = min(thread[0][0] for thread in threads), max(thread[-1][0] for thread in threads)
    return 100 * sum(sum(spans(thread, BARRIER)) for thread in threads) / (len(threads) * (last - first))


def table(runs):
    rows, plain = [], None
    for run in runs:
        if run.way == NONE and (not plain or plain.columns != run.columns):
            plain = run
        told = run.true if run.way == NONE else run.seen
        events = sum(map(len, run.true))
        more = run.instructions - plain.instructions
        answers = [row_ns(told), wait_percent(told)] if told else ["", ""]
        truth = [row_ns(plain.true), wait_percent(plain.true)]
        errors = [100 * (answers[0] / truth[0] - 1), answers[1] - truth[1]] if told else ["", ""]
        rows.append(dict(zip(HEADER, [run.columns, run.way, events, run.instructions, f"{more / events:.1f}",
                                      f"{(run.program - plain.program) / events:.1f}", f"{100 * more / plain.instructions:.2f}",
                                      *(shown(number) for pair in zip(answers, errors) for number in pair),
                                      events - sum(map(len, run.seen or [])) if run.way != NONE else 0])))
    return rows


def shown(number):
    return number if number == "" else f"{number:.2f}"


def complaints(rows):
    """A call of the kernel is seen in the threads' waiting, too. What is less is not: the truth itself is off by the timer's interrupts."""
    for columns in dict.fromkeys(row["columns"] for row in rows):
        mine = [row for row in rows if row["columns"] == columns and row["way"] != NONE]
        for row in mine:
            if int(row["lost"]):
                yield f"{columns} columns: {row['way']}: {row['lost']} of {row['events']} events are lost"
        card = next(row for row in mine if row["way"] == CARD)
        for row in mine:
            for name, text, ways in (("stretch_percent", "stretches the run", measure.WAYS), ("row_error_percent", "is wrong about a row", measure.WAYS),
                                     ("wait_error_points", "is wrong about waiting", CALLS)):
                known = "" not in (row[name], card[name])
                if row is not card and row["way"] in ways and known and abs(float(row[name])) <= abs(float(card[name])):
                    yield f"{columns} columns: {row['way']} {text} by {row[name]}, not more than the card by {card[name]}"
