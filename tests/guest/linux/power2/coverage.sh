#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What no other test of the POWER2 monitor's driver and programs does: each group of MMCR, the storage control unit's own counts, and
# each error on purpose while somebody counts (coverage.scenario). For coverage-test; what comes of it the monitor's own tests check.
set -e
p2run --groups all --period 1ms -o /dev/null sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done'
p2run --groups sga -o /dev/null true
[ -d /sys/kernel/debug/power2 ] || mount -t debugfs debugfs /sys/kernel/debug
cat /sys/kernel/debug/power2/registers
p2stat 500ms 20 || true # the card goes away meanwhile
