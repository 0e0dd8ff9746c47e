/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A swarm: random scenarios, each a function of one number, watched by oracles that share no code with what they judge. Two in three are
 * hosts on a path of all stages, their wires watched by a second TCP (watch.h); the third is a path alone against arithmetic (law.c). One in
 * twenty is a field of stations on the air instead (field.c).
 *
 *   swarm                        scenarios 1 to 4000
 *   swarm --seed N               scenario N only, with its words
 *   swarm --seed N --without M   the same without the elements whose bits M has
 *   swarm --log 1 --seed N       and with each segment at both hosts
 *   swarm --from N --budget S    from N on for S wall seconds: a soak
 *
 *   swarm --fail 1 --cut 0       ends at the first failure, which is not cut down
 *   swarm --drawn 1000 --as X    runs nothing: is the fingerprint of the first 1000 scenarios X? Every compiler has to draw the same.
 *
 * A failure is cut down: elements are left out one at a time while it still fails, and the last line is the command that repeats it.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/swarm/swarm.h"

struct tally {
	unsigned failed, gave_up, lied, laws, fields;
};

static struct run run;
static bool logged, uncut;

/* NULL, or what is wrong with it. */
static const char *try(const struct plan *plan, bool twin)
{
	const char *wrong = run_plan(&run, plan, CHECKED);
	uint64_t digest;

	if (wrong || !twin)
		return wrong;
	digest = run.digest;
	wrong = run_plan(&run, plan, PLAIN);
	if (!wrong && digest != run.digest)
		wrong = "the same run without audits differs";
	/* where a timer of a host and a frame meet at one nanosecond the order of nodes decides: another run, and a right one */
	if (!wrong)
		wrong = run_plan(&run, plan, REVERSED);
	return wrong;
}

/* Elements that may go one at a time without the failure going. */
static uint64_t cut_down(uint64_t seed, uint64_t without, bool twin)
{
	struct plan plan;

	plan_draw(seed, without, &plan);
	for (unsigned i = 0; i < plan.elements && i < 64; i++) {
		uint64_t less = without | (uint64_t)1 << i;
		struct plan fewer;

		if (less == without)
			continue;
		plan_draw(seed, less, &fewer);
		if (try(&fewer, twin))
			without = less;
	}
	return without;
}

static bool is_field(uint64_t seed)
{
	return seed % 20 == 0;
}

/* A path alone, or a field. */
static bool law(uint64_t seed, uint64_t without, bool verbose, struct tally *tally)
{
	const char *wrong = is_field(seed) ? field_run(seed, &without, !verbose && !uncut, verbose) : law_run(seed, verbose);

	*(is_field(seed) ? &tally->fields : &tally->laws) += 1;
	if (wrong)
		printf("FAILED: scenario %" PRIu64 ": %s\n  swarm --seed %" PRIu64 " --without %#" PRIx64 "\n", seed, wrong, seed, without);
	return !wrong;
}

static bool one(uint64_t seed, uint64_t without, bool verbose, struct tally *tally)
{
	bool twin = seed % 7 == 0;
	const char *wrong;
	char first[320];
	struct plan plan;

	if (seed % 3 == 0 || is_field(seed))
		return law(seed, without, verbose, tally);
	plan_draw(seed, without, &plan);
	plan.log = logged;
	if (verbose)
		plan_show(&plan);
	fflush(stdout); /* an abort must not swallow it */
	wrong = try(&plan, twin || verbose);
	tally->gave_up += run.quit;
	tally->lied += plan.lies != 0;
	if (verbose && !wrong)
		printf("scenario %" PRIu64 ": %s after %.1f s, digest %016" PRIx64 "\n", seed, run.quit ? "given up by time-out" : "complete",
		       (double)run.ended / 1e9, run.digest);
	if (!wrong)
		return true;
	snprintf(first, sizeof(first), "%s", wrong);
	printf("FAILED: scenario %" PRIu64 ": %s\n", seed, first);
	if (!verbose && !uncut) {
		without = cut_down(seed, without, twin);
		plan_draw(seed, without, &plan);
		wrong = try(&plan, twin);
		plan_show(&plan);
		printf("  %s\n", wrong ? wrong : first);
	}
	printf("  swarm --seed %" PRIu64 " --without %#" PRIx64 "\n", seed, without);
	return false;
}

/* ---- what is drawn ------------------------------------------------------------------------------------------- */

/* FNV-1a of all that a plan says, as text, so that neither padding nor the size of a type counts. */
static uint64_t print(uint64_t hash, uint64_t seed)
{
	static char text[8192];
	struct plan plan;

	*text = 0;
	if (is_field(seed)) {
		field_words(seed, text, sizeof(text));
	} else if (seed % 3 == 0) {
		law_words(seed, text, sizeof(text));
	} else {
		plan_draw(seed, 0, &plan);
		plan_text(&plan, text, sizeof(text));
	}
	for (const char *at = text; *at; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3u;
	return hash;
}

static int drawn(uint64_t count, const char *as)
{
	uint64_t hash = 0xcbf29ce484222325u;
	char own[20];

	for (uint64_t seed = 1; seed <= count; seed++)
		hash = print(hash, seed);
	snprintf(own, sizeof(own), "%016" PRIx64, hash);
	printf("%s\n", own);
	if (!as || !strcmp(as, own))
		return 0;
	fprintf(stderr, "swarm: the scenarios 1 to %" PRIu64 " have the fingerprint %s, and %s was expected. If you changed what is drawn (a module more "
			"is a change), write the new one into tests/swarm/meson.build; if another build agrees with the old one, two draws stand in "
			"the arguments of one call.\n", count, own, as);
	return 1;
}

/* An abort is a failure too: say which scenario it was. */
static uint64_t current;

static void on_abort(int number)
{
	fprintf(stderr, "FAILED: scenario %" PRIu64 " ended by signal %d\n  swarm --seed %" PRIu64 "\n", current, number, current);
	signal(number, SIG_DFL);
	raise(number);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int usage(void)
{
	fprintf(stderr, "swarm [--seed N [--without MASK] [--log 1]] [--from N] [--count N] [--budget SECONDS] [--fail MOST] [--cut 0] "
			"[--drawn N [--as FINGERPRINT]]\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t from = 1, seed = 0, count = 4000, without = 0, some = 0, most = UINT64_MAX, i;
	double budget = 0, start = seconds();
	const char *as = NULL;
	struct tally tally = {0};

	for (int n = 1; n < argc; n += 2) {
		const char *value = argv[n + 1];

		if (!value)
			return usage();
		if (!strcmp(argv[n], "--seed"))
			seed = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--without"))
			without = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--from"))
			from = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--count"))
			count = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--log"))
			logged = strtoul(value, NULL, 0);
		else if (!strcmp(argv[n], "--cut"))
			uncut = !strtoul(value, NULL, 0);
		else if (!strcmp(argv[n], "--fail"))
			most = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--drawn"))
			some = strtoull(value, NULL, 0);
		else if (!strcmp(argv[n], "--as"))
			as = value;
		else if (!strcmp(argv[n], "--budget"))
			budget = strtod(value, NULL);
		else
			return usage();
	}
	if (some)
		return drawn(some, as);
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	if (seed)
		return one(current = seed, without, true, &tally) ? 0 : 1;
	for (i = from; (budget > 0 ? seconds() - start < budget : i < from + count) && tally.failed < most; i++)
		tally.failed += !one(current = i, 0, false, &tally);
	printf("%" PRIu64 " scenarios from %" PRIu64 " in %.1f s: %u paths alone, %u fields, %u with a lying peer, %u given up by time-out, %u failed\n", i - from,
	       from, seconds() - start, tally.laws, tally.fields, tally.lied, tally.gave_up, tally.failed);
	return tally.failed != 0;
}
