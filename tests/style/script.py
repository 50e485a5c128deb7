# SPDX-License-Identifier: GPL-2.0-or-later
"""A program of this folder as a module: its name has no .py. And made-up trees."""

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
