# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a guest with the boards plugged in and give a shell on its console.

  perfboard shell [options]

As perfboard run, whose options it has, but the console is this terminal, which gets what the guest writes as it is. `exit` or `poweroff -f` ends the machine;
--get's files come then. QEMU's own monitor: Ctrl-A C; Ctrl-A X kills the machine.
"""

from guestrun import arguments, verdict

from . import run

TAKES_COMMAND = True  # to be refused in words of its own
EPILOG = verdict.manual()
PREFIX = run.PREFIX


options = arguments.add
main = run.main
