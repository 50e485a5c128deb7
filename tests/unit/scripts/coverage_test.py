# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard coverage: files added up, the table, the list of what need not be covered, thresholds, and what is refused; and the page of --html in
a real browser (Debian's chromium, without a screen): what a reader sees of it."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import zlib

import pytest

from guestrun.boards import BOARDS
from conftest import PERFBOARD, ROOT, run

GOLDEN = pathlib.Path(ROOT, "tests/unit/inspect/coverage.json")  # hw/inspect/coverage_file.cc prints this


def write(folder, name, text):
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def file_of(folder, boards):
    return write(folder, f"{len(os.listdir(folder))}.json", {"perfboard-coverage": 1, "boards": boards})


def coverage(*words):
    return run(PERFBOARD, "coverage", *words)


def refused(*words, names):
    done = coverage(*words)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("perfboard coverage: "), done.stderr
    for name in names:
        assert name in done.stderr


def board(folder, *items, board="fake"):
    """A file of items (kind, name, count[, steps])."""
    made = [{"kind": i[0], "name": i[1], "count": i[2], "text": "t", "source": "p. 1"} | ({"steps": i[3]} if i[3:] else {})
            for i in items]
    return file_of(folder, {board: made})


def test_table():
    done = coverage(GOLDEN)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines[0] == "fake: 37.0 % covered (10 of 27)"
    for line in ("fields read 3 of 7 42.8 %", "conditions raised 2 of 2 100.0 %", "written KICK.GO never written",
                 "cleared STAT.DONE read as 1 once, never cleared", "serviced DONE raised once, never serviced",
                 "sequence start walked to step 1 of 3; then comes CTRL.EN=1",
                 "mistake kicked-twice once: a kick while it runs (p. 5)",
                 "narrow DATA once: a write of less than 4 bytes, which it ignores (p. 4)"):
        assert line in lines
    assert "value STAT.SIZE=1" not in done.stdout  # covered
    assert "nothing" not in done.stdout
    done = coverage("--all", GOLDEN)
    assert "value     STAT.SIZE=1       1\n" in done.stdout


def test_added_up(folder):
    out = folder / "sum.json"
    assert coverage(GOLDEN, "--merge", out).returncode == 0
    assert out.read_text() == GOLDEN.read_text()
    assert coverage(GOLDEN, out, GOLDEN, "--merge", out).returncode == 0  # into one of them
    items = {(i["kind"], i["name"]): i for i in json.loads(out.read_text())["boards"]["fake"]}
    assert items["read", "CTRL.EN"]["count"] == 3
    assert items["sequence", "start"]["steps"] == [["MASK.DONE=1", 3], ["CTRL.EN=1", 0], ["effect kicked", 0]]
    assert os.listdir(folder) == ["sum.json"]


def test_counts_beyond_53_bits(folder):
    big = board(folder, ("read", "A.B", 2**63 + 1))
    out = folder / "sum.json"
    coverage(big, board(folder, ("read", "A.B", 1)), "--merge", out)
    assert f'"count":{2**63 + 2},' in out.read_text()


def test_boards_of_several_files(folder):
    one, two = board(folder, ("read", "A.B", 0), board="zz"), board(folder, ("read", "A.B", 1), board="aa")
    done = coverage(one, two)
    assert [line for line in done.stdout.splitlines() if line[0] != " "] == ["aa: 100.0 % covered (1 of 1)", "zz: 0.0 % covered (0 of 1)"]
    done = coverage("--board", "aa", "--threshold", "100", one, two)
    assert (done.returncode, done.stdout.count("covered (")) == (0, 1)
    refused("--board", "bb", one, two, names=["--board bb", "aa, zz"])


def test_the_board_under_test_is_first(folder):
    listed = [b.name for b in BOARDS[1:5]]
    file = file_of(folder, {name: [{"kind": kind, "name": "R.A", "count": n, "text": "", "source": ""} for kind, n in counts]
                            for name, counts in zip([*listed, "aa"], ([("read", 0)], [("read", 3), ("effect", 99)], [], [("written", 2), ("read", 2)], []))})
    order = [line.split(":")[0] for line in coverage("--html", folder / "page.html", file).stdout.splitlines() if line[0] != " "]
    assert order == [listed[n] for n in (3, 1, 0, 2)] + ["aa"]  # the last as hw/boards has them, and one that it has not
    assert re.findall(r'<h2 id="(\w+)"', (folder / "page.html").read_text()) == order
    fields = board(folder, *(("read", f"R.F{n}", 1) for n in range(9)), board="zz")  # one access of nine fields
    assert coverage(fields, file).stdout.startswith(listed[3])


def test_threshold(folder):
    f = board(folder, ("read", "A.B", 1), ("written", "A.B", 0), ("written", "A.C", 1))
    for percent, status in (("0", 0), ("66.6", 0), ("66.67", 1), ("100", 1)):
        done = coverage("--threshold", percent, f)
        assert done.returncode == status, percent
        assert ("below the threshold" in done.stderr) == (status == 1)
    # Each board by itself.
    whole = board(folder, *[("read", f"A.B{i}", 1) for i in range(99)], board="other")
    assert coverage("--threshold", "90", f, whole).returncode == 1
    assert coverage("--threshold", "90", whole).returncode == 0
    assert coverage("--threshold", "100", "--only", "read", f).returncode == 0
    for wrong in ("-1", "101", "nan", "many", ""):
        refused(f"--threshold={wrong}", f, names=["--threshold", wrong, "0 to 100"])


def test_never_100_for_less(folder):
    f = board(folder, *[("read", f"A.B{i}", 1) for i in range(9999)], ("read", "A.C", 0))
    assert "fake: 99.9 % covered" in coverage(f).stdout


def test_nothing_to_be_covered_is_all(folder):
    assert "fake: 100.0 % covered (0 of 0)" in coverage(board(folder, ("mistake", "m", 0)), "--threshold", "100").stdout


def test_mistakes_are_no_part_of_it(folder):
    f = board(folder, ("read", "A.B", 1), ("mistake", "m", 2), ("narrow", "A", 1), ("nothing", "slot", 5))
    done = coverage("--threshold", "100", f)
    assert done.returncode == 0
    assert "nothing   slot      5 times: t (p. 1)" in done.stdout
    done = coverage("--forbid-mistakes", f)
    assert (done.returncode, done.stderr) == (1, "perfboard coverage: fake: the driver has made mistakes: 3\n")
    assert coverage("--forbid-mistakes", board(folder, ("mistake", "m", 0), ("nothing", "s", 1))).returncode == 0


def test_enabled_never(folder):
    done = coverage(board(folder, ("raised", "TC", 4), ("enabled", "TC", 0), ("serviced", "TC", 0), ("enabled", "FV", 0),
                                    ("sequence", "s", 0, [["a", 0], ["b", 0]])))
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for line in ("enabled TC raised 4 times, never enabled", "serviced TC raised 4 times, never serviced",
                 "enabled FV never enabled", "sequence s never begun"):
        assert line in lines


def test_ignore(folder):
    f = board(folder, ("read", "A.B", 0), ("read", "A.C", 0), ("read", "B.C", 0), ("written", "A.B", 1))
    reasons = write(folder, "reasons", "# why\n\nfake: read A.*: nobody: asks\nother: read X.Y: of another board\n")
    done = coverage("--ignore", reasons, f, "--all")
    assert "fake: 50.0 % covered (1 of 2; 2 ignored)" in done.stdout
    assert "read      A.B       nobody: asks" in done.stdout
    assert "A.B       never" not in done.stdout
    assert done.stderr == ""
    more = write(folder, "more", "fake: read B.C: as well\nfake: written A.B: it was so once\n")
    done = coverage("--ignore", reasons, "--ignore", more, "--threshold", "100", f)
    assert (done.returncode, done.stderr) == (0, f"perfboard coverage: {more}:2: fake: written A.B is covered; the line can go\n")
    assert "(1 of 1; 3 ignored)" in done.stdout
    assert coverage("--ignore", reasons, "--exact", f).returncode == 0
    assert coverage("--ignore", more, "--exact", f).returncode == 1


def test_ignore_is_refused(folder):
    f = board(folder, ("read", "A.B", 0), ("mistake", "m", 0))
    for line, names in (("fake: read A.X: typo", ["fake has no read A.X"]), ("fake: read a.b: case", ["no read a.b"]),
                        ("fake: mistake m: no", ["'mistake' is no kind", "injection"]), ("fake: read A.B", ["REASON"]),
                        ("fake: read A.B:  ", ["REASON"]), ("nonsense", ["nonsense", "REASON"]),
                        ("fake: read A.: half a name", ["no read A."]), ("fake: read A?B: one character", ["no read A?B"])):
        reasons = write(folder, "reasons", "# one\n" + line + "\n")
        refused("--ignore", reasons, f, names=[f"{reasons}:2: ", *names])
    refused("--ignore", folder / "none", f, names=["--ignore", "No such file"])


def test_only():
    refused("--only", "read,other", GOLDEN, names=["--only", "'other'", "sequence"])
    done = coverage("--only", "read,value", GOLDEN)
    assert "fake: 36.3 % covered (4 of 11)" in done.stdout
    assert "written" not in done.stdout


def test_files_are_refused(folder):
    good = json.loads(GOLDEN.read_text())
    item = good["boards"]["fake"][0]
    refused(folder / "none", names=["none", "No such file"])
    refused(folder, names=[str(folder), "Is a directory"])
    refused(write(folder, "empty", ""), names=["it is empty"])
    refused(write(folder, "v2", {"perfboard-coverage": 2, "boards": {}}), names=["another version"])
    for wrong in ("x", "[]", "{}", "1", '"perfboard-coverage"', '{"perfboard-coverage":1}', "[" * 100000, "\ufeff{}",
                  {"perfboard-coverage": 1, "boards": []}, {"perfboard-coverage": 1, "boards": {"a": 1}},
                  {"perfboard-coverage": 1, "boards": {"a": [1]}},
                  *({"perfboard-coverage": 1, "boards": {"a": [item | change]}} for change in (
                      {"kind": "other"}, {"kind": []}, {"count": -1}, {"count": True}, {"count": 1.0}, {"name": 1},
                      {"text": None}, {"steps": 1}, {"steps": [1]}, {"steps": [["a"]]}, {"steps": [["a", -1]]}))):
        refused(write(folder, "wrong", wrong), names=["this is no file of coverage"])
    (folder / "bytes").write_bytes(b"\xff\xfe")
    refused(folder / "bytes", names=["this is no file of coverage"])
    for change in ({"name": "CTRL.OTHER"}, {"kind": "written"}, {"steps": [["a", 1]]}):
        other = write(folder, "other", {"perfboard-coverage": 1, "boards": {"fake": [item | change] + good["boards"]["fake"][1:]}})
        refused(GOLDEN, other, names=["other", "different versions"])
    refused(GOLDEN, write(folder, "fewer", {"perfboard-coverage": 1, "boards": {"fake": [item]}}), names=["different versions"])


def test_outputs_are_refused():
    for option in ("--html", "--merge"):
        refused(option, "/nowhere/out", GOLDEN, names=["/nowhere/out", "No such file"])


LOG = """    1.000000000 *      -                fake         reset
    2.000000000 cpu0   ffffffffc0000010[my_start+0x10] fake         CTRL <- 00000004 EN=1; kicked
    2.000000010 cpu0   ffffffffc0000010[my_start+0x10] fake         CTRL <- 00000004; 5 times to 2.000000090
    3.000000000 cpu0   ffffffffc0000110[my_irq+0x10] fake         STAT -> 00000002 DONE=1; MISTAKE m (p. 5): a kick
    3.000000001 cpu0   ffffffffc0000114[my_irq+0x14] fake         STAT -> 00000000
    3.000000002 cpu0   ffffffffc0000118 fake         STAT <- 00000002 DONE cleared
    3.000000003 -      -                fake         DATA <- 0001
    3.000000004 -      -                fake         MASK <- 01
    4.000000000 cpu0   ffffffffc0000118[x+0x8] other        CTRL <- 00000004 EN=1
# 12 accesses and events are left out here, from 28.000000900 to 29.100000000: log-size=65536
"""
PLACES = {"read CTRL.EN": "", "written CTRL.EN": "my_start (6)", "value CTRL.EN=1": "my_start (1)", "read STAT.DONE": "my_irq (2)",
          "set STAT.DONE": "my_irq (1)", "cleared STAT.DONE": "ffffffffc0000118 (1)", "value STAT.SIZE=0": "my_irq (2)", "read STAT.SIZE": "my_irq (2)",
          "written MASK.DONE": "", "written DATA.WORD[31:16]": "", "raised DONE": "", "effect kicked": "my_start (1)", "mistake m": "my_irq (1)",
          "narrow DATA": "no instruction (1)"}


def logged(folder):
    """The same run's two files."""
    made = [{"kind": i.split()[0], "name": i.split()[1], "count": 7, "text": "less than 4 bytes", "source": ""} for i in PLACES]
    return write(folder, "run.log", LOG), file_of(folder, {"fake": made})


def placed(*words):
    """{"KIND NAME": places} of what is covered, and of mistakes."""
    found = re.findall(r"^    (\w+) +(\S+) +(?:7 times: less than 4 bytes;|7) *(.*)$", coverage("--all", *words).stdout, flags=re.M)
    return {f"{kind} {name}": text for kind, name, text in found}


def test_places(folder):
    log, file = logged(folder)
    assert placed("--log", log, file) == PLACES
    assert "12 accesses and events are left out" in coverage("--log", log, file).stderr
    # Of JSON every field that an access touches is known.
    lines = [{"ns": 5, "board": "fake", "op": "write", "window": "0", "offset": 0, "bytes": 1, "value": 0, "reg": "MASK", "fields": {"DONE": 0},
              "function": f"f{n}+0x1"} for n in (1, 2, 3, 4, 4)]
    more = write(folder, "more.json", "\n".join(map(json.dumps, lines)))
    assert placed("--log", log, "--log", more, file)["written MASK.DONE"] == "f4 (2), f1 (1), f2 (1), 1 more"


def test_lines_of_the_driver(folder):
    write(folder, "put.h", "static inline void put(volatile int *p, int v) { *p = v; }\n")
    source = write(folder, "my.c", """#include "put.h"
static inline void kick(volatile int *p) {
	put(p, 4);
}
void my_start(volatile int *p) {
	kick(p);
	put(p, 5);
}
""")
    ko = folder / "my.ko"
    assert run("gcc", "-g", "-O2", "-c", source, "-o", ko).returncode == 0
    size = next(int(line.split()[1], 16) for line in run("nm", "-S", ko).stdout.splitlines() if "my_start" in line)
    log = write(folder, "my.log", LOG.replace("my_start", "other") + "".join(
        f"    1.000000000 cpu0   ffffffffc0000010[my_start+{n:#x}] zz         R <- 00000004\n" for n in range(size)))
    own, others = board(folder, ("written", "R.A", 7), board="zz"), board(folder, ("written", "CTRL.EN", 1000))
    text = placed("--log", log, "--module", ko, own)["written R.A"]
    assert "my_start my.c:6 > kick my.c:3 (" in text and "my_start my.c:7 (" in text and "put" not in text
    assert coverage("--log", log, "--module", ko, others, own).stdout.startswith("zz: ")

    refused("--module", ko, GOLDEN, names=["--module", "--log"])
    refused("--log", GOLDEN, GOLDEN, names=["no access log"])
    refused("--log", log, "--module", folder / "none", own, names=["--module", "No such file"])
    refused("--log", logged(folder)[0], "--module", "/bin/true", own, names=["--module /bin/true", "build-module"])
    refused("--log", write(folder, "other.log", LOG.replace("my_start", "other")), "--module", ko, own, names=["no access by one of its functions"])
    assert run("strip", "-g", ko).returncode == 0
    refused("--log", log, "--module", ko, own, names=["debugger's data"])


class Rows(html.parser.HTMLParser):
    """rows: of those that are shown, (class, status, kind, name, count, meaning, source); title; told: what #told says."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.title, self.told, self.nav = [], "", "", None
        self.cells, self.into = None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "tr":
            self.cells = [a["class"]] if "class" in a and "hidden" not in a else None
            if self.cells:
                self.rows.append(self.cells)
        elif tag == "td" and self.cells:
            self.cells.append("")
        elif tag == "nav":
            self.nav = "hidden" not in a
        self.into = tag if tag in ("td", "title") or a.get("id") == "told" else self.into

    def handle_endtag(self, tag):
        self.into = None if tag in ("td", "title", "span", "tr") else self.into

    def handle_data(self, data):
        if self.into == "title":
            self.title += data
        elif self.into == "span":
            self.told += data
        elif self.into == "td" and self.cells:
            self.cells[-1] += data


@pytest.fixture
def page(folder):
    if not shutil.which("chromium"):
        raise RuntimeError("chromium is not there: scripts/setup test installs it")
    return folder / "page.html"


def make(page, *words):
    assert coverage("--html", page, *words).returncode == 0
    return page.read_text()


def browse(page, *words, address=""):
    done = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
               "--disable-background-networking", f"--user-data-dir={page.parent}/profile", *words, f"file://{page}{address}", cwd=page.parent)
    assert done.returncode == 0, done
    return done.stdout


def rows(page, address="", script=""):
    """The page as it is after its own script, and then this one."""
    if script:
        page.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    return Rows(browse(page, "--dump-dom", address=address))


def names(seen):
    return [f"{r[2]} {r[3]}" for r in seen.rows]


def test_all_of_it(page):
    text = make(page, GOLDEN)
    seen = rows(page)
    items = json.loads(GOLDEN.read_text())["boards"]["fake"]
    wanted = {f"{i['kind']} {i['name']}" for i in items if i["kind"] not in ("mistake", "narrow", "nothing") or i["count"]}
    assert set(names(seen)) == wanted
    assert len(seen.rows) == len(wanted)
    assert (seen.title, seen.told, seen.nav) == ("Coverage of fake", "29 of 29", True)
    assert names(seen)[:3] == ["mistake kicked-twice", "narrow DATA", "read CTRL.MODE"]  # what is to be done first
    of = {f"{r[2]} {r[3]}": r for r in seen.rows}
    assert of["cleared STAT.DONE"] == ["missing", "not covered", "cleared", "STAT.DONE", "0", "Doneread as 1 once, never cleared", "p. 2"]
    assert of["read CTRL.EN"] == ["yes", "covered", "read", "CTRL.EN", "1", 'Enable "it" <now>', "p. 1"]
    assert "CTRL.EN=1 (0)" in of["sequence start"][5]
    assert not re.search(r"https?:|\bsrc=|\bhref=|url\(|@import", text)  # nothing from outside


def test_links_to_accesses_and_back(page, folder):
    log, file = logged(folder)
    text = make(page, "--log", log, file)
    links, anchors = (set(re.findall(rf' {kind}="#?([^"]+)"', text)) for kind in ("href", "id"))
    assert links <= anchors
    for one in ("fake:read:STAT.DONE", "fake:mistake:m"):
        assert {one, "at:" + one} <= links
    assert "fake:raised:DONE" not in links
    # One table for items that have the same places.
    table = re.search(r"<caption>[^\n]*STAT.SIZE=0</a> value[^\n]*", text)[0]
    assert "STAT.DONE</a> read, " in table
    assert f'>my_irq<td class="n">2<td class="n">3.000000000<td>{log}:4</tr>' in table
    # A row that the filter hides is shown to whom a link leads there.
    seen = rows(page, "#q=CTRL", """location.hash = '#fake:read:STAT.DONE'; onhashchange(); document.title = rows.filter(r => r.hidden).length;""")
    assert (seen.title, len(seen.rows)) == ("0", len(PLACES))


def test_without_its_script(page):
    text = make(page, GOLDEN)
    page.write_text(re.sub(r"<script>.*</script>", "", text, flags=re.S))
    seen = rows(page)
    assert (len(seen.rows), seen.nav) == (29, False)


def test_filter_in_the_address(page):
    make(page, GOLDEN)
    seen = rows(page, "#q=ctrl+mode&show=missing")
    assert names(seen) == ["read CTRL.MODE", "written CTRL.MODE", "value CTRL.MODE=0", "value CTRL.MODE=2"]
    assert seen.told == "4 of 29"
    assert names(rows(page, "#show=fault")) == ["mistake kicked-twice", "narrow DATA"]
    assert names(rows(page, "#show=nonsense&sort=nonsense&q=kick")) == ["mistake kicked-twice", "written KICK.GO", "sequence start", "effect kicked"]


def test_typed_and_clicked(page):
    make(page, GOLDEN)
    script = """q.value = 'stat'; q.dispatchEvent(new Event('input'));
        show.value = 'yes'; show.dispatchEvent(new Event('change'));
        const press = n => document.querySelector('th[data-sort=' + n + '] button').click();
        press('kind'); press('kind'); document.title = location.hash;"""
    seen = rows(page, script=script)
    assert names(seen) == ["value STAT.SIZE=1", "set STAT.DONE", "read STAT.SIZE", "read STAT.DONE"]
    assert seen.title == "#q=stat&show=yes&sort=-kind"


def test_sorted_by_number(page, folder):
    items = [{"kind": "read", "name": f"A.B{n}", "count": n, "text": "", "source": ""} for n in (9, 10, 2**63, 2**63 + 1, 100)]
    make(page, file_of(folder, {"a": items, "b": items[:2]}))
    assert [r[4] for r in rows(page, "#sort=-count").rows] == [str(2**63 + 1), str(2**63), "100", "10", "9", "10", "9"]  # each board's table by itself


def test_ignored_with_its_reason(page, folder):
    make(page, "--ignore", write(folder, "reasons", "fake: read MASK.DONE: it is <b>known</b>\n"), GOLDEN)
    seen = rows(page, "#show=ignored")
    assert seen.rows == [["ignored", "ignored", "read", "MASK.DONE", "0", "Doneignored: it is <b>known</b>", "p. 3"]]


def test_texts_are_texts(page, folder):
    evil = "</td></table><script>document.title = 'evil'</script><img onerror=\"document.title = 'evil'\" src=x>{title}&amp;"
    item = {"kind": "sequence", "name": evil, "count": 0, "steps": [[evil, 1], [evil, 0]], "text": evil, "source": evil}
    make(page, file_of(folder, {evil: [item]}))
    seen = rows(page)
    assert seen.title == "Coverage of " + evil
    assert [seen.rows[0][3], seen.rows[0][6]] == [evil, evil]


def corner(page, *words):
    """Colour of the first pixel: in a PNG's first line nothing stands before it that it could be told from."""
    picture = page.parent / "page.png"
    browse(page, f"--screenshot={picture}", "--window-size=1200,900", *words)
    data = picture.read_bytes()
    at, packed = 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    return tuple(zlib.decompress(packed)[1:4])


def test_light_and_dark(page):
    make(page, GOLDEN)
    assert corner(page, "--blink-settings=preferredColorScheme=1") == (255, 255, 255)
    assert corner(page, "--blink-settings=preferredColorScheme=0") == (0x16, 0x18, 0x1B)
