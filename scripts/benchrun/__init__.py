# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of scripts/bench: rows, time, instructions, report, others."""
