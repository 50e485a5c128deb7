# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the scripts here: checks that count their failures.
#   same WHAT GOT WANTED      holds WHAT COMMAND...      finish
#   attribute DEVICE NAME     dumped DEVICE REGISTER     key FILE NAME     uptime_cs
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

finish() {
    if dmesg | grep -E 'BUG|WARNING|Call Trace|irq .*nobody cared|invalid memtype|page allocation failure'; then
        echo "FAILED: the kernel complains"
        failures=$((failures + 1))
    fi
    exit $((failures != 0))
}

attribute() { cat "/sys/class/misc/$1/$2"; }
# A board's register in debugfs, as register_dump.h shows it.
dumped() {
    [ -d "/sys/kernel/debug/$1" ] || mount -t debugfs debugfs /sys/kernel/debug
    sed -n "s/^$2 = //p" "/sys/kernel/debug/$1/registers"
}
# Hundredths of a second since the kernel began to count.
uptime_cs() { sed 's/\.\([0-9]*\) .*/\1/; s/^0*//' /proc/uptime; }
key() { sed -n "s/^$2=//p" "$1"; } # of simple's output
