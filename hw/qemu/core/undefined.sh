#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# undefined.sh OBJECT QEMU - nothing keeps the object from being loaded, so that guard.c can say what is wrong:
# each symbol of QEMU that it refers to is weak and in symbols.h, which lists nothing else; and it needs no library
# that differs between releases of a distribution.
set -eu
here=$(dirname "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# Without a version (@GLIBC_...): that is a library's, of which QEMU keeps a copy.
nm -D --defined-only "$2" | awk '$3 !~ /@/ { print $3 }' | sort -u >"$tmp/qemu"
nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF, $(NF - 1) }' | sort -u >"$tmp/undefined"
join "$tmp/undefined" "$tmp/qemu" >"$tmp/both"
cut -d ' ' -f 1 "$tmp/both" >"$tmp/used"
sed -n 's/^SYMBOL(\(.*\))$/\1/p' "$here/symbols.h" | sort -u >"$tmp/listed"
if ! diff "$tmp/listed" "$tmp/used"; then
  echo "not ok - symbols.h (<) and what $1 uses of QEMU (>) differ"
  exit 1
fi
if grep -v ' [vw]$' "$tmp/both"; then
  echo "not ok - the references above are not weak"
  exit 1
fi
if LC_ALL=C readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vxE 'libglib-2\.0\.so\.0|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libm\.so\.6|libc\.so\.6|ld-linux-x86-64\.so\.2'; then
  echo "not ok - another QEMU may come with another of the libraries above: link them statically"
  exit 1
fi
echo "ok - $(wc -l <"$tmp/used") symbols of QEMU, all listed and weak"
