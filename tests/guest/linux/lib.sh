# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the scripts here: checks that count their failures.
#   same WHAT GOT WANTED      holds WHAT COMMAND...      parts PROGRAM 'PART WORDS'...      finish
#   attribute DEVICE NAME     dumped DEVICE REGISTER     key FILE NAME     uptime_cs
#   refused COMMAND...        status_of COMMAND...       set_attribute DEVICE NAME VALUE
#   pci_of DEVICE             module_stays DEVICE MODULE removed DEVICE TEST
failures=0

same() {
    if [ "$2" = "$3" ]; then
        echo "ok: $1: $2"
    else
        echo "FAILED: $1: '$2', expected '$3'"
        failures=$((failures + 1))
    fi
}

holds() {
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
    else
        echo "FAILED: $what"
        failures=$((failures + 1))
    fi
}

parts() { # PROGRAM 'PART WORDS'...
    program=$1
    shift
    for each in "$@"; do
        # shellcheck disable=SC2086
        holds "$program $each" "$program" $each
    done
}

finish() {
    if dmesg | grep -E 'BUG|WARNING|Call Trace|irq .*nobody cared|invalid memtype|page allocation failure'; then
        echo "FAILED: the kernel complains"
        failures=$((failures + 1))
    fi
    exit $((failures != 0))
}

refused() { ! "$@" >/dev/null 2>&1; }
status_of() { "$@" >/dev/null 2>&1; echo $?; }
set_attribute() { echo "$3" >"/sys/class/misc/$1/$2"; }
pci_of() { basename "$(readlink -f "/sys/class/misc/$1/device")"; }
module_stays() { holds "a module in use stays" sh -c "exec 3</dev/$1; ! rmmod $2 2>/dev/null"; }
# The card goes away under the test, and comes back.
removed() {
    holds "removal" "$2" gone "$(pci_of "$1")"
    holds "no device" test ! -e "/dev/$1"
    echo 1 >/sys/bus/pci/rescan
    holds "it is back" test -c "/dev/$1"
}
# Its driver leaves it, and looks for it again.
bound_again() { # MODULE PCI
    echo "$2" >"/sys/bus/pci/drivers/$1/unbind"
    echo "$2" >"/sys/bus/pci/drivers/$1/bind" 2>/dev/null
}
debugfs() { [ -d "/sys/kernel/debug/$1" ] || mount -t debugfs debugfs /sys/kernel/debug; }
attribute() { cat "/sys/class/misc/$1/$2"; }
# A board's register in debugfs, as register_dump.h shows it.
dumped() {
    debugfs "$1"
    sed -n "s/^$2 = //p" "/sys/kernel/debug/$1/registers"
}
# Hundredths of a second since the kernel began to count.
uptime_cs() { sed 's/\.\([0-9]*\) .*/\1/; s/^0*//' /proc/uptime; }
scenario_starts() { start=$(uptime_cs); }
until_second() { while [ $(($(uptime_cs) - start)) -lt "$1"00 ]; do usleep 100000; done; }
key() { sed -n "s/^$2=//p" "$1"; } # of simple's output
