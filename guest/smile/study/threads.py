# SPDX-License-Identifier: GPL-2.0-or-later
"""threads - locality by threads that move instead of pages: what came of it, and what must show.

  Threads(out, name, start, rounds)    start: "robin", pages round robin and each thread on its own node; "turned", each page at its first user, and each
                                       thread on the next node
  findings(threads, places)            (what, does it hold)
  COLUMNS, rows(found, places)         a table

As many threads stay on each node as there are. So the best fixed places of threads are the best of all orders.
"""

import itertools

import measure

# {start: (the run with each thread on its own node, what it is called, the node where each thread begins)}
STARTS = {"robin": ("round-robin", "round robin", range(measure.NODES)), "turned": ("touched", "first touch, threads turned", (1, 2, 3, 0))}
MORE = {"robin": (), "turned": ("dry", "pages")}  # runs beside that in which threads move
GAIN = 0.8  # of what the best fixed places save
LITTLE = 0.05  # of all accesses: less cannot be told from what learning costs


class Threads:
    def __init__(self, out, name, start, rounds):
        self.name, self.start, self.rounds = name, start, rounds
        own, self.pages, self.begin = STARTS[start]
        runs = ["threads", *MORE[start]]
        self.text = {how: measure.read(out, f"{name}.{how}.text") for how in (own, *(f"{start}-{run}" for run in runs), *(["turned"] if start == "turned" else []))}
        self.intervals = {how: measure.intervals(out, name, f"{start}-{how}") for how in runs}
        # By thread and home: this run's threads were on their own nodes.
        table = self.text[own].split("node x home", 1)[1].splitlines()[1:1 + measure.NODES]
        self.use = [[int(n) for n in row.split()[1:]] for row in table]

    def all(self):
        return sum(map(sum, self.use))

    def remote(self, order):
        """Of a round, with thread k on node order[k]."""
        return self.all() - sum(self.use[thread][node] for thread, node in enumerate(order))

    def least(self):
        return min(map(self.remote, itertools.permutations(range(measure.NODES))))

    def begun(self):
        return self.remote(self.begin)

    def bound(self):
        return measure.bound(self.all(), self.all() - self.least(), self.intervals["threads"])

    def adapted(self, how="threads"):
        """Remote accesses of a round, all rounds' mean, as the monitors count them."""
        return sum(remote for _, remote, _ in self.intervals[how]) / self.rounds

    def watched(self):
        """Of the round in which adapt only looks on."""
        return sum(remote for _, remote, _ in self.intervals["dry"])

    def moved(self, how="threads"):
        return sum(moved for _, _, moved in self.intervals[how])

    def gain(self):
        """Percent; None: there is nothing to save."""
        saves = self.begun() - self.least()
        return 100 * (self.begun() - self.adapted()) / saves if saves >= LITTLE * self.all() else None

    def wrong(self):
        for how, text in self.text.items():
            if "verified=" not in text:
                yield f"{self.name}, {how}: the result is not verified"


def moving_findings(threads, remote):
    """Of threads that are moved; remote: accesses in a round."""
    name, saves = f"{threads.name}, {threads.pages}, threads", threads.begun() - threads.least()
    yield f"{name}: at most {threads.bound():.0f} remote accesses in a round, the bound of hysteresis and learning", remote <= threads.bound()
    if threads.gain() is not None:
        yield f"{name}, moves and mistakes included: save {100 * GAIN:.0f} % or more of what their best fixed places save", threads.begun() - remote >= GAIN * saves


def findings(threads, places):
    name, begun = f"{threads.name}, {threads.pages}", threads.begun()
    yield from moving_findings(threads, threads.adapted())
    if threads.start == "turned":
        yield f"{name}: as many remote accesses as computed, {begun}", measure.round_of(threads.text["turned"]) == begun
        yield f"{name}: monitors count as the program does where nothing moves", threads.watched() == begun
        yield f"{name}: threads that are not moved fail both", threads.gain() is not None and not any(holds for _, holds in moving_findings(threads, threads.watched()))
        yield f"{name}: fewer moves of threads than of pages", 0 < threads.moved() < threads.moved("pages")
    else:
        yield f"{name}: pages that move leave fewer remote accesses than the best places of threads have, {threads.least()}", places.adapted() < threads.least()


COLUMNS = ["program", "pages_begin", "accesses", "begun", "best_threads", "threads_moving", "bound", "gain_percent", "thread_moves", "pages_moving", "page_moves", "best_pages"]


def rows(found, places):
    for name, starts in found.items():
        for threads in starts:
            gain, adapt = threads.gain(), places[name]
            pages = (threads.adapted("pages"), threads.moved("pages")) if threads.start == "turned" else (adapt.adapted(), adapt.moved())
            yield [name, threads.pages, threads.all(), threads.begun(), threads.least(), round(threads.adapted()), round(threads.bound()),
                   "-" if gain is None else f"{gain:.1f}", threads.moved(), round(pages[0]), pages[1], adapt.least()]
