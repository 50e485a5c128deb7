#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What smile.ko, smilelib and smile promise: four nodes, a monitor at each. smile.sh PART...
. /tests/lib.sh

counted() { awk -F, '/^[0-9]/ { n += $5 } END { print n + 0 }' "$1"; } # a histogram's sum
column() { awk -F, -v c="$2" '{ n += $c } END { print n + 0 }' "$1"; }
said() { sed -n "s/^$1 //p" /tmp/said; }
field() { tail -n 1 "$1" | cut -d , -f "$2"; } # of a CSV file's last line

drivers() {
    for n in 0 1 2 3; do
        holds "smile$n is there" test -c /dev/smile$n
        same "its node" "$(attribute smile$n node)" $n
    done
    same "design" "$(attribute smile0 design)" dynamic
    same "entries" "$(attribute smile0 entries)" 16
    same "running" "$(attribute smile0 running)" 0
    same "16 MB of records" "$(($(cat /sys/module/smile/parameters/limit) * $(smiletest page_bytes)))" 16777216
    same "the design among the registers in debugfs" "$(dumped smile0 CCM_DESIGN)" 0x00000002
    same "and the node" "$(dumped smile3 NODE)" 0x00000003
    parts smiletest rules cache "exact 0 4000"
    holds "64-bit totals" smiletest totals 200000
    parts smiletest watches events "interrupts 30000" readers waiting full slow reload
}

removal() {
    module_stays smile0 smile
    device=$(pci_of smile0)
    smiletest interrupts 30000 >/tmp/under-unbind &
    usleep 20000
    for round in 1 2 3; do
        echo "$device" >/sys/bus/pci/drivers/smile/unbind
        holds "unbound, round $round" test ! -e /dev/smile0
        same "three are left" "$(ls /dev/smile* | wc -l)" 3
        echo "$device" >/sys/bus/pci/drivers/smile/bind
        usleep 10000
    done
    wait
    holds "all are there" test -c /dev/smile0
    holds "works again" smiletest exact 0 1000
    removed smile0 smiletest
    holds "and works" smiletest exact 0 1000
    smile load static >/dev/null
    smile watch -i 0.01 -n 100 a=0+4K >/dev/null & # the module cannot be unloaded now
    until [ "$(attribute smile0 running)" = 1 ]; do usleep 1000; done
    holds "a module in use stays" refused rmmod smile
    kill $!
    wait
    holds "the module unloads" rmmod smile
    holds "and loads" insmod /lib/modules/smile.ko
    same "the design is the one that was loaded" "$(attribute smile3 design)" static
    holds "works" smiletest exact 0 1000
}

# gone.scenario: a card that goes before the machine sleeps has no design afterwards.
asleep() {
    holds "the card answers" test "$(attribute smile1 packets)" != 4294967295
    echo 0 >/sys/class/misc/sci/enable # gone.scenario's
    until [ "$(attribute smile1 packets)" = 4294967295 ]; do usleep 100000; done
    echo mem >/sys/power/state
    same "designs after the sleep" "$(attribute smile0 design) $(attribute smile1 design)" "dynamic none"
    holds "a call for it is refused" refused smile -c 1 start
    same "the others answer" "$(attribute smile0 node) $(attribute smile2 node)" "0 2"
}

# daughter.scenario: cards with a daughter board, whose cables exchange the designs under the driver.
daughter() {
    bars=$(cat /sys/class/misc/smile0/device/resource)
    for n in 0 1 2 3; do same "node and design" "$(attribute smile$n node) $(attribute smile$n design)" "$n dynamic"; done
    same "the card's FPGA has PCI_Target" "$(dumped smile0 CCM_DESIGN)" 0x00000003
    same "the tool knows" "$(smile info | grep -c 'dynamic (16 entries) on the daughter board')" 4
    holds "exact before" smiletest exact 0 4000
    same "the driver cannot load it" "$(smile load static 2>&1)" \
        "smile: /dev/smile0: static: the design is on the daughter board (dynamic is there): exchange it over the board's cable"
    holds "nor does watch" refused smile watch -n 1 a=0+4K
    exec 3</dev/smile0
    echo 1 >/sys/class/misc/sci/enable # daughter.scenario's first
    away=0
    until [ "$(attribute smile3 design)" = static ]; do
        [ "$(attribute smile0 node)" = 0 ] && [ "$(dumped smile0 CCM_DESIGN)" = 0x00000003 ] || away=1
    done
    same "the card was on the bus all the time" $away 0
    same "designs" "$(attribute smile0 design) $(attribute smile1 design) $(attribute smile2 design)" "static static static"
    same "the driver's device is the same" "$(readlink /proc/self/fd/3) $(attribute smile0 entries)" "/dev/smile0 0"
    holds "exact after" smiletest totals 200000
    holds "structures with names" smiletest watches
    smile event 5 # its second
    until [ "$(attribute smile3 design)" = dynamic ]; do usleep 1000; done
    holds "exact again" smiletest exact 63 4000
    same "base addresses" "$(cat /sys/class/misc/smile0/device/resource)" "$bars"
    same "what the driver said" "$(dmesg | grep -c 'smile0: the .* design is on the daughter board now')" 2
    exec 3<&-
}

# Of monitors with entries=4 and a queue of 64 records, or none.
small() {
    holds "interrupts" smiletest interrupts 30000 32
    no_queue
}

no_queue() {
    same "entries" "$(attribute smile0 entries)" 4
    holds "a loss is told" smiletest loss 50000
    holds "64-bit totals" smiletest totals 100000
}

tool() {
    smile info
    same "status of info" "$(status_of smile info)" 0
    same "CSV of info" "$(smile info --csv | sed -n '2,$p' | cut -d , -f 1-4 | tr '\n' ' ')" "0,0,dynamic,16 1,1,dynamic,16 2,2,dynamic,16 3,3,dynamic,16 "
    same "load" "$(smile load static | tail -n 1)" "/dev/smile3: static"
    same "a design that is not there" "$(status_of smile load nothing)" 1
    same "an image that is too large" "$(smile load large 2>&1)" "smile: /dev/smile0: large: File too large"
    same "no command" "$(status_of smile)" 2
    same "a wrong filter" "$(status_of smile start -f reed)" 2
    same "a structure beyond the window" "$(status_of smile watch -n 1 a=1024M+4)" 1
    same "no program" "$(status_of smile run)" 2
    same "no card" "$(status_of smile -c 9 info)" 1
    same "help" "$(status_of smile --help) $(status_of smile run --help)" "0 0"
    same "a program's status" "$(status_of smile run -- sh -c 'exit 7') $(status_of smile watch a=0+4 -- sh -c 'exit 8')" "7 8"
    same "one that is not there" "$(status_of smile run -- /nowhere)" 127

    # The program says what it did; the histogram's sum is that.
    smile run --csv /tmp/h.csv -- smiletest plain 20000 >/tmp/said
    sent=$(said sent)
    same "run: transactions" "$(sed -n 's/ transactions.*//p' /tmp/said)" "$sent"
    same "sum of the CSV" "$(counted /tmp/h.csv)" "$sent"
    smile start -r 4
    smiletest plain 3000 >/tmp/said
    smile dump >/tmp/d.csv
    same "dump" "$(counted /tmp/d.csv)" "$(said sent)"
    same "a second dump" "$(smile dump | grep -c '^[0-9]')" 0
    smile stop
    same "stopped" "$(attribute smile2 running)" 0
    smile start
    smiletest plain 1000000 >/dev/null & busy=$!
    smile top -n 2 -i 0.05 --rows 3 >/tmp/top
    kill $busy
    same "top: times" "$(grep -c transactions /tmp/top)" 2
    holds "top: rows" test "$(grep -c '^0x' /tmp/top)" -ge 3
    same "top joins what runs" "$(attribute smile2 running)" 1
    smile watch -n 2 -i 0.05 --csv a=0+4K,filter=read+sent b=4K+4K >/tmp/watch
    same "watch: lines" "$(wc -l </tmp/watch)" 5
    same "watch stops" "$(attribute smile2 running) $(attribute smile2 design)" "0 static"

    # Pages that the program distributes itself; and pages that another one moves meanwhile.
    smiletest homes 1
    smile watch --csv a=0+32K -- sh -c 'smiletest homes 2; smiletest user 3 5000 >/dev/null' >/tmp/watch
    same "watch follows the pages" "$(field /tmp/watch 7)" 5000
    { until [ -e /tmp/watched ]; do usleep 1000; done; smiletest homes 1; touch /tmp/moved; } &
    same "watch: pages that it cannot follow" \
        "$(status_of smile watch a=0+32K -- sh -c 'touch /tmp/watched; until [ -e /tmp/moved ]; do usleep 1000; done')" 1
    wait

    # A names file that the user has written.
    printf 'name,offset,bytes\nfirst,0,16384\nsecond,16384,16384\n' >/tmp/names
    smiletest homes 1
    smile watch --csv --names /tmp/names second,filter=write+sent first -- smiletest user 3 5000 >/tmp/watch
    same "watch: by name, in the words' order" "$(sed -n '2,$p' /tmp/watch | cut -d , -f 2 | tr '\n' ' ')" "second first "
    same "no names file" "$(status_of smile top -n 1 --names /tmp/nothing)" 1
    same "a timeline of nothing" "$(status_of smile timeline)" 2

    # Node 3 uses pages whose home is node 1; then they are its own.
    smiletest homes 1
    smile run --csv /tmp/before.csv -- smiletest user 3 5000 >/dev/null
    smile advise /tmp/before.csv >/tmp/advice
    cat /tmp/advice
    same "better homes" "$(grep -c ',1,3,' /tmp/advice)" 8
    same "would move" "$(smile apply --dry-run /tmp/advice)" "8 of 8 pages would move"
    same "moved" "$(smile apply </tmp/advice)" "8 of 8 pages moved"
    same "again" "$(smile apply </tmp/advice)" "0 of 8 pages moved"
    smile run --csv /tmp/after.csv -- smiletest user 3 5000 >/dev/null
    same "remote accesses before" "$(counted /tmp/before.csv)" 5000
    same "remote accesses after" "$(counted /tmp/after.csv)" 0
    same "no better home" "$(smile advise /tmp/after.csv | grep -c '^[0-9]')" 0
    # While it runs, and until then.
    smiletest homes 1
    smile run --csv /tmp/moving.csv -- sh -c 'smiletest moving 3 >/tmp/said &
        until grep -q begun /tmp/said 2>/dev/null; do usleep 1000; done; smile apply /tmp/advice; wait' >/dev/null
    all=$(said accesses)
    remote=$(counted /tmp/moving.csv)
    holds "accesses before the pages moved were remote" test "$remote" -gt 0
    holds "those after it were not" test "$remote" -le $((all - 1000))
    # By itself: the program ends when its pages are at home.
    smiletest homes 1
    smile adapt -i 0.002 --csv /tmp/adapt.csv -- smiletest moving 3 >/tmp/said
    all=$(said accesses)
    same "adapt: pages that moved" "$(column /tmp/adapt.csv 3)" 8
    holds "adapt: accesses after it were not remote" test "$(column /tmp/adapt.csv 2)" -le $((all - 1000))
    same "adapt: a program's status" "$(status_of smile adapt -i 0.01 -- sh -c 'exit 7')" 7
    same "adapt: without a program" "$(smile adapt -i 0.01 -n 3 | cut -d , -f 1)" "3 intervals"
    same "adapt: a wrong fade" "$(status_of smile adapt --fade 0 -n 1)" 2
    # Threads: the pages stay, and the program ends when it runs where they are. Nobody is on that node.
    smiletest homes 1
    smile adapt --threads -i 0.002 --csv /tmp/adapt.csv -- sh -c 'smiletest moving 3 & wait' >/tmp/said
    cat /tmp/said
    all=$(said accesses)
    same "adapt --threads: what moved" "$(awk '$2 == "smiletest" { print $3, $4, $5 }' /tmp/said)" "3 1 1"
    same "adapt --threads: in the table" "$(column /tmp/adapt.csv 3)" 1
    holds "adapt --threads: accesses after it were not remote" test "$(column /tmp/adapt.csv 2)" -le $((all - 1000))
    smiletest moving 3 >/tmp/moving & busy=$!
    until grep -q begun /tmp/moving 2>/dev/null; do usleep 1000; done
    smile adapt --threads --pid $busy -i 0.01 -n 10 >/tmp/said
    same "adapt --pid: what moved" "$(awk '$1 == '$busy' { print $2, $3, $4, $5 }' /tmp/said)" "smiletest 3 1 1"
    wait
    smile adapt --threads --dry-run -i 0.002 -- smiletest user 3 100000 >/tmp/said
    holds "adapt --threads --dry-run: what would move" test "$(sed -n 's/.* \([0-9]*\) times a thread would have moved$/\1/p' /tmp/said)" -gt 0
    same "and all was remote" "$(sed -n 's/.*intervals, \([0-9]*\) remote.*/\1/p' /tmp/said)" 100000
    smile run --csv /tmp/h.csv -- smiletest user 3 5000 >/dev/null
    same "the pages are where they were" "$(awk -F, '/^[0-9]/ { n[$3 $4] += $5 } END { print n[31] }' /tmp/h.csv)" 5000
    same "adapt --threads: nobody is on one node alone" "$(smile adapt --threads -i 0.002 -- sh -c 'usleep 20000' 2>&1 >/dev/null)" "smile: no thread was on one node alone, so none could move"
    same "adapt --threads: of whom" "$(status_of smile adapt --threads -n 1) $(status_of smile adapt --threads --pid 1 -- true)" "2 2"
    same "adapt --pid: without --threads, of nobody" "$(status_of smile adapt --pid 1 -n 1) $(status_of smile adapt --threads --pid $busy -n 1)" "2 1"
    same "a wrong page" "$(printf 'page,better\n99999999,1\n' | status_of smile apply)" 1
}

# What smile.ko, smilelib and smile show of the errors in inject.scenario.
inject() {
    of() { attribute smile"$1" "$2"; }
    # run WORDS...: plain traffic under `smile run`; its status, and what it said, in /tmp/said
    run() { smile run --csv /tmp/h.csv -- smiletest plain "$@" >/tmp/said 2>/tmp/complaint; }

    echo 1 >/sys/class/misc/sci/enable
    scenario_starts

    smiletest homes 1
    holds "loads by node 0 of node 1" smile run --csv /tmp/h.csv -- smiletest user 0 1000
    same "a missed request: its response is an orphan of node 0" "$(of 0 orphans) $(of 0 clashes)" "1 0"
    holds "damaged packets are, of node 1" test $(($(of 1 orphans) + $(of 1 clashes))) -gt 0
    smile info --csv >/tmp/info
    same "the tool shows them" "$(sed -n '2p' /tmp/info | cut -d , -f 12-13)" "$(of 0 orphans),$(of 0 clashes)"
    holds "traffic" run 1000
    same "a small ring loses nothing" "$(of 3 lost)" 0
    holds "but it interrupts" test "$(of 3 interrupts)" -gt 0
    holds "again" run 1000
    for n in 0 1 2 3; do same "nothing odd at node $n" "$(of $n orphans) $(of $n clashes)" "0 0"; done

    holds "a failing image is told" refused smile load static
    same "and the flash's design is there" "$(of 2 design)" dynamic
    holds "it loads the next time" smile load static
    holds "and back" smile load dynamic

    until_second 13
    holds "without a queue the ring's loss is told" refused run 20000
    holds "by the driver" test "$(of 3 lost)" -gt 0
    holds "and by the tool" grep -q 'records were lost' /tmp/complaint

    until_second 19
    smiletest homes 0
    smile run -r 64K --csv /tmp/h.csv -- smiletest user 3 600000 >/dev/null
    got=$(counted /tmp/h.csv)
    same "a counter that sticks at FFFF counts no further" "$got" 65535

    until_second 33
    usleep 200000
    holds "a spurious interrupt harms nobody" run 1000
    until_second 39
    usleep 200000
    holds "a line that is stuck low: records are found all the same" run 1000
    until_second 45
    holds "as before" run 1000

    until_second 51
    same "a card that is gone reads all ones" "$(of 1 packets) $(of 1 orphans)" "4294967295 4294967295"
    bound_again smile "$(pci_of smile1)"
    holds "the driver finds no card" test ! -e /dev/smile1
}

for part in "$@"; do $part; done
finish
