#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What power2.ko and p2stat report of errors on purpose (inject.scenario, beside this).
. /tests/lib.sh

rows() { # CONDITION of awk, in which i, c and e are a second's instructions, cycles and errors: in how many seconds it held
    awk -F , "/^[0-9]/ { i = \$8; c = \$9; e = \$10; if ($1) n++ } END { print n + 0 }" /tmp/csv
}

same "every monitor has answered" "$(attribute power2 unanswered)" 0
holds "p2stat" p2stat -e instructions,cycles,errors --csv -o /tmp/csv 1s 18 2>/tmp/said
cat /tmp/csv /tmp/said
# A counter is 32 bits wide, a total 64.
same "three errors, in one second" "$(rows 'e == 3')" 1
same "a roll-over, of all three in one second" "$(rows 'c > 4000000000 && i > 4000000000 && e > 4000000000')" 1
same "it is no more than what the counters were set to" "$(rows 'c > 8000000000 || i > 8000000000 || e > 8000000000')" 0
same "and errors in no other second" "$(rows 'e > 0')" 2
holds "seconds in which no monitor was there" test "$(rows 'i == 0')" -ge 3
holds "a row with all ones in it there is none" test "$(rows 'i >= 4294967290 && i <= 4294967295')" -eq 0
holds "seconds after them" test "$(rows 'i > 10000')" -ge 9
holds "the driver has noticed" test "$(attribute power2 unanswered)" -gt 300
holds "and p2stat says so" grep -q "did not answer [0-9]* times: what it counted meanwhile is missing" /tmp/said
holds "counts afterwards" p2test exact
finish
