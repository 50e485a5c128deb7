# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/soak --arm64: which tests pass, with programs that say what emulated ones and this machine's would."""
import sys

from soakrun import arm64


def verdict(there, here, status=0):
    """Of a guest; there and here: what is said."""
    words = [sys.executable, "-c", f"import sys; print(sys.argv[1]); exit({status})", there]
    return arm64.verdict({"cmd": words, "env": {}}, "/", "/", {there: here}, True)


def test_a_guest_says_the_same():
    assert verdict("ok 1", "ok 1") is None
    assert verdict("ok 1 - 7", "ok 1 - 8") == "it says something else than on this machine"
    assert verdict("not ok 1", "not ok 1", 1) == "status 1\nnot ok 1\n"


def test_a_unit_is_emulated(monkeypatch):
    asked = []
    monkeypatch.setattr(arm64, "said", lambda words, test, folder: asked.append(words) or (0, ""))
    assert arm64.verdict({"cmd": ["/b/unit-x"], "env": {}}, "/b", "/r", {}, False, ["A.B", "A.C"]) is None
    assert asked == [["qemu-aarch64", "-L", "/r", "/b/unit-x", "--gtest_filter=-A.B:A.C"]]
