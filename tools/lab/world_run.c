/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab run: a world in real time, by one command.
 *
 *   lab run ──┬── host a1: a network namespace of its own, in it the TAP wt0; on that an engine with the flows of a1
 *             ├── host a2 ...
 *             └── emulator: `wavetank emu run -f FILE`, with the other ends of the TAPs: routers, links and what changes
 *
 * All of it ends with this process. The hosts share a clock: flows begin at times that count from one instant, told to each before.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/daemon/options.h"
#include "emu/world/result.h"
#include "stack/text/units.h"
#include "tools/app/bulk_text.h"
#include "tools/common/cli.h"
#include "tools/lab/net.h"
#include "tools/lab/space.h"
#include "tools/lab/state.h"
#include "tools/lab/world_host.h"

extern const struct wt_command wt_command_lab_run;

enum { OPT_SEED, OPT_TIME, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_SEED] = {0, "seed", "N", "of everything random (default: the file's, or 1)"},
	[OPT_TIME] = {'t', "time", "TIME", "the run ends after this time (default: the file's, or when all flows are done)"},
	[OPT_JSON] = {'J', "json", NULL, "the result as one JSON line, as sim --json has it"},
};

/* What the hosts are given to be ready; and what a host's process owns beyond its own flows ends with it. */
enum { READY_MS = 1000, READY_EACH_MS = 30, LATE_S = 20 };

struct host {
	pid_t pid;
	int talk; /* a byte each way: its namespace is there; configure it; it is configured. Then the time of the start */
	int out;  /* its lines */
	bool done;
	char *text;
	size_t len;
};

struct lab {
	const char *file;
	struct wt_world world;
	struct wt_options options;
	struct wt_app_flow *flow;
	struct host *host;
	pid_t emulator;
	int record; /* what it writes: a file in memory */
	bool json;
	char err[600];
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int complain(struct lab *lab, const char *what, int error)
{
	snprintf(lab->err, sizeof(lab->err), "%s: %s", what, strerror(error));
	return WT_EXIT_ENVIRONMENT;
}

/* ---- a host: from here on a process of its own ------------------------------------------------------------ */

static int64_t wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * WT_S + now.tv_nsec;
}

static _Noreturn void be_host(struct lab *lab, unsigned i, int talk, int out, pid_t parent)
{
	int64_t at;
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* the terminal's: the parent ends us when it has our lines */
	signal(SIGTERM, SIG_DFL);
	if (getppid() != parent || unshare(CLONE_NEWNET) < 0)
		_exit(WT_EXIT_ENVIRONMENT);
	/* router solicitations have no place in a measurement */
	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	if (write(talk, &byte, 1) != 1 || read(talk, &byte, 1) != 1)
		_exit(WT_EXIT_ENVIRONMENT);
	/* the TAP's queue stands between the engine and the emulator's own queue; it must not be the one that drops */
	byte = !wt_net_up("lo") && !wt_net_queue_length(WT_LAB_INTERFACE, 10000) && !wt_net_up(WT_LAB_INTERFACE);
	wt_net_wait_running(WT_LAB_INTERFACE);
	if (!byte || write(talk, &byte, 1) != 1 || read(talk, &at, sizeof(at)) != sizeof(at))
		_exit(WT_EXIT_ENVIRONMENT);
	if (lab->options.realtime && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}))
		_exit(wt_fail(WT_EXIT_ENVIRONMENT, "realtime: host %s: %s", lab->world.host[i].name, strerror(errno)));
	_exit(wt_world_host_run(&lab->world, lab->flow, i, at, out));
}

static int start_host(struct lab *lab, unsigned i)
{
	struct host *host = &lab->host[i];
	pid_t parent = getpid();
	int pair[2], lines[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) || pipe2(lines, O_CLOEXEC))
		return complain(lab, "host", errno);
	host->pid = fork();
	if (host->pid == 0) {
		close(pair[0]);
		be_host(lab, i, pair[1], lines[1], parent);
	}
	close(pair[1]);
	close(lines[1]);
	host->talk = pair[0];
	host->out = lines[0];
	if (host->pid < 0 || read(host->talk, &byte, 1) != 1) {
		snprintf(lab->err, sizeof(lab->err), "host %s: no namespace of its own; wavetank doctor says why", lab->world.host[i].name);
		return WT_EXIT_ENVIRONMENT;
	}
	return WT_EXIT_OK;
}

/* ---- the emulator ----------------------------------------------------------------------------------------- */

static _Noreturn void be_emulator(const struct lab *lab, int ready)
{
	unsigned hosts = lab->world.hosts, count = 0;
	const char **word = calloc(2 * hosts + 16, sizeof(*word));
	char seed[24], fd[12];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	snprintf(seed, sizeof(seed), "%" PRIu64, lab->world.seed);
	snprintf(fd, sizeof(fd), "%d", ready);
	for (const char *const *one = (const char *const[]){"wavetank", "emu", "run", "--quiet", "--json", "--file", lab->file, "--seed", seed,
							     "--ready-fd", fd, NULL}; word && *one; one++)
		word[count++] = *one;
	for (unsigned i = 0; i < hosts && word; i++) {
		char *port;

		if (asprintf(&port, "%s=tap:" WT_LAB_INTERFACE "@/proc/%d/ns/net", lab->world.host[i].name, (int)lab->host[i].pid) < 0)
			_exit(WT_EXIT_ENVIRONMENT);
		word[count++] = "--port";
		word[count++] = port;
	}
	dup2(lab->record, STDOUT_FILENO);
	if (word)
		execv("/proc/self/exe", (char *const *)(uintptr_t)word);
	_exit(WT_EXIT_ENVIRONMENT);
}

static int start_emulator(struct lab *lab)
{
	int ready[2];
	char byte;
	ssize_t got;

	lab->record = memfd_create("record", MFD_CLOEXEC);
	if (lab->record < 0 || pipe(ready) || fcntl(ready[0], F_SETFD, FD_CLOEXEC))
		return complain(lab, "emulator", errno);
	lab->emulator = fork();
	if (lab->emulator == 0)
		be_emulator(lab, ready[1]);
	close(ready[1]);
	got = read(ready[0], &byte, 1);
	close(ready[0]);
	if (lab->emulator > 0 && got == 1)
		return WT_EXIT_OK;
	snprintf(lab->err, sizeof(lab->err), "the emulator did not start"); /* it has said why */
	return WT_EXIT_ENVIRONMENT;
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

/* Has each host configure its interface, and tells all when it begins. */
static int begin(struct lab *lab)
{
	int64_t at;
	char byte = 1;

	for (unsigned i = 0; i < lab->world.hosts; i++)
		if (write(lab->host[i].talk, &byte, 1) != 1 || read(lab->host[i].talk, &byte, 1) != 1) {
			snprintf(lab->err, sizeof(lab->err), "host %s: cannot configure its interface", lab->world.host[i].name);
			return WT_EXIT_ENVIRONMENT;
		}
	at = wall_clock() + (READY_MS + (int64_t)READY_EACH_MS * lab->world.hosts) * WT_MS;
	for (unsigned i = 0; i < lab->world.hosts; i++)
		if (write(lab->host[i].talk, &at, sizeof(at)) != sizeof(at))
			return complain(lab, "host", errno);
	return WT_EXIT_OK;
}

/* What a host has written; false: it has ended. */
static bool take_lines(struct host *host)
{
	char *more = realloc(host->text, host->len + 65537);
	ssize_t got = more ? read(host->out, more + host->len, 65536) : -1;

	host->text = more ? more : host->text;
	if (got <= 0)
		return false;
	host->len += (size_t)got;
	host->text[host->len] = 0;
	host->done |= host->len >= 5 && !strcmp(host->text + host->len - 5, "done\n");
	return true;
}

/* Until every host is done, one has died, or it takes too long. */
static int wait_for_all(struct lab *lab)
{
	unsigned hosts = lab->world.hosts, left = hosts;
	struct pollfd *wait = calloc(hosts, sizeof(*wait));
	wt_time time = lab->world.time ? lab->world.time : lab->world.limit;
	int64_t until = wall_clock() + time + LATE_S * WT_S;
	int code = wait ? WT_EXIT_OK : complain(lab, "lab", ENOMEM);

	for (unsigned i = 0; i < hosts && wait; i++)
		wait[i] = (struct pollfd){.fd = lab->host[i].out, .events = POLLIN};
	while (!code && left) {
		if (interrupted) {
			snprintf(lab->err, sizeof(lab->err), "interrupted");
			code = 128 + interrupted;
		} else if (wall_clock() > until) {
			snprintf(lab->err, sizeof(lab->err), "not finished in time");
			code = WT_EXIT_TIMEOUT;
		} else if (poll(wait, hosts, 200) <= 0) {
			continue;
		}
		for (unsigned i = 0; i < hosts && !code; i++) {
			if (!wait[i].revents)
				continue;
			if (!take_lines(&lab->host[i])) {
				snprintf(lab->err, sizeof(lab->err), "host %s ended early", lab->world.host[i].name);
				code = WT_EXIT_ENVIRONMENT;
			} else if (lab->host[i].done) {
				wait[i].fd = -1;
				left--;
			}
		}
	}
	free(wait);
	return code;
}

static void end_hosts(struct lab *lab, int signal_number)
{
	for (unsigned i = 0; lab->host && i < lab->world.hosts; i++) {
		if (lab->host[i].pid <= 0)
			continue;
		kill(lab->host[i].pid, signal_number);
		waitpid(lab->host[i].pid, NULL, 0);
		lab->host[i].pid = 0;
	}
}

/*
 * The emulator first, in order: its record is of the run. A run that failed has none, and its hosts go first: one that is not up yet would
 * complain of a TAP that is gone.
 */
static void end_all(struct lab *lab, bool failed)
{
	if (failed)
		end_hosts(lab, SIGKILL);
	if (lab->emulator > 0) {
		kill(lab->emulator, SIGTERM);
		waitpid(lab->emulator, NULL, 0);
	}
	end_hosts(lab, SIGTERM);
}

/* ---- the result ------------------------------------------------------------------------------------------- */

/* The last line of the emulator's output. */
static json_t *read_record(const struct lab *lab)
{
	off_t len = lseek(lab->record, 0, SEEK_END);
	char *text = len > 0 ? malloc((size_t)len + 1) : NULL, *line;
	json_t *record = NULL;

	if (text && pread(lab->record, text, (size_t)len, 0) == len) {
		text[len] = 0;
		while (len && text[len - 1] == '\n')
			text[--len] = 0;
		line = strrchr(text, '\n');
		record = json_loads(line ? line + 1 : text, 0, NULL);
	}
	free(text);
	return record;
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool is_datagrams(const json_t *flow)
{
	return json_object_get(flow, "datagrams");
}

/* Both ends of a flow of datagrams are known: what left and did not come is lost. */
static void count_lost(json_t *flow)
{
	json_t *datagrams = json_object_get(flow, "datagrams");
	double sent = number(datagrams, "sent"), lost = sent - number(datagrams, "received");

	json_object_set_new(datagrams, "lost", json_integer((json_int_t)(lost > 0 ? lost : 0)));
	json_object_set_new(datagrams, "loss_percent", json_real(lost > 0 ? 100 * lost / sent : 0));
}

/* The other end of a flow of which one is known. */
static void join(json_t *flow, json_t *other)
{
	const json_t *sender = json_object_get(flow, "payload_bytes") ? flow : other, *sink = sender == flow ? other : flow;
	bool sent = !strcmp(text_of(sender, "outcome"), "complete"), over = sent && !strcmp(text_of(sink, "outcome"), "complete");

	json_object_update_recursive(flow, other);
	count_lost(flow);
	over |= sent && !number(json_object_get(flow, "datagrams"), "lost"); /* the sink at another host is not told how many there are */
	json_object_set_new(flow, "outcome", json_string(over ? "complete" : "unfinished"));
}

/* The flows' objects by their numbers, from all hosts. */
static json_t *collect(const struct lab *lab)
{
	json_t *all = json_array(), *flow;

	for (unsigned i = 0; i < lab->world.flows; i++)
		json_array_append_new(all, json_null());
	for (unsigned i = 0; i < lab->world.hosts; i++) {
		char *rest = lab->host[i].text, *line;

		while (rest && (line = strsep(&rest, "\n"))) {
			flow = *line == '{' ? json_loads(line, 0, NULL) : NULL;
			if (flow && json_is_object(json_array_get(all, (size_t)number(flow, "flow"))))
				join(json_array_get(all, (size_t)number(flow, "flow")), flow);
			else if (flow)
				json_array_set(all, (size_t)number(flow, "flow"), flow);
			json_decref(flow);
		}
	}
	return all;
}

/* Did each come to its end, or to the run's? */
static bool add_up(const json_t *flows, struct wt_flow_sum *sum)
{
	const json_t *flow;
	bool good = true;
	size_t i;

	json_array_foreach(flows, i, flow) {
		const json_t *sender = json_object_get(flow, "sender");
		bool cut = json_object_get(flow, "delivered_bytes");

		if (is_datagrams(flow)) /* their sum is not the flows', as in virtual time */
			continue;
		good &= cut || !strcmp(text_of(flow, "outcome"), "complete");
		wt_flow_sum_add(sum, (uint64_t)number(flow, cut ? "delivered_bytes" : "payload_bytes"), number(flow, "goodput_bps") / 8,
				(uint64_t)number(sender, "sent_segs"), (uint64_t)number(sender, "retransmits_segs"));
	}
	return good;
}

static void print_datagrams(const json_t *flow)
{
	const json_t *datagrams = json_object_get(flow, "datagrams");

	printf("%s %s-%s %s: %.0f datagrams, %.0f arrived, %.0f lost (%.3g %%), %.0f twice, %.0f late\n", text_of(flow, "name"), text_of(flow, "from"),
	       text_of(flow, "to"), text_of(flow, "outcome"), number(datagrams, "sent"), number(datagrams, "received"), number(datagrams, "lost"),
	       number(datagrams, "loss_percent"), number(datagrams, "duplicate"), number(datagrams, "late"));
	printf("  udp  %.2f KB/s (%.4g Mbit/s), delay %.3f ms at least, %.3f in the mean, %.3f at most, jitter %.3f ms\n", number(flow, "goodput_kBps"),
	       number(flow, "goodput_bps") * 1e-6, number(datagrams, "delay_min_s") * 1e3, number(datagrams, "delay_mean_s") * 1e3,
	       number(datagrams, "delay_max_s") * 1e3, number(datagrams, "jitter_s") * 1e3);
}

static void print_rr(const json_t *rr)
{
	printf("  rr   %.0f transactions, %.1f per second; latency in ms: %.3f at least, %.3f in the mean, %.3f %.3f %.3f %.3f at 50, 90, 95, 99 %%, "
	       "%.3f at most\n", number(rr, "transactions"), number(rr, "transactions_per_s"), number(rr, "latency_min_s") * 1e3,
	       number(rr, "latency_mean_s") * 1e3, number(rr, "latency_p50_s") * 1e3, number(rr, "latency_p90_s") * 1e3,
	       number(rr, "latency_p95_s") * 1e3, number(rr, "latency_p99_s") * 1e3, number(rr, "latency_max_s") * 1e3);
}

static void print_text(const struct lab *lab, const json_t *flows, const json_t *record, const struct wt_flow_sum *sum)
{
	const json_t *flow, *hop, *fault, *dropped;
	const char *cause;
	size_t i;

	json_array_foreach(flows, i, flow) {
		const json_t *sender = json_object_get(flow, "sender");
		const struct wt_sender_facts facts = {
			.sender = text_of(sender, "module"), .recovery = text_of(sender, "recovery"),
			.fallback = json_is_true(json_object_get(sender, "fallback")), .segs = (uint64_t)number(sender, "sent_segs"),
			.retransmits = (uint64_t)number(sender, "retransmits_segs"), .timeouts = (uint64_t)number(sender, "timeouts"),
			.fast_recoveries = (uint64_t)number(sender, "fast_recoveries"), .mean_rtt = (wt_time)(number(sender, "mean_rtt_s") * 1e9),
		};

		if (is_datagrams(flow)) {
			print_datagrams(flow);
			continue;
		}
		printf("%s %s-%s %s: %.0fB in %.3f s: %.2f KB/s (%.4g Mbit/s)\n  %s  ",
		       text_of(flow, "name"), text_of(flow, "from"), text_of(flow, "to"), text_of(flow, "outcome"),
		       number(flow, json_object_get(flow, "delivered_bytes") ? "delivered_bytes" : "payload_bytes"), number(flow, "connection_time_s"),
		       number(flow, "goodput_kBps"), number(flow, "goodput_bps") * 1e-6, text_of(flow, "from"));
		wt_sender_text(stdout, &facts);
		putchar('\n');
		if (json_object_get(flow, "rr"))
			print_rr(json_object_get(flow, "rr"));
	}
	if (lab->world.flows > 1)
		wt_flow_sum_text(stdout, sum);
	json_array_foreach(json_object_get(record, "hops"), i, hop) {
		printf("  hop  %s.%s: in %.0f, out %.0f", text_of(hop, "link"), text_of(hop, "direction"), number(hop, "in"), number(hop, "out"));
		json_object_foreach(json_object_get(hop, "dropped"), cause, dropped)
			printf(", dropped %s %.0f", cause, json_number_value(dropped));
		printf("%s\n", json_is_true(json_object_get(hop, "holds")) ? "" : ", THE BOOKS DO NOT BALANCE");
	}
	printf("  verdict %s", json_is_true(json_object_get(json_object_get(record, "verdict"), "valid")) ? "valid" : "NOT VALID:");
	json_array_foreach(json_object_get(json_object_get(record, "verdict"), "faults"), i, fault)
		printf("%s %s (%s)", i ? "," : "", text_of(fault, "fault"), text_of(fault, "where"));
	printf("\n");
}

/* The members of an object of jansson's as keys of the open one. */
static void copy(struct wt_json *json, const char *key, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) : NULL;

	wt_json_raw(json, key, text ? text : "null");
	free(text);
}

static void print_json(const struct lab *lab, const json_t *flows, const json_t *record, const struct wt_flow_sum *sum, bool good)
{
	struct wt_json json;

	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sim.1");
	wt_json_string(&json, "backend", "tap");
	wt_json_u64(&json, "seed", lab->world.seed);
	wt_json_bool(&json, "ok", good);
	if (lab->world.flows > 1) {
		wt_json_number(&json, "jain", wt_flow_sum_jain(sum));
		wt_flow_sum_json(&json, sum);
	}
	copy(&json, "flows", flows);
	copy(&json, "hops", json_object_get(record, "hops"));
	copy(&json, "verdict", json_object_get(record, "verdict"));
	wt_json_end(&json);
}

static int conclude(struct lab *lab)
{
	json_t *record = read_record(lab), *flows = collect(lab);
	bool valid = json_is_true(json_object_get(json_object_get(record, "verdict"), "valid")), good;
	struct wt_flow_sum sum = {0};

	good = add_up(flows, &sum);
	if (lab->json)
		print_json(lab, flows, record, &sum, good && valid);
	else
		print_text(lab, flows, record, &sum);
	json_decref(record);
	json_decref(flows);
	return !good ? WT_EXIT_CONNECTION : !valid ? wt_fail(WT_EXIT_FAILED, "the run is not valid: the host was too busy, see its verdict") : WT_EXIT_OK;
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static int read_line(struct lab *lab, int argc, char **argv)
{
	uint64_t seed = 0;
	bool seeded = false;
	wt_time time = 0;
	const struct wt_world_keys keys = {wt_options_of_file, &lab->options};
	struct wt_args args;
	char err[600] = "";
	int option;

	wt_args_init(&args, &wt_command_lab_run, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD && lab->file)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one file at a time", args.value);
		lab->file = option == WT_ARGS_WORD ? args.value : lab->file;
		lab->json |= option == OPT_JSON;
		seeded |= option == OPT_SEED;
		if ((option == OPT_SEED && wt_parse_count(args.value, &seed, err, sizeof(err))) ||
		    (option == OPT_TIME && wt_parse_time(args.value, &time, err, sizeof(err))))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err);
	}
	if (!lab->file)
		return wt_fail(WT_EXIT_USAGE, "the file is missing: wavetank lab run FILE, see wavetank-emu.conf(5)");
	if (wt_world_read(&lab->world, lab->file, &keys, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	lab->world.seed = seeded ? seed : lab->world.seed;
	lab->world.time = time > 0 ? time : lab->world.time;
	for (unsigned i = 0; i < lab->world.hosts; i++)
		lab->world.host[i].placement = WT_INSIDE; /* of our own making */
	if (wt_world_check(&lab->world, err, sizeof(err)) || !(lab->flow = wt_flows_resolve(&lab->world, err, sizeof(err))))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!lab->world.flows)
		return wt_fail(WT_EXIT_USAGE, "%s: [flow NAME] is missing: no host sends anything", lab->file);
	return WT_EXIT_OK;
}

static int run(struct lab *lab)
{
	bool rootless;
	int result, code = WT_EXIT_OK;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	lab->host = calloc(lab->world.hosts, sizeof(*lab->host));
	result = lab->host ? wt_space_unshare(CLONE_NEWNET, &rootless) : -ENOMEM;
	if (result)
		return complain(lab, "no namespaces here; wavetank doctor says why", -result);
	result = wt_space_probe_tap();
	if (result)
		return complain(lab, "no TAP device here: /dev/net/tun", -result);
	for (unsigned i = 0; i < lab->world.hosts && !code; i++)
		code = start_host(lab, i);
	if (!code)
		code = start_emulator(lab);
	if (!code)
		code = begin(lab);
	return code ? code : wait_for_all(lab);
}

static int run_main(int argc, char **argv)
{
	static struct lab lab; /* large */
	int code = wt_lab_refuse_inside();

	if (code)
		return code;
	lab.record = -1;
	wt_world_init(&lab.world);
	wt_options_init(&lab.options, &lab.world);
	code = read_line(&lab, argc, argv);
	if (!code) {
		code = run(&lab);
		end_all(&lab, code != WT_EXIT_OK);
		code = code ? wt_fail(code, "%s", lab.err) : conclude(&lab);
	}
	for (unsigned i = 0; lab.host && i < lab.world.hosts; i++)
		free(lab.host[i].text);
	free(lab.host);
	free(lab.flow);
	wt_world_finish(&lab.world);
	wt_options_finish(&lab.options);
	return code;
}

const struct wt_command wt_command_lab_run = {
	.name = "lab run",
	.arguments = "FILE",
	.text = "run a world in real time: a namespace and a TAP for each host, its flows, and the result",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run_main,
	.notes = "The same file and the same result as sim -f. Works without root where user namespaces and /dev/net/tun do.\n\n"
		 "  wavetank lab run dumbbell.conf -t 10s",
};
