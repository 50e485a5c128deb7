#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Errors on purpose as a scenario does them: see inject.scenario.
. /tests/lib.sh

holds "the errors of the scenario" drivertest inject
finish
