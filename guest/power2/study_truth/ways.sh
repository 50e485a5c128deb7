#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the program known measured in each way: first few rounds, then in each order.
#   ways.sh FEW ROUNDS EVENTS SETS PROBES     the ways' names are in the file /root/ways
# FEW, ROUNDS: four digits each, so that the program executes the same to read them. EVENTS: the PMU's, with commas; SETS: the same, those that
# can be counted at once with commas, and / between; PROBES: NAME:OFFSET of each function in /bin/known, with commas.
set -e
few=$1 rounds=$2 events=$3 sets=$4 probes=$5
tracing=/sys/kernel/tracing

pmu() { echo "$1" | sed 's,[^\,]*,power2/&/u,g'; }
each() { echo "$1" | tr "$2" ' '; }

alone() { known "$@"; }

monitor() {
    for set in $(each "$sets" /); do
        p2run --csv --user -o counts -e "$set" known "$@"
        cat counts
    done
}

fit() {
    for set in $(each "$sets" /); do
        perf stat -x , -o counts -e "$(pmu "$set")" known "$@"
        cat counts
    done
}

stat() {
    perf stat -x , -o counts -e "$(pmu "$events")" known "$@"
    cat counts
}

software() {
    perf stat -x , -o counts -e minor-faults,context-switches known "$@"
    cat counts
}

record() {
    perf record -q -o samples -e cpu-clock -F 4000 known "$@"
    perf script -i samples -F ip
}

itimer() { known "$@" 1000; }

# All of the kernel's functions that the program comes to.
functions() {
    echo 0 >$tracing/tracing_on
    echo function >$tracing/current_tracer
    # shellcheck disable=SC2016
    sh -c 'echo $$ >'$tracing'/set_ftrace_pid; echo 1 >'$tracing'/tracing_on; exec known "$@"' - "$@"
    traced
    echo nop >$tracing/current_tracer
    echo >$tracing/set_ftrace_pid
}

# Two of them.
filtered() {
    echo handle_mm_fault >$tracing/set_ftrace_filter
    echo hrtimer_nanosleep >>$tracing/set_ftrace_filter
    functions "$@"
    echo >$tracing/set_ftrace_filter
}

traced() {
    echo 0 >$tracing/tracing_on
    grep -e '^entries:' -e '^overrun:' $tracing/per_cpu/cpu0/stats
    grep -o -e ': handle_mm_fault' -e ': hrtimer_nanosleep' $tracing/trace | sort | uniq -c
    echo >$tracing/trace
}

calls() {
    for probe in $(each "$probes" ,); do
        echo "p:known/${probe%:*} /bin/known:${probe#*:}" >>$tracing/uprobe_events
    done
    echo 1 >$tracing/events/known/enable
    known "$@"
    echo 0 >$tracing/events/known/enable
    cat $tracing/uprobe_profile
    grep -e '^entries:' -e '^overrun:' $tracing/per_cpu/cpu0/stats
    echo >$tracing/uprobe_events
    echo >$tracing/trace
}

# How often each page of the program's has faulted, in a table of the least size.
table() {
    event=$tracing/events/exceptions/page_fault_user
    echo 'hist:keys=address:size=128 if comm == "known"' >$event/trigger
    known "$@"
    cat $event/hist
    echo '!hist:keys=address:size=128 if comm == "known"' >$event/trigger
}

echo 0 >/proc/sys/kernel/randomize_va_space # else a program lies elsewhere in each run
mount -t tracefs none $tracing
known mixed "$few" # its marks tell that all machines are the same until here
for way in $(cat ways); do
    echo "way $way base"
    $way mixed "$few"
    for order in mixed phased step; do
        echo "way $way $order"
        $way $order "$rounds"
    done
done
