#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The modules load, find the boards, set them up, give all of it back, and respect firmware's choice.
# Boards: SNI in slot 1, SurfBoard in slot 2, as guest-run has them.
. /tests/lib.sh

holds "sni0 is there" test -c /dev/sni0
holds "surf0 is there" test -c /dev/surf0
holds "no surf1" test ! -e /dev/surf1
same "slot of sni0" "$(attribute sni0 slot)" 1
same "slot of surf0" "$(attribute surf0 slot)" 2
same "its product ID" "$(attribute surf0 product_id)" 0x10005542
ebcr=$(attribute surf0 ebcr)
holds "surf0 enabled (EBCR $ebcr)" test $((ebcr & 1)) = 1
holds "with an interrupt level" test $((ebcr >> 8 & 7)) -ge 2
sbcr=$(attribute sni0 sbcr)
holds "sni0 enabled (SBCR $sbcr)" test $((sbcr & 1)) = 1
# Each device has a parent: a platform device of its slot, below the PCI-EISA bridge.
bridge=$(for d in /sys/bus/pci/devices/*; do [ "$(cat $d/device)" != 0x0482 ] || basename "$d"; done)
parent() { readlink -f "/sys/class/misc/$1/device"; }
same "parent of surf0" "$(basename "$(parent surf0)")" surf.2
same "parent of sni0" "$(basename "$(parent sni0)")" sni.1
same "their parent" "$(basename "$(dirname "$(parent surf0)")") $(basename "$(dirname "$(parent sni0)")")" "$bridge $bridge"
same "their drivers" "$(basename "$(readlink "$(parent surf0)/driver")") $(basename "$(readlink "$(parent sni0)/driver")")" "surf sni"
holds "windows in iomem" sh -c 'test $(grep -c surf0 /proc/iomem) = 2 && grep -q sni0 /proc/iomem'
holds "ports of slot 1 claimed" grep -q "1c80-1c87 : sni" /proc/ioports
holds "ports of slot 2 claimed" grep -q "2c80-2c87 : surf" /proc/ioports
echo 1 >/sys/class/misc/surf0/led
same "user LED" "$(attribute surf0 led)" 1
echo 0 >/sys/class/misc/surf0/led
same "user LED" "$(attribute surf0 led)" 0

mount -t debugfs none /sys/kernel/debug 2>/dev/null
dumped() { sed -n "s/^$2 = //p" "/sys/kernel/debug/$1/registers"; }
same "its registers for developers" "$(wc -l </sys/kernel/debug/surf0/registers) $(dumped surf0 WCDR)" "10 0x00000000"
same "the SNI's" "$(wc -l </sys/kernel/debug/sni0/registers) $(dumped sni0 SCR)" "18 0x00000007"

# Sizing leaves contents alone: random data where it pokes.
size=$(attribute surf0 hist_size)
for at in 0 4 16; do
    [ $((at << 20)) -lt "$size" ] || continue
    dd if=/dev/urandom of=/dev/surf0 bs=4096 count=4 seek=$((16384 + at * 256)) 2>/dev/null
done
sum=$(dd if=/dev/surf0 bs=1M skip=64 2>/dev/null | md5sum)
holds "surf unloads" rmmod surf
holds "sni unloads" rmmod sni
holds "no device is left" sh -c '! ls /dev/surf0 /dev/sni0 /sys/bus/platform/devices/surf.* 2>/dev/null'
holds "nor registers for developers" sh -c '! ls /sys/kernel/debug/surf0 /sys/kernel/debug/sni0 2>/dev/null'
holds "nor a window" sh -c '! grep -q "surf\|sni" /proc/iomem /proc/ioports /proc/interrupts'
same "SurfBoard disabled" "$(drivertest in 0x2C84)" 0x00000000
same "SNI disabled" "$(drivertest in 0x1C84)" 0x00000000

holds "surf loads again, irq 9" insmod /lib/modules/surf.ko irq=9
holds "sni on the same line" insmod /lib/modules/sni.ko irq=9
holds "both share it with ACPI" grep -q "9:.*surf0.*sni0" /proc/interrupts
same "memory contents kept" "$(dd if=/dev/surf0 bs=1M skip=64 2>/dev/null | md5sum)" "$sum"
holds "threshold interrupt on the shared line" drivertest threshold
rmmod surf sni

holds "an impossible irq is refused" sh -c '! insmod /lib/modules/surf.ko irq=7 2>/dev/null'
holds "irq -1: none" insmod /lib/modules/surf.ko irq=-1
same "irq" "$(attribute surf0 irq)" 0
rmmod surf

# Firmware's choice: registers at 30000000, memories at 38000000, IRQ 10.
drivertest out 0x2C84 $((0x30000000 | 0x38000000 >> 27 << 11 | 4 << 8 | 1))
holds "surf loads" insmod /lib/modules/surf.ko
same "EBCR as firmware left it" "$(attribute surf0 ebcr)" 0x30003c01
same "irq as firmware chose it" "$(attribute surf0 irq)" 10
rmmod surf
same "EBCR is still firmware's" "$(drivertest in 0x2C84)" 0x30003c01
finish
