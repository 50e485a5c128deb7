# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of scripts/guest-run: options, machine, console, transfer, verdict."""
