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

p2run -o /dev/null sh -c 'exit 3'
same "the command's exit code" $? 3
p2run -o /dev/null no-such-command 2>/dev/null
same "of one that is not there" $? 127
p2run -o /dev/null sh -c 'kill -9 $$'
same "of one that is killed" $? 137

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
$program '' -v plain >plain
p2run --csv -o counted -e flops $program '' -v plain >/dev/null
flops=$(column counted flops)
holds "p2run has all three multiplications ($flops)" test "$flops" -ge $((3 * once))
p2run --scope marked --csv -o counted -e flops $program '' -v plain >/dev/null
same "the same by the mark" "$(column counted flops)" "$flops"
p2run --scope system --csv -o counted -e flops $program '' -v plain >/dev/null
all=$(column counted flops)
holds "the whole machine's: p2run's own as well ($all)" test "$all" -ge "$flops" -a "$all" -lt $((flops + 1000))
p2run --csv -o counted -e flops sh -c "$program '' -v plain; true" >/dev/null
same "children are left out" "$(column counted flops)" 0
p2run -c --csv -o counted -e flops sh -c "$program '' -v plain; true" >/dev/null
same "children count with -c" "$(column counted flops)" "$flops"

p2run -n 3 --csv -o counted -e flops,instructions $program '' -v plain >/dev/null
echo 'each = flops' >rules
echo 'second' >>rules
echo 'all = each.sum : n' >>rules
p2reduce --csv -r rules counted >reduced
same "three runs, reduced" "$(column reduced mean 1) $(column reduced sd 1) $(column reduced n 1) $(column reduced mean 2)" "$flops 0 3 $((3 * flops))"

# Two groups of the FPU: in turns. Four samples take 4 ms each, twice.
p2run -o turns -e fp_add,fp_div p2matmul -n 72 -b 8 -e '' >/dev/null
cat turns
same "counts in turns: each has a share and a spread" "$(grep -cE '% of the cycles, (\+- |spread not known)' turns)" 2
holds "and shares are of the cycles" grep -q 'of the cycles): estimates' turns
p2run -o turns -e fp_add,fp_div --period 10s $program '' >/dev/null
same "one turn alone: the other's event was not counted" "$(grep -c '<not counted>' turns)" 1

if [ "$(uname -m)" = ppc64le ]; then
    p2run --user --csv -o counted -e flops --segment multiply $program '' -v plain >/dev/null
    same "a function of it: three calls" "$(column counted flops)" $((3 * once))
    p2run --user --csv -o counted --imr fmadd -e imr,fp_fma --segment multiply $program '' -v plain >/dev/null
    holds "IMR matches multiply-adds" test "$(column counted imr)" -gt 0
fi

p2stat --csv -P 20ms 3 >stat
same "p2stat's rows" "$(grep -vc '^#' stat)" $((1 + 3 * (1 + $(grep -c '^processor' /proc/cpuinfo))))
holds "of which the first has executed something" test "$(column stat instructions | cut -d. -f1)" -gt 0

p2trace record -o log --hooks --tick 5ms -e flops,instructions $program '' -v plain --hooks >/dev/null
same "p2trace" $? 0
p2trace csv log >csv
same "hooks before and behind" "$(awk -F, '$8 == "hook" { print $9 }' csv | tr '\n' ' ')" "1 2 "
p2trace summary --csv log >summary
same "what the process has in the log" "$(awk -F, '$2 == "p2matmul" { print $5 }' summary)" "$flops"
holds "JSON" sh -c 'p2trace json log | tail -n 1 | grep -q "}$"'
finish
