#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# surf save and surf load (3.7): what was counted before and after add up, also when the run goes on meanwhile.
. /tests/lib.sh

register() { surf -c SHOW | sed -n "s/^$1 \([0-9A-F]*\).*/\1/p"; }
counted() { # all bins
    surf -c "SAVE HISTOGRAM /tmp/h" || return
    sum=0
    while read -r bin count; do
        [ "$bin" = "#" ] || sum=$((sum + 0x$count))
    done </tmp/h
    echo $sum
}
wipe() { surf -c "IEMR = 0" -c "HTCR = 0" -c "CLEAR HISTOGRAM" -c "CLEAR TRACE" -c "CLEAR FIFO" -c "TICR = 0" -c "TECR = 0" -c "WCDR = 0" -c "ISCR = 1F87"; }
some() { simple --groups 512 --words 1 --combine off >/tmp/simple; }
untouched() { [ "$(surf -c SHOW)" = "$shown" ]; }

holds "set up" wipe
holds "set up" surf -c "FPGA /firmware/size-latency.bit" -c "ACDR = 02006080" -c "PCLR = 15" -c "HFCDR.FULL = 20" -c "HTCR = 7"
holds "half of the packets" some
first=$(counted)
holds "$first packets: more than SIMPLE's 512, as barriers are packets, too" test "$first" -gt 512
holds "save" surf save /tmp/one
same "it collects on" "$(register HTCR)" 0000000F
holds "wipe" wipe
same "nothing is there" "$(counted)" 0
holds "load" surf load /tmp/one
holds "save again" surf save /tmp/two
holds "the same file" cmp /tmp/one /tmp/two
holds "the other half" some
same "all are counted" "$(counted)" $((2 * first))
same "TECR counts them, too" $((0x$(register TECR))) $((2 * first))

# A run that goes on: SIMPLE writes while the board is saved. What the file has is of one moment.
simple --groups 4000 --words 1 --wait-us 1000 --combine off >/tmp/simple &
sleep 1 # not by SHOW: while ACDR's bits turn, packets of a collecting board see others (A.9.2)
holds "save in the middle" surf save /tmp/middle
wait $!
after=$(counted)
same "after it TECR and the histogram agree" $((0x$(register TECR))) "$after"
# One packet each millisecond.
missed=$((2 * first + 4000 + first - 512 - after))
holds "the board stood for $missed ms" test "$missed" -gt 0 -a "$missed" -lt 500
holds "load the middle" surf load /tmp/middle
middle=$(counted)
same "in it they agree, too" $((0x$(register TECR))) "$middle"
holds "it is of the middle: $middle" test "$middle" -gt $((2 * first)) -a "$middle" -lt "$after"

shown=$(surf -c SHOW)
sed '$d' /tmp/one >/tmp/short
sed 's/^PCLR 00000015/PCLR 00000014/' /tmp/one >/tmp/changed
surf load /tmp/short 2>/tmp/why && why=loaded || why=$(cat /tmp/why)
same "one without its end is refused" "${why#surf: /tmp/short:}" "$(wc -l </tmp/short): the file ends here: expected the line of END"
surf load /tmp/changed 2>/tmp/why && why=loaded || why=$(cat /tmp/why)
holds "a changed one, too: $why" test "${why#surf: /tmp/changed:$(wc -l </tmp/one): the sum is }" != "$why"
holds "neither touched the board" untouched
# In the same boot.
holds "what is hot is told" hot.sh
finish
