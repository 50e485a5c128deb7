#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A half-sized and an absent SIMM, as simm.scenario has them: the driver finds what answers, whatever presence detect says.
. /tests/lib.sh

same "trace memory" "$(attribute surf0 trace_size)" 8388608
same "histogram memory" "$(attribute surf0 hist_size)" 0
holds "memories" drivertest memory
surf -c SHOW >/tmp/show
holds "presence detect says 16 MB and empty" grep -q 'FCCR.* TSPD E  HSPD F' /tmp/show
holds "the trace is as large as fits: 4 MB" grep -q 'ACDR.* TSIZE 1' /tmp/show
finish
