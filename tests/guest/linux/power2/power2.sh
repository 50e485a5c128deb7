#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What power2.ko promises. power2.sh PART...
. /tests/lib.sh

debug=/sys/kernel/debug/power2/registers

registers() {
    debugfs power2
    same "registers of each processor" "$(cut -d ' ' -f 1-4 $debug)" "$(sed -n 's/^processor.*: \([0-9]*\)$/cpu \1 mmcr 80000000/p' /proc/cpuinfo)"
}

# What is the same in each run, to the last instruction.
counts() {
    holds "power2 is there" test -c /dev/power2
    same "version" "$(attribute power2 version)" 1
    same "nobody counts" "$(attribute power2 sessions) $(attribute power2 processes) $(attribute power2 probes)" "0 0 0"
    registers
    parts p2test info rules user enable exact children threads exec death system marks spe kept when late
}

# What a user without rights may do, and what not.
users() {
    parts p2test device user_segments user_execs user_schedule user_memory user_storms
}

# With what depends on the time that passes.
timed() {
    parts p2test log hooks segments perf perf_tasks
}

# Until a process has its session; not for ever if it has ended without.
session_of() {
    until [ "$(attribute power2 sessions)" = 1 ]; do
        kill -0 "$1" 2>/dev/null || break
        usleep 1000
    done
    same "a session is there" "$(attribute power2 sessions)" 1
}

processor1() { echo "$1" >/sys/devices/system/cpu/cpu1/online; }

# Processors, the module and the card come and go, under load.
churn() {
    p2test keep 0 & system=$!
    session_of $system
    p2test keep 1
    same "one session of the machine at a time" $? 1
    for round in 1 2 3; do
        holds "processor 1 off, round $round" processor1 0
        usleep 10000
        holds "processor 1 on, round $round" processor1 1
        usleep 10000
    done
    holds "a module in use stays" refused rmmod power2
    kill $system
    wait $system
    p2test keep 1 & marked=$!
    session_of $marked
    processor1 0
    usleep 10000
    processor1 1
    kill $marked
    wait $marked
    holds "counts afterwards" p2test exact
    holds "perf events keep the module" p2test pinned
    holds "a session that is left, which does not keep it" p2test leave
    holds "the module unloads" rmmod power2
    holds "no device is left" test ! -e /dev/power2 -a ! -e /sys/bus/event_source/devices/power2
    holds "a hook that is none" refused insmod /lib/modules/power2.ko hooks=nothing_of_that_name
    holds "it loads again" insmod /lib/modules/power2.ko hooks=sched_wakeup
    same "its hooks" "$(cat /sys/module/power2/parameters/hooks)" sched_wakeup
    holds "and counts" p2test exact

    removed power2 p2test
    holds "and counts" p2test exact
    holds "removal under perf" p2test perf_gone "$(pci_of power2)"
    echo 1 >/sys/bus/pci/rescan
    holds "back after that" test -c /dev/power2
}

# The card comes back to its driver when another device has its number by then: MULTIKRON, which is bound again in between.
rebind() {
    bus=/sys/bus/pci/drivers
    card=$(pci_of power2)
    other=$(pci_of multikron0)
    number=$(attribute power2 dev)
    echo "$card" >$bus/power2/unbind
    bound_again multikron "$other"
    same "the other device has its number" "$(attribute multikron0 dev)" "$number"
    holds "bound again" sh -c "echo $card >$bus/power2/bind"
    holds "the device is there" test -c /dev/power2
    holds "and counts" p2test exact
}

# Debian's perf, a program that knows nothing of this driver.
perf_tool() {
    holds "perf stat" perf stat -x , -o /tmp/csv -e power2/instructions/u,power2/branches/u,power2/fxu0_instructions/u p2test program
    cat /tmp/csv
    value() { grep "power2/$1/u" /tmp/csv | cut -d , -f "$2"; }
    # 20 loops of 100000 rounds, two instructions and a branch each, and what comes with them.
    holds "its instructions" test "$(value instructions 1)" -gt 4000000 -a "$(value instructions 1)" -lt 5000000
    holds "its branches" test "$(value branches 1)" -gt 2000000 -a "$(value branches 1)" -lt 3000000
    holds "what FXU0 executed" test "$(value fxu0_instructions 1)" -gt 0
    same "nothing was scaled" "$(grep power2 /tmp/csv | cut -d , -f 5 | sort -u)" 100.00
    perf stat -x , -o /tmp/csv -a -C 0 -e power2/instructions/k p2test exact >/dev/null
    holds "a processor's kernel" test "$(value_k)" -gt 10000
    holds "names" sh -c 'perf list pmu | grep -q power2/dcache_load_mis/'

    # The paper's log: the counters at each switch, and at each tick of a processor's clock.
    mount -t tracefs none /sys/kernel/tracing 2>/dev/null
    perf record -q -a -o /tmp/log -e '{sched:sched_switch,power2/instructions/u,power2/branches/u}:S' p2test program
    holds "instructions between switches" logged instructions 4000000 5000000
    holds "branches" logged branches 2000000 3000000
    perf record -q -a -o /tmp/log -e '{cpu-clock/period=1000000/,power2/instructions/u}:S' p2test program
    holds "instructions between ticks" logged instructions 3900000 5000000
    perf script -i /tmp/log -F comm,period,event | head -40
}
# What the log has of the program is LEAST to MOST: logged EVENT LEAST MOST
logged() {
    perf script -i /tmp/log -F comm,period,event |
        awk -v event="power2/$1/u:" -v least="$2" -v most="$3" '$1 == "p2test" && $3 == event { n += $2 } END { print n; exit !(n >= least && n < most) }'
}
value_k() { grep power2/instructions/k /tmp/csv | cut -d , -f 1; }

# What power2.ko and p2stat report of errors on purpose (inject.scenario, beside this).
rows() { # CONDITION of awk, in which i, c and e are a second's instructions, cycles and errors: in how many seconds it held
    awk -F , "/^[0-9]/ { i = \$8; c = \$9; e = \$10; if ($1) n++ } END { print n + 0 }" /tmp/csv
}

inject() {
    same "every monitor has answered" "$(attribute power2 unanswered)" 0
    holds "p2stat" p2stat -e instructions,cycles,errors --csv -o /tmp/csv 1s 18 2>/tmp/said
    cat /tmp/csv /tmp/said
    # A counter is 32 bits wide, a total 64.
    same "three errors, in one second" "$(rows 'e == 3')" 1
    same "a roll-over, of all three in one second" "$(rows 'c > 4000000000 && i > 4000000000 && e > 4000000000')" 1
    same "it is no more than what the counters were set to" "$(rows 'c > 8000000000 || i > 8000000000 || e > 8000000000')" 0
    same "and errors in no other second" "$(rows 'e > 0')" 2
    holds "seconds in which no monitor was there" test "$(rows 'i == 0')" -ge 3
    holds "a row with all ones in it there is none" test "$(rows 'i >= 4294967290 && i <= 4294967295')" -eq 0
    holds "seconds after them" test "$(rows 'i > 10000')" -ge 9
    holds "the driver has noticed" test "$(attribute power2 unanswered)" -gt 300
    holds "and p2stat says so" grep -q "did not answer [0-9]* times: what it counted meanwhile is missing" /tmp/said
    holds "counts afterwards" p2test exact
}

# What no other part reaches of the board: each group of MMCR, and the storage control unit's own counts.
groups() {
    holds "each group" p2run --groups all --period 1ms -o /dev/null sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done'
    holds "the storage control unit's own" p2run --groups sga -o /dev/null true
    debugfs power2
    holds "registers" cat $debug
}

sleeps() { holds "the machine sleeps" p2test sleep; }

for part in "$@"; do $part; done
finish
