/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank sim: a world in virtual time. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/options.h"
#include "stack/text/units.h"
#include "tools/modules/load.h"
#include "tools/common/cli.h"
#include "tools/common/show.h"
#include "tools/common/ending.h"
#include "tools/common/files_apart.h"
#include "tools/words/path_words.h"
#include "tools/app/bulk_text.h"
#include "tools/app/live_flows.h"
#include "tools/app/simulation.h"

extern const struct wt_command wt_command_sim;

enum {
	OPT_FILE, OPT_FWD, OPT_REV, OPT_LINK, OPT_SIZE, OPT_TIME, OPT_APP, OPT_TOKENS, OPT_TOKENS_TRACE, OPT_SENDER, OPT_RECEIVER, OPT_RECOVERY, OPT_PRESET, OPT_SETTING,
	OPT_FLOWS, OPT_RIVAL, OPT_RIVAL_RECEIVER, OPT_RIVAL_SETTING, OPT_SEED, OPT_ICMP_LIMIT, OPT_LIMIT, OPT_INTERVAL, OPT_LIVE, OPT_CAPTURE, OPT_TRACE, OPT_LOG, OPT_JSON, OPT_DIGEST, OPT_CHECK,
};

static const struct wt_option options[] = {
	[OPT_FILE] = {'f', "file", "FILE", "hosts, links, flows and what changes when, see wavetank-emu.conf(5); options after it win"},
	[OPT_FWD] = {0, "fwd", "WORDS", "path from sender to receiver: 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%'"},
	[OPT_REV] = {0, "rev", "WORDS", "path back"},
	[OPT_LINK] = {0, "link", "WORDS", "the same words both ways"},
	[OPT_SIZE] = {'n', "bytes", "SIZE", "payload of each flow (default 5MiB)"},
	[OPT_TIME] = {'t', "time", "TIME", "end after this time instead of after --bytes; only bytes that arrived count"},
	[OPT_APP] = {0, "app", "WORDS", "what flows do: bulk, onoff:on=1s,off=1s, playback:..., rr:request=64B,response=1KB, cbr:..."},
	[OPT_TOKENS] = {0, "tokens", "WORDS", "count the tokens the first rate on the way gives per round trip: tokens:token=1078B,slot=30ms"},
	[OPT_TOKENS_TRACE] = {0, "tokens-trace", "FILE", "with --tokens: CSV, a line per round trip"},
	[OPT_SENDER] = {'C', "congestion", "MODULE", "sender module with parameters: real:profile=paper (default: the preset's; modern: cubic)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module at the other end (default standard)"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings of both hosts: modern, bsd90, xkernel, ns2"},
	[OPT_SETTING] = {'S', "set", "NAME=VALUE", "one stack setting of both hosts; may be repeated"},
	[OPT_FLOWS] = {'P', "parallel", "N", "flows that start together (default 1, at most 10000)"},
	[OPT_RIVAL] = {0, "rival", "MODULE", "give every second flow this sender module (at least two flows then)"},
	[OPT_RIVAL_RECEIVER] = {0, "rival-rcc", "MODULE", "receiver module of these flows"},
	[OPT_RIVAL_SETTING] = {0, "rival-set", "NAME=VALUE,...", "stack settings of these flows, on top of the others"},
	[OPT_SEED] = {0, "seed", "N", "seed of all random draws (default 1)"},
	[OPT_ICMP_LIMIT] = {0, "icmp-limit", "LIMIT", "ICMP errors of each stage, N/s or N/s burst N (default 100/s burst 100)"},
	[OPT_LIMIT] = {0, "limit", "TIME", "simulated time after which the run has failed (default 24h)"},
	[OPT_INTERVAL] = {'i', "interval", "TIME", "print a line about the first flow this often"},
	[OPT_LIVE] = {0, "live", NULL, "small graphs of the first flow, and of all drops, on the terminal while it runs"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "pcapng of host a; FILE-host-b and FILE-drops beside it"},
	[OPT_TRACE] = {0, "trace", "FILE", "write engine events and drops as JSON Lines"},
	[OPT_LOG] = {0, "log", "FILE", "drops and the states of lossy stages as JSON Lines, as emu run --log does"},
	[OPT_JSON] = {0, "json", NULL, "the result as one JSON line"},
	[OPT_DIGEST] = {0, "digest", NULL, "print the digest of all frames: equal digests, equal runs"},
	[OPT_CHECK] = {0, "check", NULL, "audit every node after every step"},
};

struct sim {
	struct wt_simulation simulation;
	struct wt_options options;      /* of [emulator]: seed, log and capture are ours, the rest is only looked at */
	struct wt_path_words path;
	const char *word[WT_FLOW_WORDS]; /* of the flows, which the file may say instead */
	const char *rival[WT_FLOW_WORDS]; /* only what differs */
	struct wt_token_config tokens;
	char settings[512], rival_settings[1024];
	const char *file;
	uint64_t size, flows;
	unsigned length; /* which of --bytes (1) and --time (2) were given */
	const char *of_flows; /* an option that says what flows are; NULL: none */
	bool json, live;
	struct wt_live_flows *view; /* NULL: none */
	struct wt_drop_sink drops;
};

enum { FLOWS = 10000 };

#define LIVE_INTERVAL (20 * WT_MS)

static volatile int interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/* One -S word is added to the list. */
static int add_setting(struct sim *sim, const char *word)
{
	size_t len = strlen(sim->settings);

	if (len + strlen(word) + 2 > sizeof(sim->settings))
		return -EINVAL;
	snprintf(sim->settings + len, sizeof(sim->settings) - len, "%s%s", len ? "," : "", word);
	sim->word[WT_FLOW_SETTINGS] = sim->settings;
	return 0;
}

static int take_file(struct sim *sim, const char *value, char *err, size_t err_len)
{
	const struct wt_world_keys keys = {wt_options_of_file, &sim->options};
	int error;

	if (sim->file) {
		snprintf(err, err_len, "unexpected argument '%.60s': one file at a time", value);
		return -EINVAL;
	}
	if (sim->path.words[0] || sim->path.words[1]) {
		snprintf(err, err_len, "--fwd, --rev and --link replace words of the file: give them after it");
		return -EINVAL;
	}
	sim->file = value;
	error = wt_world_read(&sim->simulation.world, value, &keys, err, err_len);
	sim->simulation.log = sim->options.log;
	sim->simulation.capture = sim->options.capture;
	return error;
}

static int take_number(int option, const char *value, uint64_t *to, char *err, size_t err_len)
{
	int error = wt_parse_count(value, to, err, err_len);

	if (!error && option == OPT_FLOWS && (*to < 1 || *to > FLOWS)) {
		snprintf(err, err_len, "'%s' flows: expected 1 to %d", value, FLOWS);
		error = -EINVAL;
	}
	return error;
}

static int take_limit(wt_time *limit, const char *value, char *err, size_t err_len)
{
	int error = wt_parse_time(value, limit, err, err_len);

	return error || *limit > 0 ? error : wt_fail(WT_EXIT_USAGE, "--limit: expected more than 0s");
}

/* How much, or how long: one of them, and not nothing. */
static int take_length(struct sim *sim, int option, const char *value, char *err, size_t err_len)
{
	struct wt_world *world = &sim->simulation.world;
	bool size = option == OPT_SIZE;
	int error = size ? wt_parse_size(value, &sim->size, err, err_len) : wt_parse_time(value, &world->time, err, err_len);

	if (error)
		return error;
	if (size ? !sim->size : world->time <= 0) {
		snprintf(err, err_len, "nothing to send");
		return -EINVAL;
	}
	sim->length |= size ? 1 : 2;
	if (sim->length == 3) {
		snprintf(err, err_len, "cannot be combined with --%s", options[size ? OPT_TIME : OPT_SIZE].name);
		return -EINVAL;
	}
	return 0;
}

/* What flows are, where no file says it. */
static int take_flow(struct sim *sim, int option, const char *value, char *err, size_t err_len)
{
	sim->of_flows = options[option].name;
	switch (option) {
	case OPT_SIZE: return take_length(sim, option, value, err, err_len);
	case OPT_APP: sim->word[WT_FLOW_APP] = value; return 0;
	case OPT_SENDER: sim->word[WT_FLOW_SENDER] = value; return 0;
	case OPT_RECEIVER: sim->word[WT_FLOW_RECEIVER] = value; return 0;
	case OPT_RECOVERY: sim->word[WT_FLOW_RECOVERY] = value; return 0;
	case OPT_PRESET: sim->word[WT_FLOW_PRESET] = value; return 0;
	case OPT_RIVAL: sim->rival[WT_FLOW_SENDER] = value; return 0;
	case OPT_RIVAL_RECEIVER: sim->rival[WT_FLOW_RECEIVER] = value; return 0;
	case OPT_RIVAL_SETTING: sim->rival[WT_FLOW_SETTINGS] = value; return 0;
	case OPT_FLOWS: return take_number(option, value, &sim->flows, err, err_len);
	}
	snprintf(err, err_len, "too many settings");
	return add_setting(sim, value);
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct sim *sim = arg;
	struct wt_simulation *s = &sim->simulation;

	switch (option) {
	case WT_ARGS_WORD: return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': sim takes only options", value);
	case OPT_FILE: return take_file(sim, value, err, err_len) ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
	case OPT_FWD: return wt_path_words_take(&sim->path, WT_PATH_FWD, value, err, err_len);
	case OPT_REV: return wt_path_words_take(&sim->path, WT_PATH_REV, value, err, err_len);
	case OPT_LINK: return wt_path_words_take(&sim->path, WT_PATH_LINK, value, err, err_len);
	case OPT_TIME: return take_length(sim, option, value, err, err_len);
	case OPT_TOKENS:
		s->tokens = &sim->tokens;
		return wt_token_parse(value, &sim->tokens, err, err_len);
	case OPT_TOKENS_TRACE: s->tokens_trace = value; return 0;
	case OPT_SEED: return take_number(option, value, &s->world.seed, err, err_len);
	case OPT_ICMP_LIMIT: return wt_refusal_rate_parse(value, &s->world.icmp_limit, err, err_len);
	case OPT_LIMIT: return take_limit(&s->world.limit, value, err, err_len);
	case OPT_INTERVAL: return wt_parse_time(value, &s->interval, err, err_len);
	case OPT_CAPTURE: s->capture = value; return 0;
	case OPT_TRACE: s->trace = value; return 0;
	case OPT_LOG: s->log = value; return 0;
	case OPT_LIVE: sim->live = true; return 0;
	case OPT_JSON: sim->json = true; return 0;
	case OPT_DIGEST: s->digest = true; return 0;
	case OPT_CHECK: s->checked = true; return 0;
	}
	return take_flow(sim, option, value, err, err_len);
}

static void print_interval(void *arg, const struct wt_bulk_interval *i)
{
	double seconds = (double)(i->to - i->from) / 1e9;

	wt_say("%8.2f s  %10.1f KB/s  %6" PRIu64 " sent again  cwnd %7u  srtt %7.1f ms", (double)i->to / 1e9,
	       (double)i->bytes / 1000 / seconds, i->retransmits_segs, i->info.cwnd, (double)i->info.srtt / 1e6);
}

static void view_interval(void *arg, const struct wt_bulk_interval *interval)
{
	wt_live_flows_interval(((struct sim *)arg)->view, 1, interval);
}

static void view_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	wt_live_flows_drop(((struct sim *)((char *)sink - offsetof(struct sim, drops)))->view, wt_drop_name(cause));
}

/* Instead of lines. */
static int open_view(struct sim *sim)
{
	struct wt_simulation *simulation = &sim->simulation;
	char err[200];

	sim->view = wt_live_flows_open("wavetank sim, first flow; drops of all", true, err, sizeof(err));
	if (!sim->view)
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	sim->drops.drop = view_drop;
	simulation->drops = &sim->drops;
	simulation->on_interval = view_interval;
	simulation->arg = sim;
	if (!simulation->interval)
		simulation->interval = LIVE_INTERVAL;
	return WT_EXIT_OK;
}

static void print_flow(const struct wt_world *world, unsigned i, const struct wt_simulation_result *result)
{
	const struct wt_bulk_sender *s = &result->flow[i];
	bool datagrams = wt_simulation_is_datagrams(result, i);
	const struct wt_world_flow *flow = &world->flow[i];
	struct wt_sender_facts facts;
	char size[24];
	double goodput = wt_bulk_goodput(s);
	uint64_t payload = s->cut ? s->delivered : s->written;

	if (!s->host && !datagrams) {
		printf("%s: not begun\n", flow->name);
		return;
	}
	if (world->flows > 1)
		printf("%s %s-%s ", flow->name, world->host[flow->host[0]].name, world->host[flow->host[1]].name);
	if (datagrams) {
		struct wt_cbr_report report = wt_cbr_report_of(&result->datagram_sink[i]);

		wt_cbr_text(stdout, &result->datagram_sender[i], &report);
		return;
	}
	printf("%s: %s", s->cut && result->ended ? "stopped by --time" : wt_bulk_outcome(s), wt_show_bytes((double)payload, size));
	if (s->acked || s->cut)
		printf(" in %.3f s: %.2f KB/s (%.4g Mbit/s)", (double)((s->acked ? s->acked : s->end) - s->start) / 1e9, goodput / 1000,
		       goodput * 8e-6);
	if (s->error)
		printf(" (%s)", strerror(-s->error));
	printf("%s\n", s->got_result && s->result.verified && !s->cut ? ", every byte verified" : "");
	facts = wt_sender_facts(&s->info);
	printf("  %-4s ", world->host[flow->host[0]].name);
	wt_sender_text(stdout, &facts);
	if (s->got_result) {
		printf("\n  %-4s ", world->host[flow->host[1]].name);
		wt_receiver_text(stdout, s->result.receiver, s->result.segs, s->result.dup_segs, s->result.out_of_order_segs);
	}
	putchar('\n');
	if (s->info.ecn) {
		printf("  ecn  ");
		wt_ecn_text(stdout, s->got_result ? &s->result : NULL, &s->info);
		putchar('\n');
	}
	if (s->got_result && s->result.attempts)
		printf("  app  %" PRIu32 " of %" PRIu32 " reads there in time: %.2f %%\n", s->result.successes, s->result.attempts,
		       wt_playback_success(&s->result));
	if (s->config.rr)
		wt_rr_text(stdout, s->config.rr);
}

static const char *shown(const char *path)
{
	return *path ? path : "(an ideal wire)";
}

static void print_paths(const struct wt_world *world, const struct wt_simulation_result *result)
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			printf("  %s%s%s  %s\n", world->links > 1 ? world->link[i].name : "", world->links > 1 ? "." : "", d ? "rev" : "fwd",
			       shown(result->path[i][d]));
			if (strcmp(result->path[i][d], result->path_end[i][d]))
				printf("       at the end %s\n", shown(result->path_end[i][d]));
		}
}

static void print_result(const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	struct wt_flow_sum sum = wt_simulation_sum(result);
	bool any = false;

	for (unsigned i = 0; i < result->flows; i++)
		print_flow(&simulation->world, i, result);
	if (sum.flows > 1)
		wt_flow_sum_text(stdout, &sum);
	if (simulation->tokens)
		printf("  tokens per round trip: %.2f in each, %.2f in each that is not idle, %.2f in each as timed\n",
		       result->tokens[WT_TOKEN_SLOT].mean, result->tokens[WT_TOKEN_BUSY].mean, result->tokens[WT_TOKEN_ROUND].mean);
	print_paths(&simulation->world, result);
	if (simulation->world.links > 1)
		wt_hops_text(stdout, &simulation->world, result->hop);
	wt_air_text(stdout, &simulation->world, result->air, result->simulated);
	printf("  drop");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i]) {
			printf("%s %s %" PRIu64, any ? "," : "", wt_drop_name(i), result->dropped[i]);
			any = true;
		}
	printf("%s of %" PRIu64 " frames\n", any ? "" : " none", result->frames);
	wt_cc_files_text(stdout);
	if (simulation->digest)
		printf("  digest %016" PRIx64 "\n", result->digest);
	printf("  %.3f simulated seconds in %.3f s: %.0f simulated seconds per wall second\n",
	       (double)result->simulated / 1e9, result->wall_s, wt_simulation_speed(result));
	if (result->out_of_time)
		printf("  not finished within the simulated time limit\n");
}

static int run_sim(struct sim *sim)
{
	struct wt_simulation *simulation = &sim->simulation;
	struct wt_simulation_result result;
	char err[800];
	int error, code;

	wt_on_ending(on_signal);
	simulation->interrupt = &interrupted;
	simulation->on_interval = print_interval;
	if (sim->live && open_view(sim))
		return WT_EXIT_USAGE;
	error = wt_simulation_run(simulation, &result, err, sizeof(err));
	wt_live_flows_close(sim->view);
	if (error)
		return wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	if (sim->json)
		wt_simulation_json(stdout, simulation, &result);
	else
		print_result(simulation, &result);
	code = result.file_error ? wt_fail(WT_EXIT_ENVIRONMENT, "%s", err) :
	       result.interrupted ? 128 + interrupted : wt_simulation_ok(&result) ? WT_EXIT_OK :
	       result.out_of_time ? WT_EXIT_TIMEOUT : result.fail == WT_BULK_MISMATCH ? WT_EXIT_FAILED : WT_EXIT_CONNECTION;
	wt_simulation_result_finish(&result);
	return code;
}

/* ---- the world -------------------------------------------------------------------------------------------- */

/* A flow of the command line; what was said of rivals goes on top of what all have. */
static int add_flow(struct sim *sim, unsigned i, bool rival)
{
	struct wt_world *world = &sim->simulation.world;
	char name[24];

	snprintf(name, sizeof(name), "tcp%u", i + 1);
	for (unsigned word = 0; word < WT_FLOW_WORDS; word++) {
		const char *all = sim->word[word], *text = rival && sim->rival[word] ? sim->rival[word] : all;

		if (text && word == WT_FLOW_SETTINGS && all && text != all) {
			snprintf(sim->rival_settings, sizeof(sim->rival_settings), "%s,%s", all, text);
			text = sim->rival_settings;
		}
		if (rival && word == WT_FLOW_RECOVERY && sim->rival[WT_FLOW_SENDER])
			text = NULL; /* it brings its own */
		if (text && wt_world_text(&world->each.word[word], text))
			return -ENOMEM;
		if (!text) {
			free(world->each.word[word]);
			world->each.word[word] = NULL;
		}
	}
	world->each.bytes = sim->size;
	return wt_world_add_flow(world, name, 0, 1);
}

static int add_flows(struct sim *sim, char *err, size_t err_len)
{
	bool rivals = sim->rival[WT_FLOW_SENDER] || sim->rival[WT_FLOW_RECEIVER] || sim->rival[WT_FLOW_SETTINGS];
	struct wt_playback_config playback;
	const char *app = sim->word[WT_FLOW_APP];
	int error = 0;

	if (!sim->size && !sim->simulation.world.time)
		sim->size = wt_playback_size(app && !strncmp(app, "playback", 8) && !wt_playback_parse(app, &playback, err, err_len) ? &playback : NULL);
	if (rivals && sim->flows < 2)
		sim->flows = 2;
	for (unsigned i = 0; i < sim->flows && !error; i++)
		error = add_flow(sim, i, rivals && i % 2);
	snprintf(err, err_len, "out of memory");
	return error;
}

/* The file's flows, or those of the command line between two hosts. */
static int make_flows(struct sim *sim, char *err, size_t err_len)
{
	struct wt_world *world = &sim->simulation.world;

	if (world->flows && sim->of_flows) {
		snprintf(err, err_len, "--%s: the file describes its own flows", sim->of_flows);
		return -EINVAL;
	}
	if (world->flows || world->hosts < 2) /* the checker asks for hosts */
		return 0;
	if (world->hosts > 2 || world->routers) {
		snprintf(err, err_len, "%s:1: [flow NAME] is missing: expected the hosts of a transfer, such as between = %s %s", sim->file,
			 world->host[0].name, world->host[1].name);
		return -EINVAL;
	}
	return add_flows(sim, err, err_len);
}

/*
 * Words of the command line are what a path begins with, whatever its file says of 0; what that changes later must be possible still. Files
 * that words name are read before any is written.
 */
static int make_world(struct sim *sim, char *err, size_t err_len)
{
	struct wt_world *world = &sim->simulation.world;
	bool words = sim->path.words[0] || sim->path.words[1];
	int error;

	snprintf(err, err_len, "out of memory");
	if (!sim->file && wt_world_pair(world, sim->path.words[0], sim->path.words[1]))
		return -ENOMEM;
	if (sim->file && words && (world->links > 1 || world->routers)) {
		snprintf(err, err_len, "--fwd, --rev and --link require a file with one link; %s has %u", sim->file, world->links);
		return -EINVAL;
	}
	if (sim->file && words && !world->links && !wt_world_add_link(world, "main"))
		return -ENOMEM;
	if (sim->file && words && wt_world_begin(world, sim->path.words))
		return -ENOMEM;
	error = make_flows(sim, err, err_len);
	return error ? error : wt_simulation_resolve(&sim->simulation, err, err_len);
}

static int files_apart(struct sim *sim, char *err, size_t err_len)
{
	const struct wt_simulation *s = &sim->simulation;
	const struct wt_named_file file[] = {
		{"--file", sim->file}, {"--capture", s->capture}, {"--trace", s->trace}, {"--log", s->log}, {"--tokens-trace", s->tokens_trace},
	};

	return wt_files_apart_from_words(file, sizeof(file) / sizeof(file[0]), s->world.cache, err, err_len);
}

static int read_line(struct sim *sim, int argc, char **argv)
{
	char err[800];
	int code = wt_args_each(argc, argv, take, sim);

	if (code)
		return code;
	if (sim->simulation.tokens_trace && !sim->simulation.tokens)
		return wt_fail(WT_EXIT_USAGE, "--tokens-trace requires --tokens");
	if (wt_options_files(&sim->options, sim->simulation.capture, sim->simulation.log, NULL, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!wt_world_time_ok(&sim->simulation.world))
		return wt_fail(WT_EXIT_USAGE, "--time is longer than the limit of simulated time, after which the run fails; expected a --limit of at least --time");
	return make_world(sim, err, sizeof(err)) || files_apart(sim, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

static int sim_main(int argc, char **argv)
{
	static struct sim sim; /* large */
	int code;

	sim.flows = 1;
	wt_simulation_init(&sim.simulation);
	wt_options_init(&sim.options, &sim.simulation.world);
	code = read_line(&sim, argc, argv);
	if (!code)
		code = run_sim(&sim);
	wt_simulation_finish(&sim.simulation);
	wt_options_finish(&sim.options);
	return code;
}

const struct wt_command wt_command_sim = {
	.name = "sim",
	.arguments = "",
	.text = "run transfers over emulated paths in virtual time",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = sim_main,
	.notes = "  wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms' -C reno\n"
		 "  wavetank sim --preset bsd90 -C real:profile=paper --rcc real:profile=paper --trace real.jsonl \\\n"
		 "      --link 'rate 2Mbit burst 0B limit 128KB delay 15ms loss gilbert on 1s 20% off 1s 0% shared'\n"
		 "  wavetank sim -t 60s -S ecn=on --rival dctcp --rival-rcc dctcp --rival-set ect1=on \\\n"
		 "      --fwd 'rate 40Mbit burst 0B limit 1MB queue dualpi2 delay 5ms' --rev 'delay 5ms'\n"
		 "  wavetank sim -f dumbbell.conf    many hosts, routers and flows: see wavetank-emu.conf(5)\n"
		 "Goodput: payload over the time from the first SYN to the acknowledgement of the last byte. KB is 1000 bytes.",
};
