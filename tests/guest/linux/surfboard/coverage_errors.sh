#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every error on purpose of SurfBoard and SNI meets the drivers at work: coverage.scenario has the times. For coverage-test; that each
# arrives as what the paper names the boards' own tests check.
say() { surf "$@" >/dev/null 2>&1; }
at() { # SECONDS of the guest's clock
    while [ "$(cut -d . -f 1 /proc/uptime)" -lt "$1" ]; do sleep 0.1; done
}
packets() { simple --groups 2 --words 64 --wait-us 1 --combine off >/dev/null; }
collect() { # COMMAND...: an experiment, all interrupts enabled
    say -c 'IEMR = 0' -c 'HTCR = 0' -c 'ACDR = 02006080' -c 'TTCR = 0' -c 'CLEAR TRACE' -c 'TICR = 0' -c 'TECR = 0' -c 'WCDR = 0' \
        -c 'ISCR = 1F87' "$@" -c 'IEMR = 3F87' -c 'HTCR = 7'
    packets
    say -c show -c 'HTCR = 0' -c 'ISCR = 1F87'
}
set -x
at 10; collect                            # a clock that is ahead
at 12; collect                            # packets that come too fast, too late, and without an end
say -c 'HTCR.PRS = 1' -c 'HTCR.PRS = 0'
at 14; collect                            # lost, and damaged
at 16; drivertest threshold               # a bin's address that finds the FIFO full
at 18; collect                            # a receive clock that wraps; the SNI's global reset ends it
./snitour clocks; say -c show
at 20; say -c 'FPGA /firmware/size-latency.bit'
at 22; say -c 'FPGA /firmware/size-latency.bit'
at 24; say -c show -c 'CLEAR TRACE'       # SIMMs that are half, then absent
at 26; packets; say -c show
at 28; say -c show; packets               # the boards are gone
at 30; say -c show; packets               # they are back; the interrupt's line
at 32; packets; say -c show
at 34; dmesg | tail -5
