#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""smbench_test SMBENCH - the benchmarks on ordinary memory: results, counts by formula, options.

What the monitors must count is what smbench says; here its counts are held against what the algorithms say.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

SMBENCH = os.path.abspath(sys.argv.pop())
PAGE = 4096


def run(*words):
    done = subprocess.run([SMBENCH, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def values(text):
    return {k: v for k, v in re.findall(r"^(\w+)=(.*)$", text, re.M)}


def matrix(text):
    rows = text.split("node x home", 1)[1].splitlines()[1:]
    return [[int(word) for word in row.split()[1:]] for row in rows if re.match(r" *\d+ ", row)]


def radix(n, nodes, radix, bits=20):
    """(loads, stores) of a round."""
    digit = radix.bit_length() - 1
    passes = -(-bits // digit)
    tables = radix * nodes  # words of all histograms
    loads = 2 * n + 2 * tables + nodes * (nodes - 1) // 2 + tables
    stores = n + tables + nodes + tables
    return passes * loads + n + nodes - 1, n + passes * stores


def lu(n, _, block):
    side, steps = n // block, sum((n - 1 - k) ** 2 for k in range(n))
    loads, stores = 2 * steps, steps
    below = sum(n - 1 - k for k in range(n))  # elements of the lower triangle: loaded and stored by their division
    loads, stores = loads + below, stores + below
    loads += sum(side - k // block for k in range(n))  # pivots: of the diagonal block, and again for each block below
    inner = sum(block - 1 - k for k in range(block))
    loads += sum((side - 1 - k) * inner for k in range(side))                # factors of the blocks beside
    loads += sum((side - 1 - k) ** 2 * block * block for k in range(side))   # and of those inside
    return loads + n * n, stores + n * n


def stencil(n, nodes, sweeps):
    inside = (n - 2) ** 2
    return sweeps * (5 * inside + nodes * nodes) + n * n, n * n + sweeps * (inside + nodes)


def ocean(n, _, cycles):
    grids = [n >> level for level in range(n.bit_length() - 1)]
    inside = [(g - 1) ** 2 for g in grids]
    loads = stores = 4 * inside[-1]  # relaxations of the coarsest grid
    loads *= 5
    for fine, coarse in zip(inside, inside[1:]):
        loads += fine * (2 * 5 + 6 + 5) + 9 * coarse  # relaxed twice, what is missing, the correction
        stores += fine * (2 + 1 + 1) + 2 * coarse
    return cycles * loads + (n + 1) ** 2, cycles * stores + 3 * sum((g + 1) ** 2 for g in grids)


def sparse(n, nodes, iterations, elements):
    """Of `elements` of the matrix, whose number the program says."""
    return 3 * n + nodes ** 2 + iterations * (9 * n + 3 * elements + 2 * nodes ** 2), 4 * n + 1 + 2 * elements + nodes + iterations * (4 * n + 2 * nodes)


class Counts(unittest.TestCase):
    def check(self, wanted, *words):
        code, out, err = run("--plain", "--csv", "-", *words)
        self.assertEqual((code, err), (0, ""))
        v = values(out)
        self.assertIn("verified", v)
        loads, stores = (int(v["local_" + kind]) + int(v["remote_" + kind]) for kind in ("loads", "stores"))
        self.assertEqual((loads, stores), wanted)
        m = matrix(out)
        self.assertEqual(len(m), int(v["nodes"]))
        self.assertEqual(sum(map(sum, m)), loads + stores)
        remote = sum(n for i, row in enumerate(m) for j, n in enumerate(row) if i != j)
        self.assertEqual(remote, int(v["remote"]))
        rows = list(csv.DictReader(io.StringIO(out[out.index("page,"):])))
        self.assertEqual(sum(int(row["count"]) for row in rows), remote)
        for i, row in enumerate(m):
            for j, n in enumerate(row):
                cell = [r for r in rows if (int(r["source"]), int(r["destination"])) == (i, j)]
                self.assertEqual(sum(int(r["count"]) for r in cell), n if i != j else 0)
        return v, m, rows

    def test_counts_are_the_algorithms(self):
        for benchmark, formula, option, cases in (
                ("radix", radix, "--radix", ((65536, 4, 1024), (1001, 7, 64), (5, 5, 2), (300, 1, 4096), (4096, 32, 256))),
                ("lu", lu, "--block", ((96, 4, 16), (48, 6, 8), (32, 1, 16), (20, 3, 2), (16, 8, 16))),
                ("stencil", stencil, "--sweeps", ((96, 4, 8), (33, 6, 3), (4, 1, 1), (17, 7, 5))),
                ("ocean", ocean, "--sweeps", ((64, 4, 2), (16, 7, 3), (4, 1, 1), (8, 32, 2)))):
            for n, nodes, more in cases:
                with self.subTest(benchmark, n=n, nodes=nodes, more=more):
                    v, _, _ = self.check(formula(n, nodes, more), benchmark, "-n", n, "-t", nodes, option, more)
                    self.assertEqual(int(v.get("sweeps", more)), more)

    def test_stencil_converges(self):
        _, out, _ = run("--plain", "stencil", "-n", 10, "--sweeps", 1000)
        sweeps = int(values(out)["sweeps"])
        self.assertTrue(20 < sweeps < 200)
        self.check(stencil(10, 4, sweeps), "stencil", "-n", 10, "-t", 4, "--sweeps", 1000)

    def test_a_cycle_of_ocean_leaves_less_than_a_fifth(self):
        missing = [float(values(run("--plain", "ocean", "-n", 32, "--sweeps", cycles)[1])["missing"]) for cycles in (1, 2, 3, 4)]
        self.assertTrue(all(5 * after < before for before, after in zip(missing, missing[1:])), missing)

    def test_sparse(self):
        for n, nodes, iterations in ((2048, 4, 3), (333, 7, 5), (8, 8, 2)):
            with self.subTest(n=n, nodes=nodes):
                words = ("sparse", "-n", n, "-t", nodes, "--sweeps", iterations)
                elements = int(values(run("--plain", *words)[1])["elements"])
                self.assertTrue(8 * n < elements <= 9 * n if n > 100 else n < elements <= 9 * n)
                self.check(sparse(n, nodes, iterations, elements), *words)

    def test_sparse_solves_its_system(self):
        self.assertLess(float(values(run("--plain", "sparse", "-n", 500, "--sweeps", 60)[1])["missing"]), 1e-10)
        self.assertGreater(float(values(run("--plain", "sparse", "-n", 500, "--sweeps", 2)[1])["missing"]), 1e-3)
        self.assertIn("verified", values(run("--plain", "sparse", "-n", 1, "-t", 1)[1]))

    def test_rounds(self):
        loads, stores = lu(32, 4, 16)
        v, _, _ = self.check((3 * loads, 3 * stores), "lu", "-n", 32, "--rounds", 3)

    def test_homes(self):
        _, m, rows = self.check(radix(9000, 4, 1024), "radix", "-n", 9000, "--home", "node0")
        self.assertTrue(all(n == 0 for row in m for n in row[1:]) and all(row[0] for row in m))
        self.assertEqual({r["destination"] for r in rows}, {"0"})
        _, _, rows = self.check(radix(9000, 4, 1024), "radix", "-n", 9000, "--home", "round-robin")
        self.assertTrue(all(int(r["page"]) % 4 == int(r["destination"]) for r in rows))
        v, _, rows = self.check(radix(9000, 4, 1024), "radix", "-n", 9000, "--home", "block")
        pages = int(v["pages"])
        self.assertEqual(pages, 2 * -(-9000 * 4 // PAGE) + 4 + 1)
        self.assertTrue(all(int(r["page"]) * 4 // pages == int(r["destination"]) for r in rows))

    def test_threads_on_other_nodes(self):
        words = ("stencil", "-n", 32, "--sweeps", 2, "--home", "block")
        wanted = stencil(32, 4, 2)
        _, own, _ = self.check(wanted, *words)
        _, turned, _ = self.check(wanted, *words, "--threads", "1,2,3,0")
        self.assertEqual(turned, own[3:] + own[:3])
        self.assertNotEqual(turned, own)
        _, together, _ = self.check(wanted, *words, "--threads", "2,2,2,2")
        self.assertEqual(together[2], [sum(column) for column in zip(*own)])

    def test_one_node_has_no_remote_access(self):
        v, _, rows = self.check(lu(32, 1, 16), "lu", "-n", 32, "-t", 1)
        self.assertEqual((v["remote"], rows), ("0", []))


class Names(unittest.TestCase):
    def told(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "names")
            done = subprocess.run([SMBENCH, "--plain", *map(str, words)], stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "SMILE_NAMES": file})
            self.assertEqual((done.returncode, os.listdir(folder)), (0, ["names"]))
            with open(file, encoding="utf-8") as f:
                return f.read().splitlines(), int(values(done.stdout)["pages"])

    def test_structures(self):
        self.assertEqual(self.told("radix", "-n", 1000, "--radix", 64, "--meet", "window"), ([
            "name,offset,bytes", "keys 0,0,4000", "keys 1,4096,4000", "histograms,8192,1024", "sums,12288,16", "meeting,16384,16384"], 8))
        self.assertEqual(self.told("lu", "-n", 16, "-t", 2), (["name,offset,bytes", "blocks of node 0,0,2048"], 1))
        self.assertEqual(self.told("stencil", "-n", 32, "-t", 2), ([
            "name,offset,bytes", "rectangle of node 0,0,4096", "rectangle of node 1,4096,4096", "changes,8192,128"], 3))

    def test_a_file_that_cannot_be_written(self):
        done = subprocess.run([SMBENCH, "--plain", "lu", "-n", "16"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "SMILE_NAMES": "/nowhere/names"})
        self.assertEqual((done.returncode, done.stderr), (1, "smbench: /nowhere/names: No such file or directory\n"))


class Options(unittest.TestCase):
    def refused(self, text, *words):
        code, out, err = run(*words)
        self.assertEqual((code, out, err), (2, "", f"smbench: {text}\n"))

    def test_refusals(self):
        self.refused("benchmark fft: legal are radix lu stencil ocean sparse", "fft", "--plain")
        self.refused("one benchmark (--help lists them)", "--plain")
        self.refused("--nodes 33: legal are 1 to 32", "lu", "--plain", "-t", 33)
        self.refused("--nodes 0: legal are 1 to 32", "lu", "--plain", "-t", 0)
        self.refused("--nodes 4x: legal are 1 to 32", "lu", "--plain", "-t", "4x")
        self.refused("--size 100: legal are multiples of the block, 16", "lu", "--plain", "-n", 100)
        self.refused("--block 65: legal are 2 to 64", "lu", "--plain", "--block", 65)
        self.refused("--radix 1000: legal are powers of two, 2 to 4096", "radix", "--plain", "--radix", 1000)
        self.refused("--size 3: legal are 4 (a key for each node) and more", "radix", "--plain", "-n", 3)
        self.refused("--size 5: legal are 6 and more", "stencil", "--plain", "-n", 5)
        self.refused("--size 24: legal are powers of two from 4", "ocean", "--plain", "-n", 24)
        self.refused("--size 3: legal are 4 (a row for each node) and more", "sparse", "--plain", "-n", 3)
        self.refused("--size 2064: legal are up to 2048", "lu", "--plain", "-n", 2064)
        for wrong in ("1,2,3", "1,2,3,4", "1,2,3,0,", "0,1,2,3,0", "-1,1,2,3", "", "a"):
            self.refused(f"--threads {wrong}: legal are 4 numbers, 0 to 3, with commas between", "lu", "--plain", "--threads", wrong)
        self.refused("--threads: not where nodes meet in the window", "lu", "--plain", "--meet", "window", "--threads", "0,1,2,3")
        self.refused("--home far: legal are round-robin first-touch block node0 keep", "lu", "--home", "far")
        self.assertEqual(run("lu", "--plain", "--nonsense")[0], 2)
        self.assertEqual(run("--help")[0], 0)

    def test_failures(self):
        code, _, err = run("lu", "-n", 32, "--plain", "--home", "keep")
        self.assertEqual((code, err), (2, "smbench: --home keep: not together with --plain\n"))
        code, _, err = run("lu", "-n", 32, "--plain", "--csv", "/nowhere/x")
        self.assertEqual((code, err), (1, "smbench: /nowhere/x: No such file or directory\n"))
        code, _, err = run("lu", "-n", 32, "--plain", "--csv", "/dev/full")
        self.assertEqual((code, err), (1, "smbench: /dev/full: No space left on device\n"))
        code, _, err = run("lu", "-n", 32, "--plain", "--rounds", 2, "--between", "exit 3")
        self.assertEqual((code, err), (1, "smbench: exit 3: status 3\n"))
        code, out, _ = run("lu", "-n", 32, "--plain", "--rounds", 3, "--between", "echo between")
        self.assertEqual((code, re.findall(r"^(round \d|between)", out, re.M)),
                         (0, ["round 1", "between", "round 2", "between", "round 3"]))

    @unittest.skipIf(os.path.exists("/dev/sci"), "this machine has adapters")
    def test_no_adapter(self):
        self.assertEqual(run("lu", "-n", 32)[::2], (1, "smbench: /dev/sci: No such file or directory\n"))


unittest.main()
