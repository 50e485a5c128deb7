# SPDX-License-Identifier: GPL-2.0-or-later
"""SCI's ring, for scripts/bench --scale. The adapter's rows are those of the monitor that listens to it."""

from benchrun.row import Network

ROWS = []
SCALE = Network("ring", most=32, queue=False)
