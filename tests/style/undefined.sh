#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# undefined.sh QEMU OBJECT SERIES.H LIST=ARCHIVE[,ARCHIVE]... - nothing keeps the object from being loaded, so that load.c can say
# what is wrong. Each symbol of QEMU that it refers to is weak, and what the archives refer to is in their
# LIST (SYMBOL(name)), or in the core's and the series': a list holds nothing more, and a board's nothing that the core's holds. And the object
# needs no library that differs between releases of a distribution.
set -eu
qemu=$1 object=$2 series=$3
shift 3
core=$(dirname "$0")/../../hw/qemu/core/load/symbols.h
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
listed() { grep -ohE '^(#define PB_SERIES_SYMBOLS .*|SYMBOL\(.*\))' "$@" | grep -oE 'SYMBOL\(\w+\)' | sed 's/SYMBOL(\(.*\))/\1/' | sort; }
# Without a version (@GLIBC_...): that is a library's, of which QEMU keeps a copy.
nm -D --defined-only "$qemu" | awk '$3 !~ /@/ { print $3 }' | sort -u >"$tmp/qemu"
listed "$core" "$series" >"$tmp/core"
for part; do
  name=${part%%=*}
  # shellcheck disable=SC2046
  nm --undefined-only $(echo "${part#*=}" | tr , ' ') | awk '/:$/ { skip = /symbols_needed/ } NF == 2 && !skip { print $2 }' | sort -u |
    join - "$tmp/qemu" >"$tmp/used"
  if [ "$name" -ef "$core" ]; then
    cp "$tmp/core" "$tmp/listed"
  else
    comm -13 "$tmp/core" "$tmp/used" >"$tmp/own"
    mv "$tmp/own" "$tmp/used"
    listed "$name" >"$tmp/listed"
  fi
  if ! diff "$tmp/listed" "$tmp/used"; then
    echo "not ok - $name (<) and what it uses of QEMU (>) differ"
    exit 1
  fi
done
nm -D --undefined-only "$object" | awk '{ sub(/@.*/, "", $NF); print $NF, $(NF - 1) }' | sort -u | join - "$tmp/qemu" >"$tmp/both"
if grep -v ' [vw]$' "$tmp/both"; then
  echo "not ok - the references above are not weak"
  exit 1
fi
if LC_ALL=C readelf -d "$object" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vxE 'libglib-2\.0\.so\.0|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6|libc\.so\.6|ld-linux-x86-64\.so\.2|ld-linux-aarch64\.so\.1'; then
  echo "not ok - another QEMU may come with another of the libraries above: link them statically"
  exit 1
fi
echo "ok - $(wc -l <"$tmp/both") symbols of QEMU, all listed and weak"
