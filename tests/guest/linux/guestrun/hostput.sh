#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files for the host; tests/guest/linux/guestrun/hostput-test compares what arrives with the sums printed.
dd if=/dev/urandom of=/tmp/large bs=1M count=24 2>/dev/null
echo some text >/tmp/text
: >/tmp/empty
for name in large text empty; do
    hostput $name </tmp/$name || exit 1
    echo "sum $(md5sum <"/tmp/$name" | cut -d' ' -f1) $name"
done
! hostput a/b </dev/null 2>/dev/null
