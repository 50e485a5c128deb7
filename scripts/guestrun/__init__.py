# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of perfboard run: options, machine, boards, overlay, console, transfer, verdict."""
