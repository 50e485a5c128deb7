#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools, where they count: each number is known from the program, or from another tool.
. /tests/lib.sh
cd /tmp || exit

# A column of a CSV file's line, by the column's name: column FILE NAME [LINE behind the names].
column() { awk -F, -v name="$2" -v line="${3:-1}" '/^#/ { next } !n++ { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } n == line + 1 { print $at }' "$1"; }

rows=24
once=$((2 * rows * rows * rows)) # operations of a multiplication
program="p2matmul -n $rows -b 8 -e"

# So many calls that the other processes' are few beside them, on a busy host, too.
p2mix -m 100000 -u 150000 -c 1000 >mixed
status=$?
[ $status = 0 ] || cat mixed
same "Table 1 with two processes" $status 0

while read -r status command; do
    eval "p2run -o /dev/null $command" 2>/dev/null </dev/null
    same "status of p2run $command" $? "$status"
done <<'END'
3 sh -c 'exit 3'
127 no-such-command
137 sh -c 'kill -9 $$'
END

# Without -o: standard error, whatever /dev has.
links=$(for name in fd stdin stdout stderr; do readlink /dev/$name; done | tr '\n' ' ')
same "/dev has names for descriptors" "$links" "/proc/self/fd /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 "
rm -f /dev/stderr
p2run -e instructions true 2>said
holds "p2run writes to its standard error ($(wc -c <said) bytes)" grep -q ' instructions ' said
holds "and makes no file of that name" test ! -e /dev/stderr
ln -s /proc/self/fd/2 /dev/stderr

p2matmul -n $rows -b 8 --user --csv -e flops,instructions >own1
p2matmul -n $rows -b 8 --user --csv -e flops,instructions >own2
same "operations of the plain one" "$(column own1 flops 1)" $once
same "operations of the one in blocks" "$(column own1 flops 2)" $once
same "again, to the instruction" "$(cat own2)" "$(cat own1)"

# Filled once, checked once, then twice for each variant; filling takes operations of its own.
# flops_of OPTION... COMMAND: its operations, as p2run counts them with these options.
flops_of() { p2run --csv -o counted -e flops "$@" >/dev/null; column counted flops; }
below="$program '' -v plain; true" # a shell's child
$program '' -v plain >plain
flops=$(flops_of $program '' -v plain)
holds "p2run has all three multiplications ($flops)" test "$flops" -ge $((3 * once))
same "the same by the mark" "$(flops_of --scope marked $program '' -v plain)" "$flops"
all=$(flops_of --scope system $program '' -v plain)
holds "the whole machine's: p2run's own as well ($all)" test "$all" -ge "$flops" -a "$all" -lt $((flops + 1000))
same "children are left out" "$(flops_of sh -c "$below")" 0
same "children count with -c" "$(flops_of -c sh -c "$below")" "$flops"
same "children of the marked count without it" "$(flops_of --scope marked sh -c "$below")" "$flops"
same "but for --alone" "$(flops_of --scope marked --alone sh -c "$below")" 0

p2run -n 3 --csv -o counted -e flops,instructions $program '' -v plain >/dev/null
same "three runs" "$(for n in 1 2 3; do column counted flops $n; done | tr '\n' ' ')" "$flops $flops $flops "

# What the machine's clock is, scripts/guestrun/arch.py says to the kernel.
p2run -n 4 -o runs -e cycles $program '' >/dev/null
cat runs
same "runs that differ by the host's clock name --icount" "$(grep -c 'perfboard run --icount' runs)" "$(grep -c nosoftlockup /proc/cmdline)"

# Two groups of the FPU: in turns. Four samples take 4 ms each, twice.
p2run -o turns -e fp_add,fp_div p2matmul -n 72 -b 8 -e '' >/dev/null
cat turns
same "counts in turns: each has a share and a spread" "$(grep -cE '% of the cycles, (\+- |spread not known)' turns)" 2
holds "and shares are of the cycles" grep -q 'of the cycles): estimates' turns
p2run -o turns -e fp_add,fp_div --period 10s $program '' >/dev/null
same "one turn alone: the other's event was not counted" "$(grep -c '<not counted>' turns)" 1

same "a function of it: three calls" "$(flops_of --user --segment multiply $program '' -v plain)" $((3 * once))
if [ "$(uname -m)" = ppc64le ]; then
    p2run --user --csv -o counted --imr fmadd -e imr,fp_fma --segment multiply $program '' -v plain >/dev/null
    holds "IMR matches multiply-adds" test "$(column counted imr)" -gt 0
fi

p2stat --csv -P 20ms 3 >stat
same "p2stat's rows" "$(grep -vc '^#' stat)" $((1 + 3 * (1 + $(grep -c '^processor' /proc/cpuinfo))))
holds "of which the first has executed something" test "$(column stat instructions | cut -d. -f1)" -gt 0

# Registers, counters, and a program in between, each a command of its own.
# The tools themselves compute little.
about() { [ "$1" -ge "$2" ] && [ "$1" -lt $(($2 + 1000)) ]; }
number() { awk -v name="$2" '$3 == name || $2 == name && NF == 2 { print $1; exit }' "$1"; }
p2read >said 2>&1
same "nothing is set: p2read's status" $? 1
p2set -e flops,instructions --user
$program '' -v plain >/dev/null
p2read >stood
head -n 1 stood
holds "p2set, the program, p2read: its operations ($(number stood flops))" about "$(number stood flops)" "$flops"
p2run -e flops true 2>said
holds "the counters are not free, and it says why" grep -q 'p2set --off' said
p2read --reset >/dev/null
p2read >stood
holds "reset: operations" about "$(number stood flops)" 0
p2set --stop
$program '' -v plain >/dev/null
p2read >stood
holds "stopped" about "$(number stood flops)" 0
p2set --go
$program '' -v plain >/dev/null
p2read --csv 1ms 2 >stood
holds "a row of all" about "$(column stood flops 1)" "$flops"
holds "and one of what came then" about "$(column stood flops 2)" 0
p2set --mmcr "$(p2event --sets flops | cut -d ' ' -f 2)" --imr 1
p2read -P >stood
same "MMCR as it was given, for all and for each processor" "$(grep -c "^MMCR $(p2event --sets flops | cut -d ' ' -f 2)  IMR 0x00000001 " stood)" $((1 + $(grep -c '^processor' /proc/cpuinfo)))
same "22 counters" "$(awk 'NF >= 2 && $1 ~ /^[0-9]+$/ { n++ } /^processor/ { exit } END { print n }' stood)" 22
sh -c 'while :; do :; done' &
p2set -e instructions --pid $!
p2read >stood
until [ "$(number stood instructions)" -gt 1000 ]; do p2read >stood; done
holds "a marked process: DMR ($(head -n 1 stood))" grep -q '^MMCR .* DMR ' stood
kill $!
p2set --off
p2set --off 2>said
same "the end comes once" $? 1
same "the counters are free" "$(flops_of $program '' -v plain)" "$flops"

# Hooks of the kernel by name, and by what they are called with: a program's hook begins it, another ends it.
hooks=/sys/module/power2/parameters/hooks
echo sched_process_fork,sched_process_exec >$hooks
p2trace record --no-switch --hooks -o log -e instructions sh -c 'p2event cycles & wait' >/dev/null
p2trace json log >json
for name in sched_process_fork sched_process_exec; do
    holds "a hook of the kernel by its name: $name" grep -q "\"$name\"" json
done
echo sched_process_fork,sys_enter >$hooks
p2trace record --no-switch --hooks -o log -e instructions --when hook=1:state=1 --when hook=2:state=0 --when event=sys_enter,state=1 \
    $program '' -v plain --hooks >/dev/null
p2trace csv log >csv
same "system calls between two hooks of the program" "$(awk -F, '/^[0-9]/ { print $8, $9 }' csv | uniq | tr '\n' ' ')" "hook 1 event 1 hook 2 "
echo >$hooks

p2trace record -o log --hooks --tick 5ms -e flops,instructions $program '' -v plain --hooks >/dev/null
same "p2trace" $? 0
p2trace csv log >csv
same "hooks before and behind" "$(awk -F, '$8 == "hook" { print $9 }' csv | tr '\n' ' ')" "1 2 "
p2trace summary --csv log >summary
same "what the process has in the log" "$(awk -F, '$2 == "p2matmul" { print $5 }' summary)" "$flops"
finish
