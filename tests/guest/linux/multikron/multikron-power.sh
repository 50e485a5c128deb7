#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The machine sleeps (S3: QEMU resets all devices) with the card at work, and wakes up.
. /tests/lib.sh

holds "a sleep" mktest power
holds "another" mktest power
holds "sources" mktest sources
finish
