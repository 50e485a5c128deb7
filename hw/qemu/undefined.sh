#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# undefined.sh OBJECT QEMU - every symbol of QEMU that the object refers to is in symbols.h
# (there weak.h makes it weak and guard.c checks it), and symbols.h lists nothing else.
set -eu
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nm -D --defined-only "$2" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/qemu"
nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -v '^qemu_plugin_' | sort -u |
  comm -12 - "$tmp/qemu" >"$tmp/used"
sed -n 's/^SYMBOL(\(.*\))$/\1/p' "$here/symbols.h" | sort -u >"$tmp/listed"
if ! diff "$tmp/listed" "$tmp/used"; then
  echo "not ok - symbols.h (<) and what $1 uses of QEMU (>) differ"
  exit 1
fi
echo "ok - $(wc -l <"$tmp/used") symbols of QEMU, all listed"
