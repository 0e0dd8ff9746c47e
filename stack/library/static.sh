#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# libwavetank.a from the objects of the facade and the archives below it: one object, of which only the export list is visible.
#   static.sh MAP OUTPUT FACADE.a ARCHIVE...
set -e
map=$1 output=$2 facade=$3
shift 3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
sed -n 's/^\t\t\(wt_lib_[a-z0-9_]*\);$/\1/p' "$map" >"$place/keep"
${LD:-ld} -r -o "$place/wavetank.o" --whole-archive "$facade" --no-whole-archive "$@"
${OBJCOPY:-objcopy} --keep-global-symbols="$place/keep" --remove-section='.gnu.lto_*' --remove-section='.gnu.debuglto_*' "$place/wavetank.o"
rm -f "$output"
${AR:-ar} rcsD "$output" "$place/wavetank.o"
