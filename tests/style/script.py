# SPDX-License-Identifier: GPL-2.0-or-later
"""A program of this folder as a module: its name has no .py. Whoever imports this writes no bytecode: sys.dont_write_bytecode."""

import importlib.machinery
import importlib.util
import os


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(os.path.dirname(os.path.abspath(__file__)), name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
