# SPDX-License-Identifier: GPL-2.0-or-later
"""What the studies share (scripts/study): page, chart, guest; picture and window are others', too."""
