#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What sci.ko and its statistics show of the errors in inject.scenario: four nodes.
. /tests/lib.sh

# Of all nodes: all STATISTIC...
all() {
    n=0
    for which in "$@"; do
        for node in 0 1 2 3; do n=$((n + $(attribute sci node$node/"$which"))); done
    done
    echo $n
}
# scitest, which counts its traffic, compares that with the statistics.
traffic() { scitest traffic 1000 >/tmp/said; }
lost() { sed -n 's/^FAILED: received by node [0-9]*: //p' /tmp/said | awk -F '[ ,]+' '{ n += $3 - $1 } END { print n + 0 }'; }
refused() { ! "$@" >/dev/null 2>&1; }
# Since the scenario's start.
until_second() { while [ $(($(uptime_cs) - start)) -lt "$1"00 ]; do usleep 100000; done; }

echo 1 >/sys/class/misc/sci/enable # the scenario's start
start=$(uptime_cs)
holds "the program misses what was lost" refused traffic
same "requests that did not arrive" "$(lost)" 5
holds "the next run lacks nothing" traffic
same "nothing is lost" "$(lost)" 0

until_second 11
holds "the link stands" refused traffic
same "nothing arrives" "$(grep -c '^FAILED: received by node [0-3]: 0,' /tmp/said)" 4
same "though requests leave" "$(grep -c '^ok: reads of node' /tmp/said)" 4
until_second 16
holds "the link is back" traffic

until_second 22
same "no node of a board that is gone" "$(all received)" $((4 * 0xffffffffffffffff))
device=$(basename "$(readlink -f /sys/class/misc/sci/device)")
echo "$device" >/sys/bus/pci/drivers/sci/unbind
echo "$device" >/sys/bus/pci/drivers/sci/bind 2>/dev/null
holds "the driver finds no board" test ! -e /dev/sci
finish
