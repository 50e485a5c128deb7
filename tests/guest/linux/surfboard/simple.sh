#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIMPLE: what was written, sent, closed and delivered agrees.
. /tests/lib.sh

run() { # name, then simple's options
    name=$1
    shift
    holds "$name" sh -c "simple $* >/tmp/$name"
    f=/tmp/$name
    words=$(key "$f" words)
    txp=$(key "$f" txp)
    same "$name: words sent" "$(key "$f" txw)" "$words"
    same "$name: words delivered" "$(key "$f" rxw)" "$words"
    same "$name: packets delivered" "$(key "$f" rxp)" "$txp"
    same "$name: stores lost" "$(key "$f" ovf)" 0
    ends=0
    for end in endd endr endn endb endt endp endf; do
        ends=$((ends + $(key "$f" $end)))
    done
    same "$name: every packet has a cause" "$ends" "$txp"
    sum=0
    for term in comb fifo back eisa xfer; do
        sum=$((sum + $(key "$f" lat_${term}_sum)))
    done
    same "$name: the terms make the latency" "$sum" "$(key "$f" lat_total_sum)"
}

# A timer interrupt would end the last packet: a run without one, which eight of ten are.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    run word-combine --words 1
    [ "$(key "$f" timer_interrupts)" != 0 ] || break
done
same "no timer interrupt in attempt $attempt" "$(key "$f" timer_interrupts)" 0
same "one packet a word" "$txp" 512
holds "the last packet waited" test "$(key "$f" lat_comb_max)" -gt 200000
run word --words 1 --combine off
same "one packet a word" "$txp" 512
holds "none waited" test "$(key "$f" lat_comb_max)" = 0
same "combining was off" "$(key "$f" endd)" 512
average=$(($(key "$f" lat_total_sum) / 512))
holds "about 5 us ($average ns)" test "$average" -ge 4000 -a "$average" -le 6000

run group-combine
holds "combining: $txp packets" test "$txp" -gt 512 -a "$txp" -lt 5242
same "each group ended at the page's boundary" "$(key "$f" endb)" 512
ticks=$(key "$f" timer_interrupts)
holds "extra packets ($((txp - 512))) come with timer interrupts ($ticks)" \
    test $((txp - 512)) -le $((ticks * 2 + 2)) -a "$ticks" -gt 0
run boundary --groups 16 --boundary 256 --wait-us 0
holds "256-byte boundary: 16 packets a group" test "$(key "$f" endb)" = 256
run group --combine off
same "no combining: a packet a word" "$txp" 524288
holds "the driver throttled ($(key "$f" throttle_entries) times)" test "$(key "$f" throttle_entries)" -gt 0
holds "for some time ($(key "$f" throttle_ns) ns)" test "$(key "$f" throttle_ns)" -gt 1000000

holds "alone: waited $(key "$f" waited_ns) ns" test "$(key "$f" waited_ns)" -lt $(($(key "$f" elapsed_ns) / 100))
yes >/dev/null &
run neighbour --groups 64
kill $!
holds "beside another program: waited $(key "$f" waited_ns) ns" test "$(key "$f" waited_ns)" -gt $(($(key "$f" elapsed_ns) / 10))
finish
