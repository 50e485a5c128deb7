#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The machine sleeps (S3: QEMU resets all devices) with the boards at work, and wakes up. Twice: the second time
# from what the first has restored.
. /tests/lib.sh

holds "others' interrupts on the lines" insmod ./faults.ko what=early "irq=$(attribute surf0 irq),$(attribute sni0 irq)"
config() { echo "$(attribute surf0 ebcr) $(attribute sni0 sbcr)"; }
before=$(config)
holds "a sleep" drivertest power
holds "another" drivertest power
same "handlers asked before their boards were on" "$(dmesg | grep -c 'faults: irq .* says')" 4
same "EBCR and SBCR" "$(config)" "$before"
holds "receiving" drivertest receive
holds "memory" drivertest memory
holds "threshold" drivertest threshold
finish
