#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What power2.ko promises. power2.sh PART...
. /tests/lib.sh

refused() { ! "$@" 2>/dev/null; }

# What is the same in each run, to the last instruction.
counts() {
    holds "power2 is there" test -c /dev/power2
    same "version" "$(attribute power2 version)" 1
    same "nobody counts" "$(attribute power2 sessions) $(attribute power2 processes) $(attribute power2 probes)" "0 0 0"
    for part in info rules user enable exact children exec death system marks spe; do
        holds "$part" p2test $part
    done
    holds "threads" p2test threads
}

for part in "$@"; do $part; done
finish
