# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/soak --arm64: which tests pass, with programs that say what emulated ones and this machine's would."""
import sys

from soakrun import arm64

GUEST = "bare-exact"


def verdict(name, there, here, status=0):
    """there and here: what is said."""
    words = [sys.executable, "-c", f"import sys; print(sys.argv[1]); exit({status})", there]
    return arm64.verdict({"name": name, "cmd": words, "env": {}}, "/", "/", {there: here})


def test_a_guest_says_the_same():
    assert verdict(GUEST, "ok 1", "ok 1") is None
    assert verdict(GUEST, "ok 1 - 7", "ok 1 - 8") == "it says something else than on this machine"
    assert verdict(GUEST, "not ok 1", "not ok 1", 1) == "status 1\nnot ok 1\n"


def test_a_unit_is_emulated(monkeypatch):
    asked = []
    monkeypatch.setattr(arm64, "said", lambda words, test, folder: asked.append(words) or (0, ""))
    assert arm64.verdict({"name": "unit-x", "cmd": ["/b/unit-x", "--filter"], "env": {}}, "/b", "/r", {}) is None
    assert asked == [["qemu-aarch64", "-L", "/r", "/b/unit-x", "--filter"]]
