#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the character devices promise.  drivers.sh [TRACE_BYTES HIST_BYTES [SLOTS]]
. /tests/lib.sh

if [ $# -ge 2 ]; then
    same "trace size" "$(attribute surf0 trace_size)" "$1"
    same "histogram size" "$(attribute surf0 hist_size)" "$2"
fi
holds "memories" drivertest memory
holds "receiving" drivertest receive
holds "what a descriptor may do" drivertest rules
holds "waits" drivertest waits
holds "pages" drivertest pages
holds "their limit" drivertest limit
holds "pages that somebody still holds" drivertest held
holds "memory that stays free" drivertest drain
holds "one process from another" drivertest protect
holds "notifications" drivertest notify
holds "messages without a system call" drivertest user
[ "${2:-1}" = 0 ] || holds "threshold" drivertest threshold
if [ -c /dev/surf1 ]; then
    holds "two boards" drivertest shared
fi
if [ -c /dev/sni1 ]; then
    holds "two networks" drivertest networks
    holds "SIMPLE on the second" sh -c 'simple --device /dev/sni1 --groups 4 --words 64 | grep -q wrong_words=0'
fi
# It leaves the SurfBoard as it comes.
holds "users that do anything" drivertest fuzz 500 1
holds "a module in use stays" sh -c 'exec 3</dev/surf0; ! rmmod surf 2>/dev/null'
finish
