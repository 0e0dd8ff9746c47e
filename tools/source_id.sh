#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# source_id.sh ROOT OUTPUT: a header with the SHA-256 of every source file that can change a result. Unlike the commit it knows edits that
# are not committed and ignores documents. Written only when it changed, so that nothing is compiled again for nothing.
set -eu
id=$(cd "$1" && find stack cc emu tools -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64)
line="#define WT_SOURCE \"$id\" /* of all sources; see tools/source_id.sh */"
[ -f "$2" ] && [ "$(cat "$2")" = "$line" ] || echo "$line" >"$2"
