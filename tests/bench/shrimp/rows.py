# SPDX-License-Identifier: GPL-2.0-or-later
"""The backplane's mesh, for scripts/bench --scale. The SNI's rows are the SurfBoard's, which listens to it."""

from benchrun.row import Network

ROWS = []
SCALE = Network("mesh", most=1024, queue=True)
