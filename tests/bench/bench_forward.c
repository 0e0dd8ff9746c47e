/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A forwarder of two ports on the real-time loop, nothing between them: bench_forward tap|packet [seconds]
 *
 *     kernel TCP in namespace a -- port -- graph -- port -- kernel TCP in namespace b
 *
 * Prints frames and bits per second, and what the kernel dropped. Needs root (or a user namespace that may open
 * /dev/net/tun for tap). Everything lives in namespaces of this process and its children, and goes with them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stack/port/port.h"
#include "stack/drive/rloop.h"

static bool use_tap;

static void shell(const char *command)
{
	if (system(command)) {
		fprintf(stderr, "failed: %s\n", command);
		exit(77);
	}
}

/* ---- the two ends: kernel TCP, each in a child with a namespace of its own ------------------------------ */

static void prepare_end(char side, int number)
{
	const char *device = use_tap ? "tap" : "veth";
	char command[200];

	snprintf(command, sizeof(command), "ip addr add 10.97.0.%d/24 dev %s%c && ip link set %s%c up", number, device, side, device, side);
	shell(command);
	snprintf(command, sizeof(command), "veth%c", side);
	if (!use_tap && wt_offloads_off(command))
		exit(1);
}

static void end_receive(int ready)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(5001)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), peer;
	static char bytes[1 << 18];

	setsockopt(fd, IPPROTO_TCP, 13 /* TCP_CONGESTION */, "reno", 4);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		exit(1);
	if (write(ready, "r", 1) != 1)
		exit(1);
	peer = accept(fd, NULL, NULL);
	while (read(peer, bytes, sizeof(bytes)) > 0) {
	}
}

static void end_send(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(5001)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	static char bytes[1 << 18];

	setsockopt(fd, IPPROTO_TCP, 13, "reno", 4);
	inet_pton(AF_INET, "10.97.0.2", &address.sin_addr);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror("connect");
		exit(1);
	}
	while (write(fd, bytes, sizeof(bytes)) > 0) {
	}
}

/* A child waits in a new namespace until the parent has put a device there ("go"), then runs its end. */
static pid_t start_end(char side, int to_child[2], int from_child[2])
{
	char byte;
	pid_t child;

	if (pipe2(to_child, O_CLOEXEC) || pipe2(from_child, O_CLOEXEC))
		exit(1);
	child = fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNET) || write(from_child[1], "n", 1) != 1 || read(to_child[0], &byte, 1) != 1)
		exit(1);
	prepare_end(side, side == 'a' ? 1 : 2);
	if (side == 'b') {
		end_receive(from_child[1]);
	} else {
		if (write(from_child[1], "r", 1) != 1 || read(to_child[0], &byte, 1) != 1)
			exit(1);
		end_send();
	}
	exit(0);
}

static void expect(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1) {
		fprintf(stderr, "an end did not start\n");
		exit(1);
	}
}

/* A port whose kernel side lies in the namespace of `child`. */
static struct wt_port *open_port(char side, pid_t child, struct wt_pool *pool)
{
	char text[200], err[200] = "";
	struct wt_port *port;
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;

	if (use_tap) {
		snprintf(text, sizeof(text), "/proc/%d/ns/net", (int)child);
		there = open(text, O_RDONLY | O_CLOEXEC);
		if (setns(there, CLONE_NEWNET))
			exit(1);
		snprintf(text, sizeof(text), "tap%c", side);
		port = wt_tap_open(text, pool, err, sizeof(err));
		if (setns(here, CLONE_NEWNET))
			exit(1);
		close(there);
	} else {
		snprintf(text, sizeof(text), "ip link add far%c type veth peer name veth%c netns %d", side, side, (int)child);
		shell(text);
		snprintf(text, sizeof(text), "far%c", side);
		port = wt_packet_open(text, pool, err, sizeof(err));
	}
	close(here);
	if (!port) {
		fprintf(stderr, "%s\n", err);
		exit(77);
	}
	return port;
}

static void give_up(struct ev_loop *ev, ev_timer *timer, int events)
{
	ev_break(ev, EVBREAK_ALL);
}

static void report(struct wt_port *a, struct wt_port *b, double seconds)
{
	struct rusage usage;
	double data = (double)b->node.audit.taken, answers = (double)a->node.audit.taken;

	getrusage(RUSAGE_SELF, &usage);
	wt_port_refresh(a);
	wt_port_refresh(b);
	printf("%s forwarder: %.0f frames/s one way, %.0f the other, %.2f Gbit/s of 1514-byte frames, cpu %.0f %%\n",
	       use_tap ? "tap" : "packet", data / seconds, answers / seconds, data * 1514 * 8 / seconds / 1e9,
	       100 * ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
		      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6) / seconds);
	printf("  kernel drops %llu + %llu, oversize %llu + %llu, refused %llu + %llu\n", (unsigned long long)a->kernel_drops,
	       (unsigned long long)b->kernel_drops, (unsigned long long)a->oversize, (unsigned long long)b->oversize,
	       (unsigned long long)a->node.audit.dropped[WT_DROP_WIRE], (unsigned long long)b->node.audit.dropped[WT_DROP_WIRE]);
}

int main(int argc, char **argv)
{
	int to_a[2], from_a[2], to_b[2], from_b[2];
	double seconds = argc > 2 ? atof(argv[2]) : 3;
	struct wt_pool *pool = wt_pool_create(8192, 2048);
	struct wt_graph *graph = wt_graph_create();
	struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
	struct wt_rloop *rloop;
	struct wt_port *a, *b;
	ev_timer limit;
	pid_t ends[2];

	use_tap = argc < 2 || strcmp(argv[1], "packet");
	if (unshare(CLONE_NEWNET)) {
		fprintf(stderr, "needs root: %s\n", strerror(errno));
		return 77;
	}
	ends[0] = start_end('a', to_a, from_a);
	ends[1] = start_end('b', to_b, from_b);
	expect(from_a[0]);
	expect(from_b[0]);
	a = open_port('a', ends[0], pool);
	b = open_port('b', ends[1], pool);
	wt_graph_add(graph, &a->node);
	wt_graph_add(graph, &b->node);
	wt_graph_join_both(graph, &a->node, 0, &b->node, 0);
	rloop = wt_rloop_create(graph, ev);
	wt_rloop_add_port(rloop, a);
	wt_rloop_add_port(rloop, b);
	if (write(to_b[1], "g", 1) != 1 || write(to_a[1], "g", 1) != 1)
		return 1;
	expect(from_b[0]);
	expect(from_a[0]);
	if (write(to_a[1], "s", 1) != 1)
		return 1;
	ev_timer_init(&limit, give_up, seconds, 0);
	ev_timer_start(ev, &limit);
	wt_rloop_kick(rloop);
	ev_run(ev, 0);
	report(a, b, seconds);
	for (unsigned i = 0; i < 2; i++) {
		kill(ends[i], SIGKILL);
		waitpid(ends[i], NULL, 0);
	}
	wt_rloop_destroy(rloop);
	wt_graph_destroy(graph);
	wt_pool_destroy(pool);
	ev_loop_destroy(ev);
	return 0;
}
