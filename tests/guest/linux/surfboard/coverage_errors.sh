#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every error on purpose of SurfBoard and SNI meets the drivers at work: coverage.scenario has the times. For coverage-test; that each
# arrives as what the paper names the boards' own tests check.
say() { surf "$@" >/dev/null 2>&1; }
at() { # SECONDS since the LED went on
    while [ $(($(uptime_cs) - start)) -lt "$1"00 ]; do sleep 0.1; done
}
packets() { simple --groups 2 --words 64 --wait-us 1 --combine off >/dev/null; }
collect() { # COMMAND...: an experiment, all interrupts enabled
    say -c 'IEMR = 0' -c 'HTCR = 0' -c 'ACDR = 02006080' -c 'TTCR = 0' -c 'CLEAR TRACE' -c 'TICR = 0' -c 'TECR = 0' -c 'WCDR = 0' \
        -c 'ISCR = 1F87' "$@" -c 'IEMR = 3F87' -c 'HTCR = 7'
    packets
    say -c show -c 'HTCR = 0' -c 'ISCR = 1F87'
}
. /tests/lib.sh
echo 1 >/sys/class/misc/surf0/led
start=$(uptime_cs)
set -x
at 2; collect                             # a clock that is ahead
at 4; collect                             # packets that come too fast, too late, and without an end
say -c 'HTCR.PRS = 1' -c 'HTCR.PRS = 0'
at 6; collect                             # lost, and damaged
at 8; drivertest threshold                # a bin's address that finds the FIFO full
at 10; collect                            # a receive clock that wraps; the SNI's global reset ends it
./snitour clocks; say -c show
at 12; say -c 'FPGA /firmware/size-latency.bit'
at 14; say -c 'FPGA /firmware/size-latency.bit'
at 16; say -c show -c 'CLEAR TRACE'       # SIMMs that are half, then absent
at 18; packets; say -c show
at 20; say -c show; packets               # the boards are gone
at 22; say -c show; packets               # they are back; the interrupt's line
at 24; packets; say -c show
at 26; dmesg | tail -5
