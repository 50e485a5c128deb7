#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# surf hot (3.6): SIMPLE's packets reach thresholds, and a trace is taken around the first.
. /tests/lib.sh

begin() { # surf hot's options; returns when it watches
    surf hot "$@" >/tmp/hot 2>/tmp/hot.err &
    watcher=$!
    until grep -q watching /tmp/hot; do kill -0 $watcher || return; done
}
told() { sed 's/^[0-9.]* s  //' /tmp/hot | sed 1d; } # without the times
ended() { wait $watcher; }
packets() { simple --groups 512 --words 1 --combine off "$@" >/tmp/simple; }

# A packet each millisecond: each threshold is told before the next packet comes. The board's colours have 01 on top: 3 is 19.
holds "set up: a trace of 16 packets" surf -c "ACDR = 02006000" -c "PCLR.CAT = 5"
holds "watch" begin color -p 100 -n 5 -t 60 --trace /tmp/around
holds "512 packets" packets --wait-us 1000 --color 3
holds "five thresholds are reached" ended
# One SNI plays all nodes: its packets come from the node before.
sender=$(($(key /tmp/simple node) - 1))
page=$(printf %X "$(key /tmp/simple receive_page)")
# Three packets of the barrier came before.
index=$(printf %06X $(((3 + 99) % 16)))
same "each is told, and the packet that reached the first" "$(told)" "color 19: 100 packets
trigger at $index: page $page sender $sender color 19 category 5 words 1
color 19: 200 packets
color 19: 300 packets
color 19: 400 packets
color 19: 500 packets"
same "sixteen are saved, eight of them before it" "$(grep -v '^#' /tmp/around | cut -d' ' -f1 | sed -n '9p;$=' | tr '\n' ' ')" "$index 16 "
same "nothing is said" "$(cat /tmp/hot.err)" ""

holds "watch senders" begin sender -p 518 -t 60
holds "512 packets, and 6 of the barriers" packets
holds "are all that is needed" ended
same "of one sender" "$(told)" "sender $sender: 518 packets"
holds "watch categories" begin category -p 519 -o 5 --trace /tmp/end --mode end
holds "one too few" packets
kill $watcher
ended
same "a signal ends it" $? 143
same "nothing was told" "$(told)" ""
same "but what there was is saved" "$(grep -vc '^#' /tmp/end)" 16
surf hot color -p 1 -t 1 >/tmp/hot 2>/tmp/hot.err
same "no packet comes" "$? $(cat /tmp/hot.err)" "1 surf: the end came after 0 of 1 thresholds"
surf hot category -o 16 2>/tmp/hot.err
same "there are 16 categories" "$? $(cat /tmp/hot.err)" "2 surf: --only 16: expected 0 to 15, the values of category"
finish
