/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank sim: one scenario in virtual time. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/files_apart.h"
#include "tools/words/path_words.h"
#include "tools/simulate/scenario.h"
#include "tools/words/tcp_words.h"

extern const struct wt_command wt_command_sim;

enum {
	OPT_FILE, OPT_FWD, OPT_REV, OPT_LINK, OPT_SIZE, OPT_TIME, OPT_APP, OPT_TOKENS, OPT_TOKENS_TRACE, OPT_SENDER, OPT_RECEIVER, OPT_RECOVERY, OPT_PRESET, OPT_SETTING,
	OPT_FLOWS, OPT_RIVAL, OPT_RIVAL_RECEIVER, OPT_RIVAL_SETTING, OPT_SEED, OPT_ICMP_LIMIT, OPT_LIMIT, OPT_INTERVAL, OPT_CAPTURE, OPT_TRACE, OPT_LOG, OPT_JSON, OPT_DIGEST, OPT_CHECK,
};

static const struct wt_option options[] = {
	[OPT_FILE] = {'f', "file", "FILE", "the path, and what changes when, from a file of emu run; options after it win"},
	[OPT_FWD] = {0, "fwd", "WORDS", "path from sender to receiver: 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%'"},
	[OPT_REV] = {0, "rev", "WORDS", "path back"},
	[OPT_LINK] = {0, "link", "WORDS", "the same words both ways"},
	[OPT_SIZE] = {'n', "bytes", "SIZE", "payload of each flow (default 5MiB)"},
	[OPT_TIME] = {'t', "time", "TIME", "write for this long instead; what is buffered then is still delivered"},
	[OPT_APP] = {0, "app", "WORDS", "playback:interval=40ms,read=5KB: the receiver takes so much so often and counts successes"},
	[OPT_TOKENS] = {0, "tokens", "WORDS", "count the tokens the first rate on the way gives per round trip: tokens:token=1078B,slot=30ms"},
	[OPT_TOKENS_TRACE] = {0, "tokens-trace", "FILE", "with --tokens: CSV, a line per round trip"},
	[OPT_SENDER] = {'C', "congestion", "MODULE", "sender module with parameters: real:profile=paper (default newreno, recovery sack)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module at the other end (default standard)"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings of both hosts: modern, bsd90, xkernel"},
	[OPT_SETTING] = {'S', "set", "NAME=VALUE", "one stack setting of both hosts; may be repeated"},
	[OPT_FLOWS] = {'P', "parallel", "N", "flows that start together (default 1)"},
	[OPT_RIVAL] = {0, "rival", "MODULE", "every other flow has this sender module; then there are at least two"},
	[OPT_RIVAL_RECEIVER] = {0, "rival-rcc", "MODULE", "and this receiver module"},
	[OPT_RIVAL_SETTING] = {0, "rival-set", "NAME=VALUE,...", "and these stack settings on top of the others"},
	[OPT_SEED] = {0, "seed", "N", "of everything random (default 1)"},
	[OPT_ICMP_LIMIT] = {0, "icmp-limit", "LIMIT", "ICMP errors of each stage, N/s or N/s burst N (default 100/s burst 100)"},
	[OPT_LIMIT] = {0, "limit", "TIME", "simulated time after which the run has failed (default 24h)"},
	[OPT_INTERVAL] = {'i', "interval", "TIME", "print the first flow every so often"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "write a pcapng capture with drops"},
	[OPT_TRACE] = {0, "trace", "FILE", "write engine events and drops as JSON Lines"},
	[OPT_LOG] = {0, "log", "FILE", "drops and the states of lossy stages as JSON Lines, as emu run --log does"},
	[OPT_JSON] = {0, "json", NULL, "the result as one JSON line"},
	[OPT_DIGEST] = {0, "digest", NULL, "print the digest of all frames: equal digests, equal runs"},
	[OPT_CHECK] = {0, "check", NULL, "audit every node after every step"},
};

struct sim {
	struct wt_scenario scenario;
	struct wt_path_words path;
	struct wt_tcp_words words, rival; /* rival: only what differs */
	struct wt_tcp_config rival_a, rival_b;
	struct wt_playback_config playback;
	struct wt_token_config tokens;
	char settings[512];
	const char *file;
	unsigned length; /* which of --bytes (1) and --time (2) were given */
	bool json;
};

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
	sim->words.settings = sim->settings;
	return 0;
}

static struct wt_plan plan; /* of the file, for the life of the process */

/* The same file the emulator runs in real time: its one link, its script, its seed and log. */
static int take_file(struct sim *sim, const char *value, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;
	int error;

	if (s->plan) {
		snprintf(err, err_len, "there is one file, '%.60s' is a second", value);
		return -EINVAL;
	}
	if (sim->path.words[0] || sim->path.words[1]) {
		snprintf(err, err_len, "--fwd, --rev and --link stand behind the file, whose words they replace");
		return -EINVAL;
	}
	wt_plan_init(&plan);
	error = wt_plan_read(&plan, value, err, err_len);
	if (!error)
		error = wt_plan_check(&plan, err, err_len);
	if (error)
		return error;
	if (plan.links != 1 || plan.routers) {
		snprintf(err, err_len, "%s: in virtual time a file has two ports and one link", value);
		return -EINVAL;
	}
	s->plan = &plan;
	sim->file = value;
	s->fwd = plan.link[0].words[0];
	s->rev = plan.link[0].words[1];
	s->seed = plan.seed;
	s->icmp_limit = plan.icmp_limit;
	s->log = plan.log;
	s->capture = plan.capture;
	return 0;
}

static int take_words(struct sim *sim, unsigned directions, const char *value, char *err, size_t err_len)
{
	int error = wt_path_words_take(&sim->path, directions, value, err, err_len);

	sim->scenario.fwd = sim->path.words[0] ? sim->path.words[0] : sim->scenario.fwd;
	sim->scenario.rev = sim->path.words[1] ? sim->path.words[1] : sim->scenario.rev;
	return error;
}

static int take_number(struct wt_scenario *scenario, int option, const char *value, char *err, size_t err_len)
{
	uint64_t n;
	int error = wt_parse_count(value, &n, err, err_len);

	if (error)
		return error;
	if (option == OPT_SEED) {
		scenario->seed = n;
		return 0;
	}
	if (n < 1 || n > WT_SCENARIO_FLOWS) {
		snprintf(err, err_len, "'%s' flows: expected 1 to %d", value, WT_SCENARIO_FLOWS);
		return -EINVAL;
	}
	scenario->flows = (unsigned)n;
	return 0;
}

/* How much, or how long: one of them, and not nothing. */
static int take_length(struct sim *sim, int option, const char *value, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;
	bool size = option == OPT_SIZE;
	int error = size ? wt_parse_size(value, &s->size, err, err_len) : wt_parse_time(value, &s->time, err, err_len);

	if (error)
		return error;
	if (size ? !s->size : s->time <= 0) {
		snprintf(err, err_len, "nothing to send");
		return -EINVAL;
	}
	sim->length |= size ? 1 : 2;
	if (sim->length == 3) {
		snprintf(err, err_len, "not together with --%s", options[size ? OPT_TIME : OPT_SIZE].name);
		return -EINVAL;
	}
	return 0;
}

static int take(struct sim *sim, int option, const char *value, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;

	switch (option) {
	case OPT_FILE: return take_file(sim, value, err, err_len);
	case OPT_FWD: return take_words(sim, WT_PATH_FWD, value, err, err_len);
	case OPT_REV: return take_words(sim, WT_PATH_REV, value, err, err_len);
	case OPT_LINK: return take_words(sim, WT_PATH_LINK, value, err, err_len);
	case OPT_SIZE:
	case OPT_TIME: return take_length(sim, option, value, err, err_len);
	case OPT_APP:
		s->playback = &sim->playback;
		return wt_playback_parse(value, &sim->playback, err, err_len);
	case OPT_TOKENS:
		s->tokens = &sim->tokens;
		return wt_token_parse(value, &sim->tokens, err, err_len);
	case OPT_TOKENS_TRACE: s->tokens_trace = value; return 0;
	case OPT_SENDER: sim->words.sender = value; return 0;
	case OPT_RECEIVER: sim->words.receiver = value; return 0;
	case OPT_RECOVERY: sim->words.recovery = value; return 0;
	case OPT_PRESET: sim->words.preset = value; return 0;
	case OPT_SETTING:
		snprintf(err, err_len, "too many settings");
		return add_setting(sim, value);
	case OPT_RIVAL: sim->rival.sender = value; return 0;
	case OPT_RIVAL_RECEIVER: sim->rival.receiver = value; return 0;
	case OPT_RIVAL_SETTING: sim->rival.settings = value; return 0;
	case OPT_FLOWS:
	case OPT_SEED: return take_number(s, option, value, err, err_len);
	case OPT_ICMP_LIMIT: return wt_refusal_rate_parse(value, &s->icmp_limit, err, err_len);
	case OPT_LIMIT: return wt_parse_time(value, &s->limit, err, err_len);
	case OPT_INTERVAL: return wt_parse_time(value, &s->interval, err, err_len);
	case OPT_CAPTURE: s->capture = value; return 0;
	case OPT_TRACE: s->trace = value; return 0;
	case OPT_LOG: s->log = value; return 0;
	case OPT_JSON: sim->json = true; return 0;
	case OPT_DIGEST: s->digest = true; return 0;
	case OPT_CHECK: s->checked = true; return 0;
	}
	snprintf(err, err_len, "unknown option");
	return -EINVAL;
}

static void print_interval(void *arg, const struct wt_bulk_interval *i)
{
	double seconds = (double)(i->to - i->from) / 1e9;

	wt_say("%8.2f s  %10.1f KB/s  %6" PRIu64 " sent again  cwnd %7u  srtt %7.1f ms", (double)i->to / 1e9,
	       (double)i->bytes / 1000 / seconds, i->retransmits_segs, i->info.cwnd, (double)i->info.srtt / 1e6);
}

static void print_flow(const struct wt_bulk_sender *s)
{
	char size[32];
	double goodput = wt_bulk_goodput(s);

	printf("%s: %s", s->done ? wt_bulk_fail_text(s->fail) : "unfinished", s->written ? wt_format_size(s->written, size, sizeof(size)) : "0B");
	if (s->acked)
		printf(" in %.3f s: %.2f KB/s (%.4g Mbit/s)", (double)(s->acked - s->start) / 1e9, goodput / 1000, goodput * 8e-6);
	if (s->error)
		printf(" (%s)", strerror(-s->error));
	printf("%s\n", s->got_result && s->result.verified ? ", every byte verified" : "");
	printf("  a    %s, recovery %s%s: %" PRIu64 " segments, %" PRIu64 " sent again, %" PRIu64 " fast recoveries, %" PRIu64
	       " timeouts, srtt %.1f ms\n", s->info.sender, s->info.recovery, s->info.fallback ? " (fell back)" : "",
	       s->info.segs_sent, s->info.retransmits_segs, s->info.fast_recoveries, s->info.timeouts,
	       (double)s->info.srtt / 1e6);
	if (s->got_result)
		printf("  b    %s: %" PRIu64 " segments, %" PRIu64 " duplicate, %" PRIu64 " out of order\n", s->result.receiver,
		       s->result.segs, s->result.dup_segs, s->result.out_of_order_segs);
	if (s->info.ecn)
		printf("  ecn  %" PRIu32 " segments came marked, %" PRIu64 " ACKs said so, %" PRIu64 " reductions of the window\n",
		       s->got_result ? s->result.ce_segs : 0, s->info.ece_received_segs, s->info.ecn_reductions);
	if (s->got_result && s->result.attempts)
		printf("  app  %" PRIu32 " of %" PRIu32 " reads there in time: %.2f %%\n", s->result.successes, s->result.attempts,
		       wt_playback_success(&s->result));
}

static const char *shown(const char *path)
{
	return *path ? path : "(an ideal wire)";
}

static void print_result(const struct wt_scenario *scenario, const struct wt_scenario_result *result)
{
	bool any = false;

	for (unsigned i = 0; i < result->flows; i++)
		print_flow(&result->flow[i]);
	if (scenario->tokens)
		printf("  tokens per round trip: %.2f in each, %.2f in each that is not idle, %.2f in each as timed\n",
		       result->tokens[WT_TOKEN_SLOT].mean, result->tokens[WT_TOKEN_BUSY].mean, result->tokens[WT_TOKEN_ROUND].mean);
	for (unsigned i = 0; i < 2; i++) {
		printf("  %s  %s\n", i ? "rev" : "fwd", shown(result->path[i]));
		if (strcmp(result->path[i], result->path_end[i]))
			printf("       in the end %s\n", shown(result->path_end[i]));
	}
	printf("  drop");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i]) {
			printf("%s %s %" PRIu64, any ? "," : "", wt_drop_name(i), result->dropped[i]);
			any = true;
		}
	printf("%s of %" PRIu64 " frames\n", any ? "" : " none", result->frames);
	if (scenario->digest)
		printf("  digest %016" PRIx64 "\n", result->digest);
	printf("  %.3f simulated seconds in %.3f s: %.0f simulated seconds per wall second\n",
	       (double)result->simulated / 1e9, result->wall_s, wt_scenario_speed(result));
	if (result->out_of_time)
		printf("  not finished within the simulated time limit\n");
}

static int run_sim(struct sim *sim)
{
	struct wt_scenario *scenario = &sim->scenario;
	struct wt_scenario_result result;
	char err[800];
	int error, code;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	scenario->interrupt = &interrupted;
	scenario->on_interval = print_interval;
	error = wt_scenario_run(scenario, &result, err, sizeof(err));
	if (error)
		return wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	if (sim->json)
		wt_scenario_json(stdout, scenario, &result);
	else
		print_result(scenario, &result);
	code = result.interrupted ? 128 + interrupted : wt_scenario_ok(&result) ? WT_EXIT_OK :
	       result.out_of_time ? WT_EXIT_TIMEOUT : result.fail == WT_BULK_MISMATCH ? WT_EXIT_FAILED : WT_EXIT_CONNECTION;
	wt_scenario_finish(&result);
	if (fflush(stdout) || ferror(stdout))
		return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	return code;
}

/* What was said of rivals goes on top of what all have. */
static int take_rivals(struct sim *sim, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;
	const struct wt_tcp_words *rival = &sim->rival;
	struct wt_tcp_words a = {.sender = rival->sender, .settings = rival->settings};
	struct wt_tcp_words b = {.receiver = rival->receiver, .settings = rival->settings};

	if (!rival->sender && !rival->receiver && !rival->settings)
		return 0;
	sim->rival_a = s->a;
	sim->rival_b = s->b;
	s->rival_a = &sim->rival_a;
	s->rival_b = &sim->rival_b;
	s->flows = s->flows < 2 ? 2 : s->flows;
	return wt_tcp_words_apply(&a, &sim->rival_a, err, err_len) || wt_tcp_words_apply(&b, &sim->rival_b, err, err_len);
}

/* Reads the files that words name, before any is written. What is wrong with the words is said when they are needed. */
static bool read_files(struct wt_scenario *s)
{
	static struct wt_samples_shelf shelf; /* for the life of the process */
	static struct wt_span span;           /* large */
	const char *words[2] = {s->fwd, s->rev};
	bool good;
	char err[300];

	s->shelf = s->plan ? s->plan->shelf : &shelf;
	s->shelf->open = true;
	good = !wt_span_init(&span, "main", true, words, s->seed, s->shelf, err, sizeof(err));
	if (good)
		wt_span_finish(&span);
	s->shelf->open = false;
	return good;
}

/* Words of the command line are what a path begins with, whatever its file says of 0; what that changes later must be possible still. */
static int begin(struct sim *sim, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;
	bool replaced = s->plan && (sim->path.words[0] || sim->path.words[1]);

	snprintf(err, err_len, "out of memory");
	if (replaced && wt_plan_begin(&plan, sim->path.words))
		return -ENOMEM;
	return read_files(s) && replaced ? wt_plan_check(&plan, err, err_len) : 0;
}

static int files_apart(struct sim *sim, char *err, size_t err_len)
{
	struct wt_scenario *s = &sim->scenario;
	const struct wt_named_file file[] = {
		{"--file", sim->file}, {"--capture", s->capture}, {"--trace", s->trace}, {"--log", s->log}, {"--tokens-trace", s->tokens_trace},
	};

	return wt_files_apart_from_words(file, sizeof(file) / sizeof(file[0]), s->shelf, err, err_len);
}

static int sim_main(int argc, char **argv)
{
	struct wt_args args;
	struct sim sim = {0};
	struct wt_tcp_words receiver;
	char err[800];
	int option;

	wt_scenario_init(&sim.scenario);
	wt_args_init(&args, &wt_command_sim, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD)
			return wt_fail(WT_EXIT_USAGE, "unexpected word '%s'", args.value);
		if (take(&sim, option, args.value, err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err);
	}
	if (!sim.scenario.size && !sim.scenario.time)
		sim.scenario.size = wt_playback_size(sim.scenario.playback ? &sim.playback : NULL);
	if (sim.scenario.tokens_trace && !sim.scenario.tokens)
		return wt_fail(WT_EXIT_USAGE, "--tokens-trace: what is a round trip? --tokens says it");
	receiver = sim.words;
	receiver.sender = receiver.recovery = NULL;
	sim.words.receiver = NULL;
	if (wt_tcp_words_apply(&sim.words, &sim.scenario.a, err, sizeof(err)) ||
	    wt_tcp_words_apply(&receiver, &sim.scenario.b, err, sizeof(err)) || take_rivals(&sim, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	return begin(&sim, err, sizeof(err)) || files_apart(&sim, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : run_sim(&sim);
}

const struct wt_command wt_command_sim = {
	.name = "sim",
	.arguments = "",
	.text = "run one transfer over an emulated path in virtual time",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = sim_main,
	.notes = "  wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms' -C reno\n"
		 "  wavetank sim --link 'rate 2Mbit burst 0B limit 128KB delay 15ms loss gilbert on 1s 20% off 1s 0% shared' \\\n"
		 "               --preset bsd90 -C real:profile=paper --rcc real:profile=paper --trace real.jsonl\n"
		 "  wavetank sim -t 60s --fwd 'rate 40Mbit burst 0B limit 1MB queue dualpi2 delay 5ms' --rev 'delay 5ms' -S ecn=on \\\n"
		 "               --rival dctcp --rival-rcc dctcp --rival-set ect1=on\n"
		 "Goodput: payload over the time from the first SYN to the acknowledgement of the last byte. KB is 1000 bytes.",
};
