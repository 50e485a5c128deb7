#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `perfboard coverage --html` in a real browser (Debian's chromium, without a screen): what a reader sees of it."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = os.environ.get("PERFBOARD_ROOT") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
GOLDEN = os.path.join(ROOT, "tests/unit/inspect/coverage.json")


class Rows(html.parser.HTMLParser):
    """rows: of those that are shown, (class, status, kind, name, count, meaning, source); title; told: what #told says."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.title, self.told, self.nav = [], "", "", None
        self.cells, self.into = None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "tr" and "class" in a:
            self.cells = None if "hidden" in a else [a["class"]]
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


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = shutil.which("chromium")
        if not cls.browser:
            raise RuntimeError("chromium is not there: scripts/setup test installs it")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the browser's helpers end a moment after it
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.page = os.path.join(self.folder, "page.html")

    def make(self, *words):
        subprocess.run([sys.executable, os.path.join(ROOT, "scripts/perfboard"), "coverage", "--html", self.page, *words],
                       check=True, stdout=subprocess.DEVNULL, timeout=600)
        with open(self.page, encoding="utf-8") as f:
            return f.read()

    def browse(self, *words, address=""):
        return subprocess.run([self.browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               "--disable-background-networking", "--user-data-dir=" + os.path.join(self.folder, "profile"),
                               *words, "file://" + self.page + address],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600, cwd=self.folder).stdout

    def rows(self, address="", script=""):
        """The page as it is after its own script, and then this one."""
        if script:
            with open(self.page, encoding="utf-8") as f:
                text = f.read()
            with open(self.page, "w", encoding="utf-8") as f:
                f.write(text.replace("</body>", f"<script>{script}</script></body>"))
        return Rows(self.browse("--dump-dom", address=address).decode())

    def names(self, seen):
        return [f"{r[2]} {r[3]}" for r in seen.rows]

    def test_all_of_it(self):
        text = self.make(GOLDEN)
        seen = self.rows()
        with open(GOLDEN, encoding="utf-8") as f:
            items = json.load(f)["boards"]["fake"]
        wanted = {f"{i['kind']} {i['name']}" for i in items if i["kind"] not in ("mistake", "narrow", "nothing") or i["count"]}
        self.assertEqual(set(self.names(seen)), wanted)
        self.assertEqual(len(seen.rows), len(wanted))
        self.assertEqual((seen.title, seen.told, seen.nav), ("Coverage of fake", "29 of 29", True))
        self.assertEqual(self.names(seen)[:3], ["mistake kicked-twice", "narrow DATA", "read CTRL.MODE"])  # what is to be done first
        of = {f"{r[2]} {r[3]}": r for r in seen.rows}
        self.assertEqual(of["cleared STAT.DONE"],
                         ["missing", "not covered", "cleared", "STAT.DONE", "0", "Doneread as 1 once, never cleared", "p. 2"])
        self.assertEqual(of["read CTRL.EN"], ["yes", "covered", "read", "CTRL.EN", "1", 'Enable "it" <now>', "p. 1"])
        self.assertIn("CTRL.EN=1 (0)", of["sequence start"][5])
        self.assertNotRegex(text, r"https?:|\bsrc=|\bhref=|url\(|@import")  # nothing from outside

    def test_without_its_script(self):
        text = self.make(GOLDEN)
        with open(self.page, "w", encoding="utf-8") as f:
            f.write(re.sub(r"<script>.*</script>", "", text, flags=re.S))
        seen = self.rows()
        self.assertEqual((len(seen.rows), seen.nav), (29, False))

    def test_filter_in_the_address(self):
        self.make(GOLDEN)
        seen = self.rows("#q=ctrl+mode&show=missing")
        self.assertEqual(self.names(seen), ["read CTRL.MODE", "written CTRL.MODE", "value CTRL.MODE=0", "value CTRL.MODE=2"])
        self.assertEqual(seen.told, "4 of 29")
        self.assertEqual(self.names(self.rows("#show=fault")), ["mistake kicked-twice", "narrow DATA"])
        self.assertEqual(self.names(self.rows("#show=nonsense&sort=nonsense&q=kick")),
                         ["mistake kicked-twice", "written KICK.GO", "sequence start", "effect kicked"])

    def test_typed_and_clicked(self):
        self.make(GOLDEN)
        script = """q.value = 'stat'; q.dispatchEvent(new Event('input'));
            show.value = 'yes'; show.dispatchEvent(new Event('change'));
            const press = n => document.querySelector('th[data-sort=' + n + '] button').click();
            press('kind'); press('kind'); document.title = location.hash;"""
        seen = self.rows(script=script)
        self.assertEqual(self.names(seen), ["value STAT.SIZE=1", "set STAT.DONE", "read STAT.SIZE", "read STAT.DONE"])
        self.assertEqual(seen.title, "#q=stat&show=yes&sort=-kind")

    def test_sorted_by_number(self):
        items = [{"kind": "read", "name": f"A.B{n}", "count": n, "text": "", "source": ""} for n in (9, 10, 2**63, 2**63 + 1, 100)]
        path = os.path.join(self.folder, "c.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"perfboard-coverage": 1, "boards": {"a": items, "b": items[:2]}}, f)
        self.make(path)
        self.assertEqual([r[4] for r in self.rows("#sort=-count").rows],
                         [str(2**63 + 1), str(2**63), "100", "10", "9", "10", "9"])  # each board's table by itself

    def test_ignored_with_its_reason(self):
        path = os.path.join(self.folder, "reasons")
        with open(path, "w", encoding="utf-8") as f:
            f.write("fake: read MASK.DONE: it is <b>known</b>\n")
        self.make("--ignore", path, GOLDEN)
        seen = self.rows("#show=ignored")
        self.assertEqual(seen.rows, [["ignored", "ignored", "read", "MASK.DONE", "0", "Doneignored: it is <b>known</b>", "p. 3"]])

    def test_texts_are_texts(self):
        evil = "</td></table><script>document.title = 'evil'</script><img onerror=\"document.title = 'evil'\" src=x>{title}&amp;"
        path = os.path.join(self.folder, "c.json")
        item = {"kind": "sequence", "name": evil, "count": 0, "steps": [[evil, 1], [evil, 0]], "text": evil, "source": evil}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"perfboard-coverage": 1, "boards": {evil: [item]}}, f)
        self.make(path)
        seen = self.rows()
        self.assertEqual(seen.title, "Coverage of " + evil)
        self.assertEqual([seen.rows[0][3], seen.rows[0][6]], [evil, evil])

    def corner(self, *words):
        """Colour of the first pixel: in a PNG's first line nothing stands before it that it could be told from."""
        picture = os.path.join(self.folder, "page.png")
        self.browse("--screenshot=" + picture, "--window-size=1200,900", *words)
        with open(picture, "rb") as f:
            data = f.read()
        at, packed = 8, b""
        while at < len(data):
            size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
            at += size + 12
        return tuple(zlib.decompress(packed)[1:4])

    def test_light_and_dark(self):
        self.make(GOLDEN)
        self.assertEqual(self.corner("--blink-settings=preferredColorScheme=1"), (255, 255, 255))
        self.assertEqual(self.corner("--blink-settings=preferredColorScheme=0"), (0x16, 0x18, 0x1B))


if __name__ == "__main__":
    unittest.main()
