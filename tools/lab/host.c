/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/host.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stack/port/port.h"
#include "tools/common/interfaces.h"
#include "tools/lab/space.h"
#include "tools/common/labs.h"

struct hello {
	pid_t outer;
	int tap, error;
};

struct outcome {
	int error;
	char step[64];
};

pid_t wt_lab_outer_pid(void)
{
	char text[24];
	ssize_t len = readlink("/proc/self", text, sizeof(text) - 1);

	if (len <= 0)
		return getpid();
	text[len] = 0;
	return (pid_t)atoi(text);
}

/*
 * A view of its own: the hosts file that names the lab's hosts, /proc of the lab's pid namespace (so that pkill in the lab meets only the
 * lab), /sys of its network. All of it is comfort: where mounting is forbidden the lab works without.
 */
static void mount_view(const char *lab)
{
	char hosts[WT_LAB_PATH];

	wt_lab_path(hosts, lab, "hosts");
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return;
	mount(hosts, "/etc/hosts", NULL, MS_BIND, NULL);
	mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static int must(int result, struct outcome *outcome, const char *step)
{
	if (result < 0 && outcome->error == 0) {
		outcome->error = result;
		snprintf(outcome->step, sizeof(outcome->step), "%s", step);
	}
	return result;
}

/* Who is at the other end: the gateway, or the kernels and engines of the hosts in the same network. */
static void add_neighbours(const struct wt_lab *lab, unsigned index, struct outcome *outcome)
{
	const struct wt_lab_place *here = &lab->host[index];

	if (here->gateway.family) {
		must(wt_net_neighbour(WT_LAB_INTERFACE, &here->gateway, &here->gateway_mac), outcome, "adding the gateway's hardware address");
		must(wt_net_gateway(WT_LAB_INTERFACE, &here->gateway), outcome, "adding the default route");
		return;
	}
	for (unsigned k = 0; k < lab->hosts; k++) {
		const struct wt_addr *kernel = &lab->host[k].addr;

		for (unsigned i = 0; i <= WT_LAB_ENGINES && k != index && wt_addr_in(kernel, &here->addr, here->prefix_len); i++) {
			struct wt_addr other = i < WT_LAB_ENGINES ? wt_lab_engine_addr(kernel, i) : *kernel;
			struct wt_mac mac = wt_addr_mac(&other);

			must(wt_net_neighbour(WT_LAB_INTERFACE, &other, &mac), outcome, "adding a neighbour");
		}
	}
}

static void configure(const struct wt_lab *lab, unsigned index, bool offload, struct outcome *outcome)
{
	const struct wt_lab_place *here = &lab->host[index];
	struct wt_mac mac = wt_addr_mac(&here->addr);
	int result;

	must(wt_net_up("lo"), outcome, "bringing lo up");
	must(wt_net_mac(WT_LAB_INTERFACE, &mac), outcome, "setting the MAC address of wt0");
	must(wt_net_address(WT_LAB_INTERFACE, &here->addr, here->prefix_len), outcome, "setting the address of wt0");
	/* A TAP device has no offloads to switch off unless its owner asked for them. */
	result = offload ? 0 : wt_offloads_off(WT_LAB_INTERFACE);
	must(result == -EOPNOTSUPP ? 0 : result, outcome, "switching offloads of wt0 off");
	/* The TAP's queue stands between the kernel and the emulator's own queue; it must not be the one that drops. */
	must(wt_net_queue_length(WT_LAB_INTERFACE, 10000), outcome, "setting the queue length of wt0");
	must(wt_net_up(WT_LAB_INTERFACE), outcome, "bringing wt0 up");
	add_neighbours(lab, index, outcome);
}

static _Noreturn void be_host(const struct wt_lab *lab, unsigned index, int talk)
{
	struct hello hello = {.outer = wt_lab_outer_pid()};
	struct outcome outcome = {0};
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) < 0)
		hello.error = -errno;
	else
		mount_view(lab->name);
	/* Router solicitations and multicast reports have no place in a measurement; later issues bring IPv6 by asking. */
	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	hello.tap = wt_space_probe_tap();
	if (send(talk, &hello, sizeof(hello), MSG_NOSIGNAL) < 0 || read(talk, &byte, 1) != 1)
		_exit(1);
	configure(lab, index, byte, &outcome);
	send(talk, &outcome, sizeof(outcome), MSG_NOSIGNAL);
	close(talk);
	for (;;)
		pause();
}

int wt_lab_host_start(struct wt_lab_host *host, const struct wt_lab *lab, unsigned index)
{
	struct hello hello;
	sigset_t none;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	host->inner = fork();
	if (host->inner < 0)
		return -errno;
	if (host->inner == 0) {
		close(pair[0]);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		be_host(lab, index, pair[1]);
	}
	close(pair[1]);
	host->talk = pair[0];
	if (recv(host->talk, &hello, sizeof(hello), 0) != sizeof(hello))
		return -ECHILD;
	host->outer = hello.outer;
	host->tap = hello.tap;
	return hello.error;
}

int wt_lab_host_configure(struct wt_lab_host *host, bool offload, char *err, size_t err_len)
{
	struct outcome outcome;
	char byte = offload;

	if (send(host->talk, &byte, 1, MSG_NOSIGNAL) < 0 || recv(host->talk, &outcome, sizeof(outcome), 0) != sizeof(outcome)) {
		snprintf(err, err_len, "died while configuring its network");
		return -ECHILD;
	}
	close(host->talk);
	if (outcome.error)
		snprintf(err, err_len, "%s: %s", outcome.step, strerror(-outcome.error));
	return outcome.error;
}
