#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the drivers of SurfBoard and SNI promise, and the programs that use them. surfboard.sh PART..., one or more, in a boot; a PART may have words.
. /tests/lib.sh

# The modules load, find the boards, set them up, give all of it back, and respect firmware's choice.
# Boards: SNI in slot 1, SurfBoard in slot 2, as guest-run has them.
modules() {
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

    same "its registers for developers" "$(dumped surf0 WCDR) $(wc -l </sys/kernel/debug/surf0/registers)" "0x00000000 10"
    same "the SNI's" "$(dumped sni0 SCR) $(wc -l </sys/kernel/debug/sni0/registers)" "0x00000007 18"

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

    line=9 # ACPI's; guest/linux/shared_irq.h says why not where the kernel watches its locks
    [ ! -e /proc/lockdep ] || line=10
    holds "surf loads again, irq $line" insmod /lib/modules/surf.ko irq=$line
    holds "sni on the same line" insmod /lib/modules/sni.ko irq=$line
    holds "both share it, with whoever has it" grep -q "$line:.*surf0.*sni0" /proc/interrupts
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
}

# What the character devices promise. drivers [TRACE_BYTES HIST_BYTES of each SurfBoard]
drivers() {
    n=0
    while [ $# -ge 2 ]; do
        same "trace size of surf$n" "$(attribute surf$n trace_size)" "$1"
        same "histogram size of surf$n" "$(attribute surf$n hist_size)" "$2"
        n=$((n + 1))
        shift 2
    done
    parts drivertest memory receive rules waits pages limit held drain protect notify user threshold
    if [ -c /dev/surf1 ]; then
        holds "two boards" drivertest shared
    fi
    if [ -c /dev/sni1 ]; then
        holds "two networks" drivertest networks
        holds "SIMPLE on the second" sh -c 'simple --device /dev/sni1 --groups 4 --words 64 | grep -q wrong_words=0'
    fi
    # It leaves the SurfBoard as it comes.
    holds "users that do anything" drivertest fuzz 500 1
    module_stays surf0 surf
}

# Packets, memories and interrupts.
works() {
    parts drivertest receive memory threshold
}

# SIMPLE: what was written, sent, closed and delivered agrees.
stores() {
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

    # A timer interrupt would end the last packet: a run without one, which few are, as SIMPLE reads /proc/interrupts before it begins.
    for attempt in $(seq 60); do
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
    holds "alone: waited $(key "$f" waited_ns) ns" test "$(key "$f" waited_ns)" -lt $(($(key "$f" elapsed_ns) / 100))
    run boundary --groups 16 --boundary 256 --wait-us 0 --store-us 0
    holds "256-byte boundary: 16 packets a group" test "$(key "$f" endb)" = 256
    run group --combine off --store-us 0 # faster than a receiver takes packets
    same "no combining: a packet a word" "$txp" 524288
    holds "the driver throttled ($(key "$f" throttle_entries) times)" test "$(key "$f" throttle_entries)" -gt 0
    holds "for some time ($(key "$f" throttle_ns) ns)" test "$(key "$f" throttle_ns)" -gt 1000000
    # How long it takes to switch to the driver's thread and back is the kernel's matter.
    holds "the driver's loop left out, waited $(key "$f" waited_ns) ns" test "$(key "$f" waited_ns)" -lt $(($(key "$f" throttle_ns) / 2))

    yes >/dev/null &
    run neighbour --groups 64
    kill $!
    holds "beside another program: waited $(key "$f" waited_ns) ns" test "$(key "$f" waited_ns)" -gt $(($(key "$f" elapsed_ns) / 10))
}

# surf save and surf load (3.7) while a run goes on. What they keep of a board that stands still is unit-surf's.
state() {
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

    holds "set up" wipe
    holds "set up" surf -c "FPGA /firmware/size-latency.bit" -c "ACDR = 02006080" -c "PCLR = 15" -c "HFCDR.FULL = 20" -c "HTCR = 7"
    # SIMPLE writes while the board is saved. What the file has is of one moment.
    simple --groups 4000 --words 1 --wait-us 1000 --combine off >/tmp/simple &
    sleep 1 # not by SHOW: while ACDR's bits turn, packets of a collecting board see others (A.9.2)
    holds "save in the middle" surf save /tmp/middle
    wait $!
    same "it collects on" "$(register HTCR)" 0000000F
    after=$(counted)
    same "after it TECR and the histogram agree" $((0x$(register TECR))) "$after"
    # One packet each millisecond, and six of the barriers.
    missed=$((4006 - after))
    holds "the board stood for $missed ms" test "$missed" -gt 0 -a "$missed" -lt 500
    holds "wipe" wipe
    same "nothing is there" "$(counted)" 0
    holds "load the middle" surf load /tmp/middle
    middle=$(counted)
    same "in it they agree, too" $((0x$(register TECR))) "$middle"
    holds "it is of the middle: $middle" test "$middle" -gt 0 -a "$middle" -lt "$after"
    holds "save again" surf save /tmp/again
    # But for ISCR.LV, which no register sets (a latency may not have fitted its window), and the checksum.
    for file in middle again; do grep -v "^ISCR\|^END" /tmp/$file >/tmp/$file.set; done
    holds "the same file but for ISCR" cmp /tmp/middle.set /tmp/again.set
}

# surf hot (3.6): SIMPLE's packets reach thresholds, and a trace is taken around the first.
hot() {
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
}

# SIMPLE under trace. The driver has loaded TSIZE. twice-test finds all of it the same the second time.
repeat() {
    holds "traced" drivertest trace on
    holds "words" simple --groups 512 --words 1
    holds "groups" simple --groups 64
    drivertest trace off >/tmp/traced
    cat /tmp/traced
    holds "packets" grep -q '^records [1-9]' /tmp/traced
    dd if=/dev/surf0 bs=1M count=16 2>/dev/null | md5sum
    date
}

# The boards are as the configuration ROM (firmware/eisa) has left them: the drivers keep that, and the network works.
rom() {
    same "boards that firmware has configured" "$(dmesg | grep -c 'configured by firmware')" 3
    window() { sed -n "s/ *\([0-9a-f]*\)-[0-9a-f]* : $1\$/\1/p" /proc/iomem | tr '\n' ' '; }
    same "the network's window" "$(window sni0)" "d0100000 "
    same "the first monitor's windows" "$(window surf0)" "d0000000 d8000000 "
    same "the second one's" "$(window surf1)" "d0010000 e0000000 "
    lines() { sed -n "s/^ *\([0-9]*\):.*[ ,]$1\(,.*\)*\$/\1/p" /proc/interrupts; }
    same "the interrupts" "$(lines sni0) $(lines surf0) $(lines surf1)" "5 9 5"
    simple --groups 16 --words 4 >/tmp/simple
    same "words that arrive" "$(key /tmp/simple rxw)" 64
    same "all are right" "$(key /tmp/simple wrong_words)" 0
}

# The machine sleeps (S3: QEMU resets all devices) with the boards at work, and wakes up. Twice: the second time
# from what the first has restored.
power() {
    holds "others' interrupts on the lines" insmod ./faults.ko what=early "irq=$(attribute surf0 irq),$(attribute sni0 irq)"
    config() { echo "$(attribute surf0 ebcr) $(attribute sni0 sbcr)"; }
    before=$(config)
    holds "a sleep" drivertest power
    holds "another" drivertest power
    same "handlers asked before their boards were on" "$(dmesg | grep -c 'faults: irq .* says')" 4
    same "EBCR and SBCR" "$(config)" "$before"
    works
}

# Errors on purpose as inject.scenario does them.
inject() {
    holds "the errors of the scenario" drivertest inject
}

# A half-sized and an absent SIMM, the last lines of inject.scenario: the driver finds what answers, whatever presence detect says.
simm() {
    sleep 2 # until then
    rmmod surf
    holds "surf finds them" insmod /lib/modules/surf.ko
    same "trace memory" "$(attribute surf0 trace_size)" 8388608
    same "histogram memory" "$(attribute surf0 hist_size)" 0
    holds "memories" drivertest memory
    surf -c SHOW >/tmp/show
    holds "presence detect says 16 MB and empty" grep -q 'FCCR.* TSPD E  HSPD F' /tmp/show
    holds "the trace is as large as fits: 4 MB" grep -q 'ACDR.* TSIZE 1' /tmp/show
}

# What no other test of the SurfBoard's driver and programs does: an experiment in each mode with an interrupt for each condition, the
# FIFO's offsets, the external connector. For coverage-test; what comes of it the boards' own tests check.
coverage() {
    set -e
    drivertest tour
    say() { surf "$@" >/dev/null; }
    few() { simple --groups 1 --words 16 --wait-us 1 --combine off >/dev/null; }
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
    few
    say -c show -c 'TECR = 0' -c 'ISCR.TC = 1' -c 'HTCR = 0'
    say -c 'TTCR.MODE = 2' -c 'HTCR = 1'
    few
    say -c show -c 'HTCR.TRG = 0' -c 'ISCR.TC = 1' -c 'HTCR = 1' -c 'HTCR.TRG = 1' -c 'HTCR.TRG = 0' -c 'HTCR = 0' -c 'TPIR = 5'
    # Counters that wrap: words, a bin.
    say -c 'WCDR = FFFFFFFE' -c 'IEMR.WCV = 1' -c 'HTCR = 4'
    few
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
    few
    say -c show -c 'HTCR = 0' -c 'ISCR.FV = 1' -c 'SAVE FIFO /tmp/fifo' -c 'CLEAR FIFO'
    # A bitstream that is damaged.
    cp /firmware/size-latency.bit /tmp/bad.bit
    dd if=/dev/zero of=/tmp/bad.bit bs=1 seek=5000 count=200 conv=notrunc 2>/dev/null
    ! say -c 'FPGA /tmp/bad.bit' 2>/dev/null
    surf -c show | grep 'ERR 1'
    # The external connector: what goes out comes in.
    say -c 'IEMR.EXT = 1' -c 'TTCR.MEI = 1' -c 'TTCR.MEOD = 1' -c 'TTCR.MBV = 1' -c 'ECDR.DATA = 1' -c show -c 'ECDR.DATA = 0' \
        -c 'TTCR.EIP = 1' -c 'TTCR.EOP = 1' -c show -c 'ISCR.EXT = 1' -c 'TTCR = 0' -c 'PCLR.CAT = 3' -c 'HTCR.PRS = 1' -c 'HTCR.PRS = 0'
    # Each interrupt that the boards can have; a line that another device has is refused, as the kernel's log says.
    rmmod surf sni
    for irq in 5 9 10 12 14 15; do
        for module in surf sni; do
            if insmod /lib/modules/$module.ko irq=$irq; then rmmod $module; else echo "$module: irq $irq is refused"; fi
        done
    done
    exit 0
}

# Every error on purpose of SurfBoard and SNI meets the drivers at work: coverage.scenario has the times. For coverage-test; that each
# arrives as what the paper names the boards' own tests check. The kernel complains of the line that is stuck.
errors() {
    say() { surf "$@" >/dev/null 2>&1; }
    at() { until_second "$1"; } # since the LED went on
    packets() { simple --groups 2 --words 64 --wait-us 1 --combine off >/dev/null; }
    collect() { # COMMAND...: an experiment, all interrupts enabled
        say -c 'IEMR = 0' -c 'HTCR = 0' -c 'ACDR = 02006080' -c 'TTCR = 0' -c 'CLEAR TRACE' -c 'TICR = 0' -c 'TECR = 0' -c 'WCDR = 0' \
            -c 'ISCR = 1F87' "$@" -c 'IEMR = 3F87' -c 'HTCR = 7'
        packets
        say -c show -c 'HTCR = 0' -c 'ISCR = 1F87'
    }
    echo 1 >/sys/class/misc/surf0/led
    scenario_starts
    set -x
    at 2; collect                             # a clock that is ahead
    at 4; collect                             # packets that come too fast, too late, and without an end
    say -c 'HTCR.PRS = 1' -c 'HTCR.PRS = 0'
    at 6; collect                             # lost, and damaged
    at 8; drivertest threshold                # a bin's address that finds the FIFO full
    at 10; collect                            # a receive clock that wraps; the SNI's global reset ends it
    drivertest clocks; say -c show
    at 12; say -c 'FPGA /firmware/size-latency.bit'
    at 14; say -c 'FPGA /firmware/size-latency.bit'
    at 16; say -c show -c 'CLEAR TRACE'       # SIMMs that are half, then absent
    at 18; packets; say -c show
    at 20; say -c show; packets               # the boards are gone
    at 22; say -c show; packets               # they are back; the interrupt's line
    at 24; packets; say -c show
    at 26; dmesg | tail -5
    exit 0
}

for part in "$@"; do $part; done
finish
