/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A swarm: random scenarios, each a function of one number. Every node is audited after every step, every payload byte is
 * compared, every tenth scenario is run twice and must repeat. A scenario may end in a time-out only if its path drops.
 *
 *   swarm                        scenarios 1 to 1000
 *   swarm --seed N               scenario N only, with its words
 *   swarm --from N --budget S    from N on for S wall seconds: a soak
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stack/base/random.h"
#include "tools/app/simulation.h"
#include "tools/words/tcp_words.h"

/* One scenario's draws. */
struct draw {
	struct wt_key key;
	uint64_t n;
};

static uint64_t below(struct draw *draw, uint64_t bound)
{
	return wt_random_below(&draw->key, draw->n++, bound);
}

static bool chance(struct draw *draw, unsigned percent)
{
	return below(draw, 100) < percent;
}

static const char *pick(struct draw *draw, const char *const *words, size_t count)
{
	return words[below(draw, count)];
}

#define PICK(draw, ...) pick(draw, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void append(char *out, size_t len, const char *format, ...)
{
	size_t at = strlen(out);
	va_list ap;

	va_start(ap, format);
	vsnprintf(out + at, len - at, format, ap);
	va_end(ap);
}

struct plan {
	char fwd[512], rev[512], settings[256];
	const char *queue[2], *ecn; /* words of a queue, per direction; the setting */
	const char *preset, *sender, *recovery, *receiver;
	uint64_t size, seed;
	uint32_t mtu;
	unsigned flows;
	bool scalable; /* DCTCP and ECT(1) */
	bool drops; /* the path loses frames by itself */
};

/* Marks: from a stream of its own, so that a scenario is otherwise what it was before there were any. */
static void draw_ecn(struct plan *plan)
{
	struct draw draw = {wt_key_derive(plan->seed, "swarm ecn"), 0};

	plan->ecn = PICK(&draw, "on", "on", "on", "passive", "off");
	for (unsigned side = 0; side < 2; side++)
		plan->queue[side] = chance(&draw, 50) ? PICK(&draw, "queue codel ecn target 1ms ", "queue fq_codel ecn flows 4 ",
							     "queue pie ecn ", "queue pie ecn mark 100% ", "queue dualpi2 ",
							     "queue red min 3KB max 9KB gentle ecn ",
							     "queue red min 1KB max 60KB weight 1 prob 50% ecn ",
							     "queue codel ", "queue head ") : "";
	plan->scalable = chance(&draw, 15);
}

static void draw_path(struct draw *draw, struct plan *plan, const char *queue, char *out, size_t len)
{
	if (chance(draw, 80)) /* at least a few frames fit */
		append(out, len, "rate %" PRIu64 "Kbit burst %" PRIu64 "B limit %" PRIu64 "KB %s", 100 + below(draw, 20000),
		       below(draw, 20000), 5 + below(draw, 200), queue);
	if (chance(draw, 15)) {
		append(out, len, "outage every %" PRIu64 "ms for %" PRIu64 "ms at %" PRIu64 "ms ", 2000 + below(draw, 5000),
		       1 + below(draw, 900), below(draw, 2000));
		plan->drops = true;
	}
	if (chance(draw, 40)) {
		append(out, len, "loss %" PRIu64 "%% ", 1 + below(draw, chance(draw, 20) ? 40 : 5));
		plan->drops = true;
	} else if (chance(draw, 30)) {
		append(out, len, "loss gilbert on %" PRIu64 "ms %" PRIu64 "%% off %" PRIu64 "ms 0%% ", 10 + below(draw, 1500),
		       1 + below(draw, 60), 10 + below(draw, 1500));
		plan->drops = true;
	}
	if (chance(draw, 30))
		append(out, len, "duplicate %" PRIu64 "%% ", 1 + below(draw, 20));
	if (chance(draw, 30))
		append(out, len, "reorder %" PRIu64 "%% delay %" PRIu64 "us ", 1 + below(draw, 30), 1 + below(draw, 30000));
	append(out, len, "delay %" PRIu64 "us", chance(draw, 10) ? 0 : below(draw, 60000));
}

static void draw_settings(struct draw *draw, struct plan *plan)
{
	append(plan->settings, sizeof(plan->settings), "rcv_buffer=%" PRIu64 "B,snd_buffer=%" PRIu64 "B", 2048 + below(draw, 300000),
	       2048 + below(draw, 300000));
	if (chance(draw, 30))
		append(plan->settings, sizeof(plan->settings), ",mss=%" PRIu64 "B", 88 + below(draw, 1400));
	if (chance(draw, 30))
		append(plan->settings, sizeof(plan->settings), ",ack_every=%" PRIu64, 1 + below(draw, 8));
	if (chance(draw, 20))
		append(plan->settings, sizeof(plan->settings), ",nagle=%s", PICK(draw, "on", "off"));
	if (chance(draw, 20))
		append(plan->settings, sizeof(plan->settings), ",timestamps=%s", PICK(draw, "on", "off"));
	if (chance(draw, 20))
		append(plan->settings, sizeof(plan->settings), ",sack=%s", PICK(draw, "on", "off"));
	if (chance(draw, 20))
		append(plan->settings, sizeof(plan->settings), ",window_scaling=%s", PICK(draw, "on", "off"));
	if (chance(draw, 20))
		append(plan->settings, sizeof(plan->settings), ",tick=%s", PICK(draw, "1ms", "10ms", "100ms", "500ms"));
	/* Patience enough that only a path that is really bad ends a connection. */
	append(plan->settings, sizeof(plan->settings), ",ecn=%s%s,rto_max=8s,data_retries=60,syn_retries=20", plan->ecn,
	       plan->scalable ? ",ect1=on" : "");
}

static void draw_plan(uint64_t seed, struct plan *plan)
{
	struct draw draw = {wt_key_derive(seed, "swarm"), 0};

	memset(plan, 0, sizeof(*plan));
	plan->seed = seed;
	plan->preset = PICK(&draw, "modern", "modern", "bsd90");
	plan->sender = PICK(&draw, "tahoe", "reno", "newreno", "real", "real:profile=paper", "real:profile=paper-slow",
			    "real:profile=paper,opt=paper4");
	plan->recovery = chance(&draw, 25) ? PICK(&draw, "tahoe", "tahoe:resend=first,once=off", "reno", "newreno", "real:fr_mode=window")
					   : NULL;
	plan->receiver = PICK(&draw, "standard", "real", "real:profile=paper", "real:profile=paper-slow", "real:profile=paper,opt=paper4");
	draw_ecn(plan);
	draw_path(&draw, plan, plan->queue[0], plan->fwd, sizeof(plan->fwd));
	draw_path(&draw, plan, plan->queue[1], plan->rev, sizeof(plan->rev));
	if (plan->scalable)
		plan->sender = plan->receiver = "dctcp";
	draw_settings(&draw, plan);
	plan->size = 1 + below(&draw, chance(&draw, 10) ? 1000000 : chance(&draw, 20) ? 2000 : 150000);
	plan->mtu = chance(&draw, 20) ? (uint32_t)(576 + below(&draw, 8000)) : 1500;
	plan->flows = chance(&draw, 20) ? 2 + (unsigned)below(&draw, 6) : 1;
}

static void show(const struct plan *plan)
{
	printf("  flows of %" PRIu64 " bytes: %u, mtu %u\n  wavetank sim --check --digest --seed %" PRIu64 " -n %" PRIu64
	       "B -P %u --preset %s -S %s \\\n    -C %s%s%s --rcc %s \\\n    --fwd '%s' \\\n    --rev '%s'\n", plan->size, plan->flows,
	       plan->mtu, plan->seed, plan->size, plan->flows, plan->preset, plan->settings, plan->sender,
	       plan->recovery ? " --recovery " : "", plan->recovery ? plan->recovery : "", plan->receiver, plan->fwd, plan->rev);
}

/* Nobody is marked who did not agree to it, nobody hears of marks that were not given, and one answers one at most. */
static bool marks_make_sense(const struct plan *plan, const struct wt_simulation_result *result)
{
	if (strcmp(plan->ecn, "on") && result->marked)
		return false;
	for (unsigned i = 0; i < result->flows; i++) {
		const struct wt_tcp_info *info = &result->flow[i].info;

		if (!info->ecn && (info->ece_received_segs || info->ecn_reductions || info->cwr_sent_segs))
			return false;
		if (info->ecn_reductions > info->ece_received_segs || (info->ece_received_segs && !result->marked))
			return false;
	}
	return true;
}

/* NULL, or what is wrong with it. */
static const char *run_plan(const struct plan *plan, bool checked, uint64_t *digest, bool *gave_up)
{
	struct wt_tcp_words a = {plan->preset, plan->settings, plan->sender, plan->recovery, NULL};
	struct wt_tcp_words b = {plan->preset, plan->settings, NULL, NULL, plan->receiver};
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	struct wt_app_flow flow = {.size = plan->size};
	static char err[256];
	const char *wrong = NULL;

	wt_simulation_init(&simulation);
	wt_tcp_config_init(&flow.a);
	wt_tcp_config_init(&flow.b);
	if (wt_tcp_words_apply(&a, &flow.a, err, sizeof(err)) || wt_tcp_words_apply(&b, &flow.b, err, sizeof(err)))
		return err;
	simulation.world.seed = plan->seed;
	simulation.world.limit = 100 * 3600 * WT_S;
	simulation.digest = true;
	simulation.checked = checked;
	wrong = wt_simulation_pair(&simulation, plan->fwd, plan->rev, &flow, plan->flows, err, sizeof(err)) ? err : NULL;
	for (unsigned i = 0; i < simulation.world.hosts; i++)
		simulation.world.host[i].mtu = plan->mtu;
	if (!wrong && wt_simulation_run(&simulation, &result, err, sizeof(err)))
		wrong = err;
	wt_simulation_finish(&simulation);
	if (wrong)
		return wrong;
	*digest = result.digest;
	*gave_up = result.error == -ETIMEDOUT;
	if (result.out_of_time)
		wrong = "neither finished nor given up";
	else if (result.fail == WT_BULK_MISMATCH || result.fail == WT_BULK_PROTOCOL || result.fail == WT_BULK_CANCELLED)
		wrong = wt_bulk_fail_text(result.fail);
	else if (result.fail && result.error != -ETIMEDOUT)
		wrong = "the connection ended by something else than a time-out";
	else if (result.fail && !plan->drops)
		wrong = "a time-out on a path that drops nothing by itself";
	else if (!marks_make_sense(plan, &result))
		wrong = "marks, echoes and reductions do not add up";
	wt_simulation_result_finish(&result);
	return wrong;
}

static bool one(uint64_t seed, bool verbose, unsigned *gave_up)
{
	uint64_t digest = 0, again = 0;
	struct plan plan;
	const char *wrong;
	bool quit = false;

	draw_plan(seed, &plan);
	if (verbose)
		show(&plan);
	fflush(stdout); /* an abort must not swallow it */
	wrong = run_plan(&plan, true, &digest, &quit);
	if (!wrong && seed % 10 == 0) {
		wrong = run_plan(&plan, false, &again, &quit);
		if (!wrong && again != digest)
			wrong = "the second run differs from the first";
	}
	*gave_up += quit;
	if (wrong) {
		printf("FAILED: scenario %" PRIu64 ": %s\n", seed, wrong);
		show(&plan);
	} else if (verbose) {
		printf("scenario %" PRIu64 ": %s, digest %016" PRIx64 "\n", seed, quit ? "given up by time-out" : "complete", digest);
	}
	return !wrong;
}

/* The audit aborts: say which scenario it was. */
static uint64_t current;

static void on_abort(int number)
{
	fprintf(stderr, "FAILED: scenario %" PRIu64 " (swarm --seed %" PRIu64 ") ended by signal %d\n", current, current, number);
	signal(number, SIG_DFL);
	raise(number);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t from = 1, seed = 0, count = 1000, i;
	unsigned failed = 0, gave_up = 0;
	double budget = 0, start = seconds();

	for (int n = 1; n + 1 < argc; n += 2) {
		if (!strcmp(argv[n], "--seed"))
			seed = strtoull(argv[n + 1], NULL, 10);
		else if (!strcmp(argv[n], "--from"))
			from = strtoull(argv[n + 1], NULL, 10);
		else if (!strcmp(argv[n], "--count"))
			count = strtoull(argv[n + 1], NULL, 10);
		else if (!strcmp(argv[n], "--budget"))
			budget = strtod(argv[n + 1], NULL);
		else
			return fprintf(stderr, "swarm [--seed N] [--from N] [--count N] [--budget SECONDS]\n"), 2;
	}
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	if (seed)
		return one(current = seed, true, &gave_up) ? 0 : 1;
	for (i = from; budget > 0 ? seconds() - start < budget : i < from + count; i++)
		failed += !one(current = i, false, &gave_up);
	printf("%" PRIu64 " scenarios from %" PRIu64 " in %.1f s: %u given up by time-out, %u failed\n", i - from, from,
	       seconds() - start, gave_up, failed);
	return failed != 0;
}
