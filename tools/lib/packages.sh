# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages Wavetank needs, by purpose, and their installation. Sourced by tools/try and tools/check.
# tests/tidy/packages.py runs this file against stubs of dpkg-query and apt-get.

# Recommended packages are not installed, so libc6-dev, which gcc only recommends, is named.
wt_packages_build="gcc libc6-dev meson ninja-build pkg-config git libev-dev libpcap-dev libjansson-dev libinih-dev libcmocka-dev"
# matplotlib (with numpy) draws the figures of reports; the browser looks at them in a test.
# scdoc makes the manual pages, man-db shows them; iperf3 and traceroute stand in the README.
wt_packages_try="iperf3 iproute2 man-db python3-matplotlib scdoc traceroute tshark"
wt_packages_check="babeld chromium clang cmark-gfm curl ethtool fish g++ iputils-ping netcat-openbsd nftables nginx-light ns2 openssh-client openssh-server procps python3 python3-pandas redis-server redis-tools strace systemd tcpdump valgrind zsh"

# wt_packages build|try|check: names on standard output; each list contains the one before it.
wt_packages() {
	case $1 in
	build) echo $wt_packages_build ;;
	try) echo $wt_packages_build $wt_packages_try ;;
	check) echo $wt_packages_build $wt_packages_try $wt_packages_check ;;
	esac
}

# wt_install build|try|check: installs what is missing, and only that. Without root it says what to run.
wt_install() {
	local package missing=""

	if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
		echo "not a Debian system: these packages, or what they are called here, are needed: $(wt_packages "$1")" >&2
		return 0
	fi
	for package in $(wt_packages "$1"); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "missing packages; run: sudo apt-get install --no-install-recommends$missing" >&2
		return 3
	fi
	echo "installing:$missing"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update </dev/null
	# tshark asks whether others than root may capture; noninteractive takes its default, no
	apt-get -qq install -y --no-install-recommends $missing </dev/null
}
