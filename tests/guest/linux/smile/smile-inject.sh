#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What smile.ko, smilelib and smile show of the errors in inject.scenario: four nodes, a monitor at each.
. /tests/lib.sh

refused() { ! "$@" >/dev/null 2>&1; }
of() { attribute smile"$1" "$2"; }
# Since the scenario's start.
until_second() { while [ $(($(uptime_cs) - start)) -lt "$1"00 ]; do usleep 100000; done; }
# run WORDS...: plain traffic under `smile run`; its status, and what it said, in /tmp/said
run() { smile run --csv /tmp/h.csv -- smiletest plain "$@" >/tmp/said 2>/tmp/complaint; }

echo 1 >/sys/class/misc/sci/enable # the scenario's start
start=$(uptime_cs)

smiletest homes 1
holds "loads by node 0 of node 1" smile run --csv /tmp/h.csv -- smiletest user 0 1000
same "a missed request: its response is an orphan of node 0" "$(of 0 orphans) $(of 0 clashes)" "1 0"
holds "damaged packets are, of node 1" test $(($(of 1 orphans) + $(of 1 clashes))) -gt 0
smile info --csv >/tmp/info
same "the tool shows them" "$(sed -n '2p' /tmp/info | cut -d , -f 12-13)" "$(of 0 orphans),$(of 0 clashes)"
holds "traffic" run 1000
same "a small ring loses nothing" "$(of 3 lost)" 0
holds "but it interrupts" test "$(of 3 interrupts)" -gt 0
holds "again" run 1000
for n in 0 1 2 3; do same "nothing odd at node $n" "$(of $n orphans) $(of $n clashes)" "0 0"; done

holds "a failing image is told" refused smile load static
same "and the flash's design is there" "$(of 2 design)" dynamic
holds "it loads the next time" smile load static
holds "and back" smile load dynamic

until_second 13
holds "without a queue the ring's loss is told" refused run 20000
holds "by the driver" test "$(of 3 lost)" -gt 0
holds "and by the tool" grep -q 'records were lost' /tmp/complaint

until_second 19
smiletest homes 0
smile run -r 64K --csv /tmp/h.csv -- smiletest user 3 600000 >/dev/null
got=$(awk -F, '/^[0-9]/ { n += $5 } END { print n + 0 }' /tmp/h.csv)
same "a counter that sticks at FFFF counts no further" "$got" 65535

until_second 33
usleep 200000
holds "a spurious interrupt harms nobody" run 1000
until_second 39
usleep 200000
holds "a line that is stuck low: records are found all the same" run 1000
until_second 45
holds "as before" run 1000

until_second 51
same "a card that is gone reads all ones" "$(of 1 packets) $(of 1 orphans)" "4294967295 4294967295"
device=$(basename "$(readlink -f /sys/class/misc/smile1/device)")
echo "$device" >/sys/bus/pci/drivers/smile/unbind
echo "$device" >/sys/bus/pci/drivers/smile/bind 2>/dev/null
holds "the driver finds no card" test ! -e /dev/smile1
finish
