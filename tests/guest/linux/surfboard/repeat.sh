#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIMPLE under trace, the trace memory to the host. The driver has loaded TSIZE.
drivertest trace on || exit 1
simple --groups 512 --words 1 || exit 1
simple --groups 64 || exit 1
drivertest trace off
dd if=/dev/surf0 bs=1M count=16 2>/dev/null | hostput trace
date
