# SPDX-License-Identifier: GPL-2.0-or-later
"""A program of this folder as a module: its name has no .py. And made-up trees, and how a check ends."""

import contextlib
import importlib.machinery
import importlib.util
import os
import tempfile


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def verdict(wrong, found, said):
    """What is wrong, a line each, and a last line; the exit status. Who has found nothing to look at is not ok."""
    bad = bool(wrong) or not found
    print(*wrong, f"{'not ok' if bad else 'ok'} - {said}, {len(wrong)} complaints", sep="\n")
    return int(bad)


@contextlib.contextmanager
def tree(files):
    """A folder with these files, by their names in it: what they hold, in which ROOT is the folder."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace("ROOT", root))
        yield root
