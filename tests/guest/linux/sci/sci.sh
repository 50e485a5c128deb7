#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What sci.ko promises: four nodes.
. /tests/lib.sh

refused() { ! "$@" 2>/dev/null; }
set_attribute() { echo "$3" >"/sys/class/misc/$1/$2"; }

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
holds "rules" scitest rules
holds "ordinary users" scitest user
holds "homes" scitest homes
holds "statistics of known traffic" scitest traffic 20000
same "node 3 has packets in sysfs" "$(attribute sci node3/packets)" 0
holds "first touch" scitest touch
holds "children and second mappings" scitest children
holds "write-combining" scitest combine
holds "buffers in the window" scitest inside

holds "a module in use stays" sh -c 'exec 3</dev/sci; ! rmmod sci 2>/dev/null'
device=$(basename "$(readlink -f /sys/class/misc/sci/device)")
for round in 1 2 3; do
    echo "$device" >/sys/bus/pci/drivers/sci/unbind
    holds "unbound, round $round" test ! -e /dev/sci
    holds "nor its registers in debugfs" test ! -e /sys/kernel/debug/sci
    echo "$device" >/sys/bus/pci/drivers/sci/bind
done
holds "works again" scitest traffic 1000
holds "removal" scitest gone "$device"
holds "no device" test ! -e /dev/sci
echo 1 >/sys/bus/pci/rescan
holds "it is back" test -c /dev/sci
holds "and works" scitest traffic 1000
holds "the module unloads" rmmod sci
holds "and loads" insmod /lib/modules/sci.ko
holds "works" scitest homes
finish
