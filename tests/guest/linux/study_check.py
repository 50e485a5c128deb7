# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of studies share. STUDY_test PART OUT: runs the part, small, and looks at what it wrote; PERFBOARD_BUILD: the build folder."""
import csv
import html
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 3)


def study(*folder):
    """The study's program, which finds its modules by itself as a user calls it. They can be imported here from now on."""
    os.environ.pop("PYTHONPATH", None)
    path = os.path.join(ROOT, "guest", *folder)
    sys.path.insert(0, path)
    return os.path.join(path, "run")


def rows_of(out, name):
    with open(os.path.join(out, name + ".csv"), newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def page_of(out):
    with open(os.path.join(out, "index.html"), encoding="utf-8") as f:
        return f.read()


def cells(page):
    """Of each table, rows without the header."""
    for table in re.findall("<table>(.*?)</table>", page, re.S):
        yield [[html.unescape(cell) for cell in re.findall("<td>(.*?)</td>", row)] for row in re.findall("<tr>(.*?)</tr>", table)][1:]


def whole(page, pictures):
    if re.search(r'(src|href)="(?!#)', page) or page.count("<svg") != pictures:
        yield f"the page needs other files, or has not its {pictures} pictures"


def without_way(rows):
    """Cells of a CSV file's rows. The way is in other words on the page."""
    return [[value for key, value in row.items() if key != "way"] for row in rows]


def said_without_way(said, rows):
    way = list(rows[0]).index("way") if "way" in rows[0] else len(rows[0])
    return [row[:way] + row[way + 1:] for row in said]


def fails(lines, text):
    return any(text in line for line in lines)


def test(parts):
    """parts: {name: (the study's words without --out, or none, and what yields complaints of OUT)}"""
    words, check = parts[sys.argv[1]]
    out = sys.argv[2]
    done = subprocess.run([*words, "--out", out]).returncode if words else 0
    wrong = [f"the study's status is {done}"] if done else list(check(out))
    for line in wrong:
        print("FAILED:", line)
    return bool(wrong)
