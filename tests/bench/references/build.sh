#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds what tests/bench/references.py runs beside our engine: lwIP of Debian's source package, smoltcp of crates.io. Not part of a build or
# a test run: it needs the network, a compiler, apt-get, dpkg-dev and cargo. FOLDER is made, and holds all that is fetched.
#
#   build.sh FOLDER
set -eu
[ $# -eq 1 ] || { echo "usage: build.sh FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

# The system's own package lists stay as they are.
if [ ! -d lwip ]; then
	mkdir -p apt/lists/partial
	echo "deb-src http://deb.debian.org/debian bookworm main" > apt/sources.list
	from="-o Dir::Etc::sourcelist=$PWD/apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/apt/lists -o APT::Sandbox::User=root"
	apt-get $from -qq update
	apt-get $from -qq source lwip
	mv lwip-*/ lwip
fi
cat > arch_cc.h <<'END'
#include <stdio.h>
#include <stdlib.h>
#define LWIP_PLATFORM_DIAG(x) do { printf x; } while (0)
#define LWIP_PLATFORM_ASSERT(x) do { fprintf(stderr, "lwIP: %s\n", x); abort(); } while (0)
#define LWIP_RAND() ((u32_t)rand())
END
mkdir -p arch && mv arch_cc.h arch/cc.h
cc -O3 -flto -w -o serve_lwip -I. -I"$here" -Ilwip/src/include "$here/serve_lwip.c" lwip/src/core/*.c lwip/src/core/ipv4/*.c \
	lwip/src/netif/ethernet.c
cp -r "$here/smoltcp" . # cargo writes beside its sources
cargo build --quiet --release --manifest-path smoltcp/Cargo.toml
cp smoltcp/target/release/serve_smoltcp .
