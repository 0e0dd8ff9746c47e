/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/kernel_host.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/common/child.h"
#include "tools/common/cli.h"
#include "tools/common/json_copy.h"
#include "tools/common/interfaces.h"
#include "tools/common/labs.h"
#include "tools/lab/world_host.h"

enum { LISTEN_S = 60, END_S = 5, TEXT_BYTES = 65536 };

struct kernel_host {
	struct wt_world *world;
	const struct wt_app_flow *flow;
	unsigned host;
	struct wt_child *child; /* by flow: its sender, or its receiver */
	FILE *out;
	char program[PATH_MAX];
};

int wt_kernel_host_mac(const struct wt_world *world, unsigned host)
{
	return wt_net_mac(WT_LAB_INTERFACE, &world->host[host].mac);
}

static int configure(const struct kernel_host *kernel, char *err, size_t err_len)
{
	const struct wt_world_host *here = &kernel->world->host[kernel->host];
	struct wt_addr addr;
	struct wt_mac mac;
	bool gateway = wt_world_host_peer(kernel->world, kernel->host, &addr, &mac);
	int error = wt_net_address(WT_LAB_INTERFACE, &here->address, here->prefix_len);

	if (!error)
		error = wt_net_neighbour(WT_LAB_INTERFACE, &addr, &mac);
	if (!error && gateway)
		error = wt_net_gateway(WT_LAB_INTERFACE, &addr);
	if (error)
		snprintf(err, err_len, "host %s: the kernel's addresses and routes: %s", here->name, strerror(-error));
	return error;
}

/* The receiver listens before anybody begins. */
static int listen_for(struct kernel_host *kernel, unsigned i, char *err, size_t err_len)
{
	struct wt_words words = {0};
	char text[300] = "";
	int error;

	wt_words_add(&words, kernel->program);
	wt_words_add(&words, "kernel");
	wt_words_add(&words, "recv");
	wt_words_option(&words, "-C", kernel->flow[i].kernel);
	error = wt_child_start_words(&kernel->child[i], &words, false, true);
	if (!error && wt_child_read(kernel->child[i].err, text, sizeof(text), "listening", LISTEN_S, NULL))
		return 0;
	snprintf(err, err_len, "flow %s: %.*s", kernel->world->flow[i].name, (int)strcspn(text, "\n"), *text ? text : "does not listen");
	return -EIO;
}

static int start_sender(struct kernel_host *kernel, unsigned i)
{
	const struct wt_world *world = kernel->world;
	const struct wt_world_flow *said = &world->flow[i];
	wt_time end = said->stop ? said->stop : world->time;
	char peer[WT_ADDR_TEXT], size[32], time[32], limit[32], seed[24];
	struct wt_words words = {0};

	wt_words_add(&words, kernel->program);
	wt_words_add(&words, "kernel");
	wt_words_add(&words, "send");
	wt_words_option(&words, "-c", wt_addr_format(&world->host[said->host[1]].address, peer));
	wt_words_option(&words, "-C", kernel->flow[i].kernel);
	if (said->bytes)
		wt_words_option(&words, "-n", wt_format_size(said->bytes, size, sizeof(size)));
	else
		wt_words_option(&words, "-t", wt_format_time(end - said->start, time, sizeof(time)));
	wt_words_option(&words, "--timeout", wt_format_time(world->time ? world->time : world->limit, limit, sizeof(limit)));
	snprintf(seed, sizeof(seed), "%" PRIu64, world->seed + i);
	wt_words_option(&words, "--seed", seed);
	wt_words_add(&words, "--json");
	return wt_child_start_words(&kernel->child[i], &words, true, true);
}

/* Each sender at its time. */
static int send_all(struct kernel_host *kernel, int64_t at)
{
	const struct wt_world *world = kernel->world;

	for (;;) {
		unsigned next = world->flows;
		struct timespec when;
		int64_t start;
		int error;

		for (unsigned i = 0; i < world->flows; i++)
			if (world->flow[i].host[0] == kernel->host && !kernel->child[i].pid &&
			    (next == world->flows || world->flow[i].start < world->flow[next].start))
				next = i;
		if (next == world->flows)
			return 0;
		start = at + world->flow[next].start;
		when = (struct timespec){.tv_sec = start / WT_S, .tv_nsec = start % WT_S};
		while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, NULL) == EINTR)
			continue;
		error = start_sender(kernel, next);
		if (error)
			return error;
	}
}

/* The record of kernel send, as a flow's line. One that ended without a record has its reason. */
static void tell_flow(struct kernel_host *kernel, unsigned i)
{
	static char text[TEXT_BYTES];
	struct wt_child *child = &kernel->child[i];
	const struct wt_world *world = kernel->world;
	double limit = (double)(world->time ? world->time : world->limit) / 1e9 + END_S;
	char why[300] = "";
	struct wt_json json;
	const char *key;
	json_t *record, *value;

	*text = '\0';
	wt_child_read(child->out, text, sizeof(text), NULL, limit, NULL);
	wt_child_read(child->err, why, sizeof(why), NULL, 1, NULL);
	wt_child_end(child, END_S, NULL);
	why[strcspn(why, "\n")] = '\0';
	record = wt_json_last_line(text);
	wt_json_init(&json, kernel->out);
	wt_json_object(&json, NULL);
	wt_json_u64(&json, "flow", i);
	wt_flow_json(&json, world, i);
	json_object_foreach(record, key, value)
		if (strcmp(key, "schema") && strcmp(key, "version") && strcmp(key, "commit") && strcmp(key, "seed"))
			wt_json_copy(&json, key, value);
	if (!record)
		wt_json_string(&json, "outcome", "failed");
	wt_json_string(&json, "why", *why ? why : NULL);
	wt_json_end(&json);
	json_decref(record);
}

static int begin(struct kernel_host *kernel, char *err, size_t err_len)
{
	ssize_t len = readlink("/proc/self/exe", kernel->program, sizeof(kernel->program) - 1);
	int error = len > 0 && kernel->child && kernel->out ? configure(kernel, err, err_len) : -ENOMEM;

	for (unsigned i = 0; i < kernel->world->flows && !error; i++)
		if (kernel->world->flow[i].host[1] == kernel->host)
			error = listen_for(kernel, i, err, err_len);
	return error;
}

int wt_kernel_host_run(struct wt_world *world, const struct wt_app_flow *flow, unsigned host, int talk, int out)
{
	struct kernel_host kernel = {.world = world, .flow = flow, .host = host, .out = fdopen(out, "w"),
				     .child = calloc(world->flows, sizeof(*kernel.child))};
	char err[600] = "out of memory";
	int64_t at = 0;
	int error = begin(&kernel, err, sizeof(err));

	if (!error && (error = wt_world_host_await(talk, &at)) != 0)
		snprintf(err, sizeof(err), "the program that started this host ended before the run began");
	if (!error)
		error = send_all(&kernel, at);
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	for (unsigned i = 0; i < world->flows; i++)
		if (world->flow[i].host[0] == host)
			tell_flow(&kernel, i);
	fprintf(kernel.out, "done\n");
	fflush(kernel.out);
	for (;;) /* until it is ended from outside, and its receivers with it */
		pause();
}
