#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The boards are as the configuration ROM (firmware/eisa) has left them: the drivers keep that, and the network works.
. /tests/lib.sh

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
finish
