#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What multikron.ko and mk promise. multikron.sh [free [sleep]]: without what depends on virtual time; where the machine sleeps (S3: QEMU
# resets all devices), with that.
. /tests/lib.sh

holds "multikron0 is there" test -c /dev/multikron0
while read -r name value; do
    same "$name" "$(attribute multikron0 "$name")" "$value"
done <<END
node_hz 50000000
timestamp_hz 10000000
fifo_depth 8
lines 2
cpus 0,1
node 0
END

# What is written, and read then.
while read -r name value wanted; do
    if [ "$wanted" = refused ]; then
        holds "$name $value is refused" refused set_attribute multikron0 "$name" "$value"
    else
        set_attribute multikron0 "$name" "$value"
        same "$name" "$(attribute multikron0 "$name")" "$wanted"
    fi
done <<END
filter 0x8001 0x8001
filter 0x10000 refused
filter x refused
csr 0x4005 0x00004005
csr 0x40 refused
source1 0xdeadbeef 0xdeadbeef
timestamp 0 refused
END
same "csr among the registers in debugfs" "$(dumped multikron0 CSR)" 0x00004005
same "and the filter" "$(dumped multikron0 FILTER)" 0x00008001
set_attribute multikron0 mux_sel 0x200000000
set_attribute multikron0 enable 3
set_attribute multikron0 disable 1
same "enable" "$(attribute multikron0 enable)" 0x0002
set_attribute multikron0 counter1 1
set_attribute multikron0 counter1 1
same "software counts" "$(attribute multikron0 counter1)" 2
holds "two at once are refused" refused set_attribute multikron0 counter1 2
set_attribute multikron0 clear 2
same "cleared" "$(attribute multikron0 counter1)" 0
holds "the Timestamp goes on" test "$(attribute multikron0 timestamp)" -gt 0
set_attribute multikron0 reset 0
same "reset" "$(attribute multikron0 csr) $(attribute multikron0 filter) $(attribute multikron0 source1)" \
    "0x00000000 0x0000 0x00000000"

mk csr sampling wait slow-10us
same "mk csr" "$(mk csr)" "CSR 00004005  sampling on, write wait on, read wait off, slow clock 10 us, wait states 0"
mk filter 0,3-5,15
same "mk filter" "$(mk filter)" "Filter 8039  levels 0,3-5,15"
mk mux 2,7 soft && mk mux 3 node && mk enable 2,7 && mk counter --count 5 7
same "mk counter" "$(mk --csv counter 2-3,7 | tr '\n' ' ')" "counter,input,enabled,value 2,soft,1,0 3,node,0,0 7,soft,1,5 "
mk clear all && mk disable all
same "mk enable" "$(attribute multikron0 enable)" 0x0000
mk source 1 0x12345678
same "mk source" "$(mk source 1)" 0x12345678
mk sample 0 0xffff00000001 && mk sample -r 3 0xffff00000002 && mk sample 1 5
echo "stored trace 1 resource 1"
usleep 1000
same "mk clear waits" "$(status_of mk clear waits)" 0
mk status
while read -r status words; do
    # shellcheck disable=SC2086
    same "status of $words" "$(status_of $words </dev/null)" "$status"
done <<END
0 mk status
1 mk -d /dev/multikron9 status
2 mk filter 16
2 mk sample x 0
2 mk nothing
2 mk
0 mk --help
0 mkbench --help
0 mkcost --help
2 mkbench -t 0
2 mkcost 10x
127 mk trace /nowhere
END
same "a traced program's status" "$(status_of mk trace sh -c 'exit 7')" 7
same "its source" "$(mk trace --source 0x31 taskset 1 mk source 0)" 0x00000031
mk reset

holds "rules" mktest rules
holds "what anybody may do" mktest user
holds "what nobody can do to others" mktest others
if [ "${1:-}" != free ]; then
    holds "samples" mktest samples
    holds "counters" mktest counters
fi
if [ "${2:-}" = sleep ]; then
    holds "a sleep" mktest power
    holds "another" mktest power
fi
holds "sources" mktest sources
holds "coming and going" mktest churn

# A processor goes and comes back under traced load.
mk trace --source 0x51 sh -c 'while :; do :; done' & one=$!
mk trace sh -c 'while :; do sh -c :; done' & two=$!
usleep 20000
holds "processor 1 off" sh -c 'echo 0 >/sys/devices/system/cpu/cpu1/online'
holds "sources without it" mktest sources
holds "processor 1 on" sh -c 'echo 1 >/sys/devices/system/cpu/cpu1/online'
usleep 20000
# Unloading and reloading under the same load; node= is the upper half of what the driver makes.
holds "the module unloads while programs are traced" rmmod multikron
holds "no device is left" test ! -e /dev/multikron0
usleep 20000
holds "it loads again" insmod /lib/modules/multikron.ko node=0x1234
same "sampling is off" "$(attribute multikron0 csr)" 0x00000000
same "node" "$(attribute multikron0 node)" 4660
holds "sources of node 1234" mktest sources
kill $one $two
wait
module_stays multikron0 multikron

# The card goes away under an open file with its pages mapped.
removed multikron0 mktest
holds "and works" mktest sources
finish
