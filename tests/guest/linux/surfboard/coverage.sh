#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What no other test of the SurfBoard's driver and programs does: an experiment in each mode with an interrupt for each condition, the
# FIFO's offsets, the external connector. For coverage-test; what comes of it the boards' own tests check.
set -e
./snitour
say() { surf "$@" >/dev/null; }
collect() { # MODE QUAL HTCR: an experiment as A.9.2 has it, all interrupts enabled
    say -c 'IEMR = 0' -c 'HTCR = 0' -c 'ACDR = 02006080' -c "TTCR.MODE = $1" -c "TTCR.QUAL = $2" -c 'CLEAR TRACE' -c 'TICR = 0' \
        -c 'TECR = 0' -c 'WCDR = 0' -c 'ISCR = 1F87' -c 'PCLR.LED = 1' -c 'IEMR = 3FFF' -c "HTCR = $3"
    simple --groups 4 --words 64 --wait-us 1 --combine off >/dev/null
    say -c 'HTCR.TEN = 0' -c 'HTCR.HEN = 0' -c show -c 'ISCR = 1F87' -c 'SAVE FIFO /tmp/fifo'
}
say -c 'FPGA /firmware/size-latency.bit' -c 'CLEAR HISTOGRAM' -c show
for mode in 0 1 2; do
    for qual in 0 1 2 3; do
        collect $mode $qual 7
    done
done
# A trace that is full, by a count that is preset; one that is triggered.
say -c 'TTCR = 0' -c 'TECR = 3FFFE' -c 'HTCR = 1'
simple --groups 1 --words 16 --wait-us 1 --combine off >/dev/null
say -c show -c 'TECR = 0' -c 'ISCR.TC = 1' -c 'HTCR = 0'
say -c 'TTCR.MODE = 2' -c 'HTCR = 1'
simple --groups 1 --words 16 --wait-us 1 --combine off >/dev/null
say -c show -c 'HTCR.TRG = 0' -c 'ISCR.TC = 1' -c 'HTCR = 1' -c 'HTCR.TRG = 1' -c 'HTCR.TRG = 0' -c 'HTCR = 0' -c 'TPIR = 5'
# Counters that wrap: words, a bin.
say -c 'WCDR = FFFFFFFE' -c 'IEMR.WCV = 1' -c 'HTCR = 4'
simple --groups 1 --words 16 --wait-us 1 --combine off >/dev/null
say -c show -c 'ISCR.WCV = 1' -c 'HTCR = 0'
# The FIFO: slots, offsets, full.
say -c 'CLEAR FIFO' -c 'HFCDR.EMPTY = 2' -c 'HFCDR.FULL = FFE' -c 'IEMR = 78' -c 'HFDR = 111' -c 'HFDR = 22' -c 'HFDR = 33' -c show
say -c 'SAVE FIFO /tmp/fifo' -c 'CLEAR FIFO'
i=0
while [ $i -lt 1366 ]; do # 4098 slots
    echo "HFDR = 1$((i % 90 + 10))"
    echo 'HFDR = 22'
    echo 'HFDR = 33'
    i=$((i + 1))
done >/tmp/fill
# Then a bin wraps whose address finds no room. Without a selector all packets count in the last one.
echo '3FFFFF FFFFFFFF' >/tmp/bin
say -c 'FCCR.PROG = 1' -c 'FCCR.PROG = 0' -c 'LOAD HISTOGRAM /tmp/bin' -c 'DO /tmp/fill' -c 'IEMR = F8' -c 'HTCR = 2'
simple --groups 1 --words 16 --wait-us 1 --combine off >/dev/null
say -c show -c 'HTCR = 0' -c 'ISCR.FV = 1' -c 'SAVE FIFO /tmp/fifo' -c 'CLEAR FIFO'
# A bitstream that is damaged.
cp /firmware/size-latency.bit /tmp/bad.bit
dd if=/dev/zero of=/tmp/bad.bit bs=1 seek=5000 count=200 conv=notrunc 2>/dev/null
! say -c 'FPGA /tmp/bad.bit' 2>/dev/null
surf -c show | grep 'ERR 1'
# The external connector: what goes out comes in.
say -c 'IEMR.EXT = 1' -c 'TTCR.MEI = 1' -c 'TTCR.MEOD = 1' -c 'TTCR.MBV = 1' -c 'ECDR.DATA = 1' -c show -c 'ECDR.DATA = 0' \
    -c 'TTCR.EIP = 1' -c 'TTCR.EOP = 1' -c show -c 'ISCR.EXT = 1' -c 'TTCR = 0' -c 'PCLR.CAT = 3' -c 'HTCR.PRS = 1' -c 'HTCR.PRS = 0'
# Each interrupt that the boards can have; a line that another device has is refused.
rmmod surf sni
for irq in 5 9 10 12 14 15; do
    for module in surf sni; do
        if insmod /lib/modules/$module.ko irq=$irq; then rmmod $module; else echo "$module: irq $irq is refused"; fi
    done
done
