#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""smplot_test FOLDER - smplot, smstudyplot, smtimeline and smwave: tables, pictures, and what they refuse. How a picture looks is for the eye."""
import os
import shutil
import subprocess
import sys
import unittest

from programs import Program

FOLDER = os.path.abspath(sys.argv.pop())
CSV = """# unit 1024
offset,page,source,destination,count
0,0,1,0,5
4096,1,0,1,7
4096,1,2,1,1

4096,1,0,1,10
8192,2,3,2,0
"""


class SmPlot(Program):
    program = os.path.join(FOLDER, "smplot")

    def test_tables(self):
        code, out, err = self.run_it("--text", self.file("a", CSV))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.decode().split("\n\n"), [
            "23 requests for 2 pages",
            "node x home         0         1         2       all\n"
            "          0         -        17         -        17\n"
            "          1         5         -         -         5\n"
            "          2         -         1         -         1\n"
            "        all         5        18         -        23",
            "  page  home  requests   from each node\n"
            "     1     1        18        17         -         1\n"
            "     0     0         5         -         5         -\n"])

    def test_files_are_added(self):
        a = self.file("a", CSV)
        code, out, _ = self.run_it("--text", "--top", "1", "--nodes", "4", a, a, "-", data=CSV.encode())
        self.assertEqual(code, 0)
        self.assertIn("69 requests for 2 pages", out.decode())
        self.assertIn("     1     1        54        51         -         3         -\n1 more pages\n", out.decode())

    def test_beside_another_run(self):
        a, more = self.file("a", CSV), self.file("more", "page,source,destination,count\n0,1,0,92\n")
        self.assertEqual(self.run_it("--text", "--before", more, a)[1].decode().splitlines()[0],
                         "23 requests for 2 pages (25.0% of the 92 before)")
        empty = self.file("e", "page,source,destination,count\n")
        self.assertEqual(self.run_it("--text", "--before", empty, a)[1].decode().splitlines()[0], "23 requests for 2 pages")
        self.assertEqual(self.run_it("-o", more, "--before", more, a)[::2], (2, f"smplot: --output: {more} is an input: it would be lost\n"))
        self.assertEqual(self.run_it("--text", "--before", "none", a)[::2], (1, "smplot: none: No such file or directory\n"))

    def test_nothing(self):
        empty = self.file("e", "page,source,destination,count\n")
        code, out, _ = self.run_it("--text", empty)
        self.assertEqual((code, out.decode().splitlines()[0]), (0, "0 requests for 0 pages"))
        self.assertEqual(self.run_it(empty), (1, b"", "smplot: the files hold no counts\n"))

    def test_refusals(self):
        a, bad = self.file("a", CSV), self.file("bad", "page,source,destination,count\n\n1,2,3\n")
        for words, text in (((bad,), f"{bad}:3: 1,2,3,: legal are numbers, and nodes below 32"),
                            ((self.file("n", "page,source,destination,count\n1,32,3,4\n"),),
                             f"{self.folder}/n:2: 1,32,3,4: legal are numbers, and nodes below 32"),
                            ((self.file("c", "page,source\n"),),
                             f"{self.folder}/c: the first line must name the columns page, source, destination, count"),
                            (("none",), "none: No such file or directory")):
            self.assertEqual(self.run_it(*words), (1, b"", f"smplot: {text}\n"))
        self.assertEqual(self.run_it("-o", a, a)[::2], (2, f"smplot: --output: {a} is an input: it would be lost\n"))
        self.assertEqual(self.run_it("--nodes", "2", a)[::2], (2, "smplot: --nodes 2: the counts have node 2\n"))
        self.assertEqual(self.run_it("--nodes", "33", a)[0], 2)
        self.assertEqual(self.run_it()[0], 2)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_pictures(self):
        many = ["page,source,destination,count"]
        many += [f"{page},{page % 32},{page * 7 % 32},{page * page % 1000}" for page in range(0, 65536, 13)]
        for name, text in (("a", CSV), ("many", "\n".join(many)), ("one", "page,source,destination,count\n65535,0,1,1")):
            with self.subTest(name):
                png = os.path.join(self.folder, name + ".png")
                self.assertEqual(self.run_it("-o", png, "--width", "800", self.file(name, text)), (0, b"", ""))
                self.assertEqual(self.size(self.read(png)), (800, 900))
        self.assertEqual(self.run_it("-o", "none/x", self.file("a", CSV))[::2], (1, "smplot: none/x: No such file or directory\n"))


STUDY = """benchmark=x
entries=4 range=63 cards=4 events=2000 replaced=100 overflow=0 demand=4 lost=0
pair entries=4 range=63 source=0 destination=1 count=2000
entries=16 range=63 cards=4 events=2000 replaced=25 overflow=0 demand=4 lost=0
entries=64 range=63 cards=4 events=2000 replaced=0 overflow=0 demand=4 lost=0
entries=4 range=7 cards=4 events=0 replaced=0 overflow=0 demand=0 lost=0
entries=16 range=7 cards=4 events=0 replaced=0 overflow=0 demand=0 lost=0
entries=64 range=7 cards=4 events=0 replaced=0 overflow=0 demand=0 lost=0
"""


class SmStudyPlot(Program):
    program = os.path.join(FOLDER, "smstudyplot")

    def test_table(self):
        code, out, err = self.run_it("one=" + self.file("a", STUDY))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.decode(),
                         "one: swaps of 1000 events, by entries; then what a doubling saves of them\n"
                         "   range    events        4       16       64      4>16  16>64\n"
                         "       7         0        -        -        -         -      -\n"
                         "      63      2000    50.00    12.50     0.00       75%   100%\n")

    def test_refusals(self):
        nothing = self.file("n", "entries=4\n")
        self.assertEqual(self.run_it("n=" + nothing), (1, b"", f"smstudyplot: {nothing}: no line of smstudy's in it\n"))
        self.assertEqual(self.run_it("n=none"), (1, b"", "smstudyplot: none: No such file or directory\n"))
        self.assertEqual(self.run_it(nothing)[0], 2)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture(self):
        a, png = self.file("a", STUDY), os.path.join(self.folder, "p.png")
        code, _, err = self.run_it("one=" + a, "two=" + a, "-o", png)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.size(self.read(png)), (840, 460))


TIMELINE = """{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":4194305,"tid":1,"name":"thread_name","args":{"name":"smile0"}},
{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"lu"}},
{"ph":"B","pid":7,"tid":8,"ts":1.000,"name":"work","cat":"program"},
{"ph":"B","pid":7,"tid":8,"ts":5.000,"name":"meet","cat":"program"},
{"ph":"B","pid":4194305,"tid":1,"ts":6.000,"name":"swap","cat":"driver","args":{"thread":9}},
{"ph":"i","pid":4194305,"tid":1,"ts":7.000,"name":"interrupt","cat":"driver","s":"t","args":{"thread":9}},
{"ph":"E","pid":4194305,"tid":1,"ts":8.000,"name":"swap","cat":"driver","args":{"thread":9}},
{"ph":"C","pid":0,"tid":0,"ts":0.000,"name":"requests a","cat":"hardware","args":{"count":5}},
{"ph":"C","pid":0,"tid":0,"ts":8.000,"name":"requests a","cat":"hardware","args":{"count":2}},
{"ph":"E","pid":7,"tid":8,"ts":15.000},
{"ph":"E","pid":7,"tid":8,"ts":21.000}
]}
"""


class SmTimeline(Program):
    program = os.path.join(FOLDER, "smtimeline")

    def test_table(self):
        code, out, err = self.run_it(data=TIMELINE.encode())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.decode(), (
            "layer      what                                  times           us\n"
            "hardware   requests a                                7\n"
            "driver     interrupt                                 1            0\n"
            "driver     swap                                      1            2\n"
            "program    meet                                      1           10\n"
            "program    work                                      1           20\n"))

    def test_refusals(self):
        for text in ("", "{}", "[1]", '{"traceEvents":[{"ph":"B"}]}'):
            wrong = self.file("w", text)
            self.assertEqual(self.run_it(wrong), (1, b"", f"smtimeline: {wrong}: not what smile timeline writes\n"))
        nothing = self.file("n", '{"traceEvents":[]}')
        self.assertEqual(self.run_it(nothing), (1, b"", f"smtimeline: {nothing}: nothing in it\n"))
        self.assertEqual(self.run_it("none"), (1, b"", "smtimeline: none: No such file or directory\n"))
        self.assertEqual(self.run_it("--none")[0], 2)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_picture(self):
        png = os.path.join(self.folder, "p.png")
        code, _, err = self.run_it("-o", png, self.file("t", TIMELINE))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.size(self.read(png)), (1200, 240 + 110 + 2 * 22))


# read.vcd is what SmileWaves.WithLatencyTheResponseComesLater of qtest-smile records: a remote read and its response.
VCD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read.vcd")


class SmWave(Program):
    program = os.path.join(FOLDER, "smwave")

    def refused(self, code, text, *words, data=None):
        status, out, err = self.run_it(*words, data=data)
        self.assertEqual((status, out), (code, b""), err)
        self.assertIn(text, err)

    def test_the_states_of_a_read_and_its_response(self):
        status, out, err = self.run_it("--text", VCD)
        self.assertEqual((status, err), (0, ""))
        words = out.decode().split()
        self.assertEqual([w for w in words if w.startswith("decode_state")],
                         [f"decode_state={s}" for s in ("IDLE", "BD1", "BD2", "IDLE", "BD1", "BD2", "IDLE")])
        self.assertEqual([w for w in words if w.startswith("frl_state")],
                         [f"frl_state={s}" for s in ("Idle", "Forward", "Busy", "Idle", "Forward", "Busy", "Idle")])
        self.assertIn("page_number=5", words)
        self.assertIn("page_offset=49", words)

    def test_a_window(self):
        all_of_it = self.run_it("--text", VCD)[1].decode().splitlines()
        times = [int(line.split()[0]) for line in all_of_it]
        _, out, _ = self.run_it("--text", "--start", str(times[3]), "--stop", str(times[6]), VCD)
        self.assertEqual(out.decode().splitlines(), all_of_it[3:7])

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_a_picture(self):
        status, out, err = self.run_it("-o", "a.png", "--width", "900", VCD)
        self.assertEqual((status, out, err), (0, b"", ""))
        self.assertEqual(self.size(self.read("a.png")), (900, 90 + 34 * 15))

    @unittest.skipUnless(shutil.which("vcd2fst") and shutil.which("fst2vcd"), "needs GTKWave's tools")
    def test_gtkwave_reads_the_same(self):
        there, back = self.path("there.fst"), self.path("back.vcd")
        subprocess.run(["vcd2fst", VCD, there], check=True, stdout=subprocess.DEVNULL)
        with open(back, "wb") as f:
            subprocess.run(["fst2vcd", there], check=True, stdout=f)
        self.assertEqual(self.run_it("--text", back), self.run_it("--text", VCD))

    def test_from_standard_input(self):
        status, out, _ = self.run_it("--text", "-", data=self.read(VCD))
        self.assertEqual((status, out), (0, self.run_it("--text", VCD)[1]))

    def test_what_is_no_dump(self):
        self.refused(1, "no such file".capitalize(), "missing.vcd")
        self.refused(1, "no VCD", "-", data=b"hello world")
        self.refused(1, "no VCD", "-", data=b"$timescale 1ps $end")
        self.refused(1, "no VCD", "-", data=b"$var wire 1 ! a $end #5 1! #4 0!")
        self.refused(1, "no VCD", "-", data=b"$var wire 1 ! a")
        self.refused(1, "no text", self.file("binary", b"\xff\xfe"))
        self.refused(1, "nothing changes", "--start", "5000000", VCD)

    def test_wrong_options(self):
        self.refused(2, "--width: '5': legal are 300", "--width", "5", VCD)
        self.refused(2, "--start", "--start", "-1", VCD)
        copy = self.file("copy.vcd", self.read(VCD))
        self.refused(2, "would be lost", "-o", copy, copy)
        self.assertEqual(os.path.getsize(copy), os.path.getsize(VCD))


unittest.main()
