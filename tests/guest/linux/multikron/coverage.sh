#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What no other test of MULTIKRON's driver and programs does: a sample on each level, a software count in each counter, samples that
# are lost while none waits. For coverage-test; what comes of it the chip's own tests check.
set -e
mk csr sampling no-wait
mk filter 0-15
mk mux 0-15 soft
mk enable 0-15
mk counter --count 2 0-15
level=0
while [ $level -lt 16 ]; do
    mk sample $level 1
    mk sample -r $level 0x123456789abc
    level=$((level + 1))
done
mkbench -t 2 -B 3000 >/dev/null
mk status
mk clear overruns
