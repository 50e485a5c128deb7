#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What multikron.ko and mk report of errors on purpose (inject.scenario, beside this). Data of samples say whether they are to arrive.
. /tests/lib.sh

# Half a second behind the scenario's line. The Timestamp counts virtual time in 100 ns.
since_start() { echo $(($(attribute multikron0 timestamp) - start)); }
behind() {
    while [ "$(since_start)" -lt "$1"5000000 ]; do
        usleep 10000
    done
}
status_bit() { mk status | sed -n "s/.*$1 \([01]\).*/\1/p"; }
number() { mk status | sed -n "s/^$1 Counter *\([0-9]*\) .*/\1/p"; }
samples() { # NUMBER DATA
    n=$1
    while [ "$n" -gt 0 ]; do
        mk sample 0 "$2"
        n=$((n - 1))
    done
}

mk csr sampling
start=$(attribute multikron0 timestamp)
mk filter 0-15
samples 1 1
same "at first nothing is lost" "$(number Overrun)" 0

behind 2 # the network takes nothing
samples 8 2
same "eight levels: full" "$(status_bit 'FIFO full')" 1
same "not yet overrun" "$(status_bit 'FIFO overrun') $(number Overrun)" "0 0"
samples 2 0xdead
same "overrun" "$(status_bit 'FIFO overrun') $(number Overrun)" "1 2"
behind 5 # it takes them again
same "the FIFO is empty" "$(status_bit 'FIFO full')" 0
samples 1 3
same "a sample that is taken resets the flag" "$(status_bit 'FIFO overrun') $(number Overrun)" "0 2"
mk clear overruns

behind 6 # three samples find the FIFO full
samples 3 0xdead
same "lost" "$(status_bit 'FIFO full') $(status_bit 'FIFO overrun') $(number Overrun)" "0 1 3"
samples 1 4
same "and no more" "$(status_bit 'FIFO overrun') $(number Overrun)" "0 3"

behind 8 # a wrong bit
samples 1 0xbad
behind 10 # no end flag: the reader loses the next as well
samples 2 0xbad
samples 1 5
same "the chip knows nothing of it" "$(status_bit 'FIFO overrun') $(number Overrun)" "0 3"

mk mux 3 soft && mk clear all && mk enable 3 && mk counter --count 5 3
same "counted" "$(attribute multikron0 counter3)" 5
behind 12 # counter 3 is full
same "full" "$(mk counter 3 | sed -n 2p | tr -s ' ')" " 3 soft yes 4294967295 (full)"
mk counter --count 5 3
same "it sticks" "$(attribute multikron0 counter3)" 4294967295
mk clear 3 && mk counter --count 5 3
behind 14 # bit 7 of it
same "wrong by 128" "$(attribute multikron0 counter3)" 133

behind 15
usleep 1000000 # the card has gone
same "all ones" "$(attribute multikron0 csr)" 0xffffffffffffffff
same "its counters cannot be read" "$(cat /sys/class/misc/multikron0/counter3 2>&1 | sed 's/.*: //')" "Resource temporarily unavailable"
samples 1 0xdead
usleep 2000000 # it is back
same "back, as it was" "$(attribute multikron0 counter3) $(attribute multikron0 enable)" "133 0x0008"
samples 1 6

# For coverage-test, what no other test of the driver and its programs does; what comes of it the chip's own tests check.
if [ "${1:-}" = coverage ]; then
    set -e
    mk csr sampling no-wait
    mk mux 0-15 soft
    mk enable 0-15
    mk counter --count 2 0-15
    level=0
    while [ $level -lt 16 ]; do
        mk sample $level 1
        mk sample -r $level 0x123456789abc
        level=$((level + 1))
    done
    mkbench -t 2 -B 3000 >/dev/null
    mk status
    mk clear overruns
fi
finish
