#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What sci.ko promises: four nodes. sci.sh PART...
. /tests/lib.sh

driver() {
    holds "sci is there" test -c /dev/sci
    same "nodes" "$(attribute sci nodes)" 4
    same "enabled" "$(attribute sci enable)" 1
    same "policy" "$(attribute sci policy)" fixed
    set_attribute sci policy first-touch
    same "policy" "$(attribute sci policy)" first-touch
    holds "another is refused" refused set_attribute sci policy last-touch
    set_attribute sci policy fixed
    holds "pages" test "$(attribute sci pages)" -ge 64

    same "the switch among the registers in debugfs" "$(dumped sci CTRL)" 0x00000001
    same "which root alone may read" "$(stat -c %a /sys/kernel/debug/sci/registers)" 400
    parts scitest rules user homes "traffic 20000"
    same "node 3 has packets in sysfs" "$(attribute sci node3/packets)" 0
    parts scitest touch children combine inside

    module_stays sci sci
    device=$(pci_of sci)
    for round in 1 2 3; do
        echo "$device" >/sys/bus/pci/drivers/sci/unbind
        holds "unbound, round $round" test ! -e /dev/sci
        holds "nor its registers in debugfs" test ! -e /sys/kernel/debug/sci
        echo "$device" >/sys/bus/pci/drivers/sci/bind
    done
    holds "works again" scitest traffic 1000
    removed sci scitest
    holds "and works" scitest traffic 1000
    holds "the module unloads" rmmod sci
    holds "and loads" insmod /lib/modules/sci.ko
    holds "works" scitest homes
}

# What it and its statistics show of the errors in inject.scenario.
inject() {
    all() { # STATISTIC..., of all nodes
        n=0
        for which in "$@"; do
            for node in 0 1 2 3; do n=$((n + $(attribute sci node$node/"$which"))); done
        done
        echo $n
    }
    # scitest, which counts its traffic, compares that with the statistics.
    traffic() { scitest traffic 1000 >/tmp/said; }
    lost() { sed -n 's/^FAILED: received by node [0-9]*: //p' /tmp/said | awk -F '[ ,]+' '{ n += $3 - $1 } END { print n + 0 }'; }

    echo 1 >/sys/class/misc/sci/enable
    scenario_starts
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
    bound_again sci "$(pci_of sci)"
    holds "the driver finds no board" test ! -e /dev/sci
}

for part in "$@"; do $part; done
finish
