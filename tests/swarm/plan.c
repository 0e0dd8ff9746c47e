/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scenario from one number: a path each way out of all stages of the emulator, a live change, hosts, modules out of the registry,
 * settings, applications. What may be left out is an element with a number, so that a failure can be cut down: the draws are the
 * same whatever is left out, and whoever compiled the program: never two draws in the arguments of one call, for C leaves their order open.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/swarm/swarm.h"

#define ms(n) ((wt_time)(n) * WT_MS)

/* Is the next element in? */
static bool keep(struct plan *plan)
{
	unsigned number = plan->elements++;

	return number >= 64 || !(plan->without >> number & 1);
}

/* ---- the path ------------------------------------------------------------------------------------------------ */

static void draw_rate(struct draw *draw, struct plan *plan, unsigned d)
{
	struct facts *facts = &plan->facts[d];
	uint64_t rate = 100 + below(draw, chance(draw, 30) ? 2000 : 30000), burst = below(draw, 20000), limit = 5 + below(draw, 200);
	const char *queue = chance(draw, 40) ? PICK(draw, "queue codel ecn target 1ms ", "queue fq_codel ecn flows 4 ", "queue pie ecn ",
						    "queue pie ecn mark 100% ", "queue dualpi2 ",
						    "queue red min 3KB max 9KB gentle ecn ",
						    "queue red min 1KB max 60KB weight 1 prob 50% ecn ", "queue codel ", "queue head ") : "";
	unsigned kind = (unsigned)below(draw, 10);

	if (chance(draw, 25) || !keep(plan))
		return;
	facts->limit = limit * 1000;
	facts->burst = burst;
	facts->marks = *queue != 0;
	if (kind == 0) { /* in lumps */
		facts->rate = rate * 1000;
		facts->extra += ms(100);
		append(plan->path[d], sizeof(plan->path[d]), "rate %" PRIu64 "B every 30ms burst %" PRIu64 "B limit %" PRIu64 "KB %s",
		       rate * 1000 / 8 * 30 / 1000, burst + 1514, limit, queue);
		facts->burst += 1514 + rate * 1000 / 8 * 30 / 1000;
		return;
	}
	if (kind < 4)
		facts->burst = burst = 0;
	facts->rate = rate * 1000;
	append(plan->path[d], sizeof(plan->path[d]), "rate %" PRIu64 "Kbit burst %" PRIu64 "B limit %" PRIu64 "KB %s", rate, burst, limit, queue);
}

static void add(struct plan *plan, unsigned d, bool *fact, const char *words)
{
	if (!keep(plan))
		return;
	append(plan->path[d], sizeof(plan->path[d]), "%s ", words);
	*fact = true;
}

static void draw_losses(struct draw *draw, struct plan *plan, unsigned d)
{
	struct facts *facts = &plan->facts[d];
	char words[160];

	if (chance(draw, 10)) {
		uint64_t every = 2000 + below(draw, 5000), lasts = 1 + below(draw, 900), at = below(draw, 2000);
		const char *how = chance(draw, 30) ? " drop 50%" : chance(draw, 30) ? " unreachable" : "";

		snprintf(words, sizeof(words), "outage every %" PRIu64 "ms for %" PRIu64 "ms at %" PRIu64 "ms%s", every, lasts, at, how);
		add(plan, d, &facts->drops, words);
	}
	if (chance(draw, 30)) {
		bool twice = chance(draw, 10);
		uint64_t percent = 1 + below(draw, chance(draw, 15) ? 30 : 4);

		snprintf(words, sizeof(words), "loss %s%" PRIu64 "%%", twice ? "twice " : "", percent);
		add(plan, d, &facts->drops, words);
	}
	if (chance(draw, 10)) {
		uint64_t on = 10 + below(draw, 1500), percent = 1 + below(draw, 60), off = 10 + below(draw, 1500);

		snprintf(words, sizeof(words), "loss gilbert on %" PRIu64 "ms %" PRIu64 "%% off %" PRIu64 "ms 0%%", on, percent, off);
		add(plan, d, &facts->drops, words);
	}
	if (chance(draw, 8)) {
		uint64_t good = 100 + below(draw, 900), bad = 20 + below(draw, 200), percent = 5 + below(draw, 60);

		snprintf(words, sizeof(words), "loss markov state %" PRIu64 "ms 0%% state %" PRIu64 "ms %" PRIu64 "%% state 100ms 2%%", good, bad,
			 percent);
		add(plan, d, &facts->drops, words);
	}
	if (chance(draw, 8)) {
		uint64_t mean = 1 + below(draw, 6), burst = 1 + below(draw, 5);

		snprintf(words, sizeof(words), "loss elliott mean %" PRIu64 "%% burst %" PRIu64 "packets", mean, burst);
		add(plan, d, &facts->drops, words);
	}
	if (chance(draw, 15)) {
		uint64_t early = 4 + below(draw, 8), late = 14 + below(draw, 60);

		snprintf(words, sizeof(words), "loss list %" PRIu64 ",%" PRIu64, early, late);
		add(plan, d, &facts->drops, words);
	}
}

/* To the nanosecond, so that two things that have nothing to do with each other do not happen at one instant. */
static void draw_delay(struct draw *draw, struct plan *plan, unsigned d)
{
	wt_time delay = (wt_time)(1000 + (chance(draw, 10) ? 0 : below(draw, 60000000)));

	plan->facts[d].delay = delay;
	append(plan->path[d], sizeof(plan->path[d]), "delay %" PRId64 "ns", delay);
}

static void draw_medium(struct draw *draw, struct plan *plan, unsigned d)
{
	struct facts *facts = &plan->facts[d];
	uint64_t held = 1 + below(draw, 30000), jitter = 1 + below(draw, 6000);
	char words[160];

	if (chance(draw, 10)) {
		snprintf(words, sizeof(words), "corrupt %" PRIu64 "%% bits 1", 1 + below(draw, 4));
		add(plan, d, &facts->damages, words);
	}
	if (chance(draw, 20)) {
		snprintf(words, sizeof(words), "duplicate %" PRIu64 "%%", 1 + below(draw, 20));
		add(plan, d, &facts->copies, words);
	}
	if (chance(draw, 20)) {
		snprintf(words, sizeof(words), "reorder %" PRIu64 "%% delay %" PRIu64 "us", 1 + below(draw, 30), held);
		facts->extra += (wt_time)held * WT_US;
		add(plan, d, &facts->reorders, words);
	}
	if (chance(draw, 10)) {
		snprintf(words, sizeof(words), "hops %" PRIu64, 1 + below(draw, 20));
		add(plan, d, &(bool){false}, words);
	}
	draw_delay(draw, plan, d);
	if (chance(draw, 15) && keep(plan)) {
		bool reordering = chance(draw, 30), pareto = chance(draw, 50);

		append(plan->path[d], sizeof(plan->path[d]), " jitter %s %" PRIu64 "us%s%s", pareto ? "pareto" : "normal", jitter,
		       pareto ? " shape 3" : "", reordering ? " reordering" : "");
		facts->reorders |= reordering;
		facts->shifts = true;
		facts->delay = 0;
		facts->extra += ms(200);
	}
}

/* What both directions share. */
static void draw_handoff(struct draw *draw, struct plan *plan)
{
	uint64_t every = 1500 + below(draw, 4000), lasts = 1 + below(draw, 200), percent = below(draw, 101);
	const char *queue = plan->facts[0].rate && plan->facts[1].rate ? PICK(draw, "flush", "keep") : "";
	char words[200];

	snprintf(words, sizeof(words), " handoff every %" PRIu64 "ms for %" PRIu64 "ms drop %" PRIu64 "%% %s to-delay %" PRIu64 "ms then to-delay 5ms",
		 every, lasts, percent, queue, 1 + below(draw, 80));
	if (!chance(draw, 8) || !keep(plan))
		return;
	for (unsigned d = 0; d < 2; d++) {
		append(plan->path[d], sizeof(plan->path[d]), "%s", words);
		plan->facts[d].drops = plan->facts[d].shifts = plan->facts[d].reorders = true;
		plan->facts[d].delay = 0;
		plan->facts[d].extra += ms(200);
	}
}

static void draw_filter(struct draw *draw, struct plan *plan, unsigned d)
{
	const char *words = PICK(draw, " | only (greater 400) { loss 3% }", " | only (tcp[13] & 16 != 0) { delay 3ms }",
				 " | only (less 100) { loss 5% duplicate 5% }", " | only (tcp[13] & 1 != 0) { loss 40% }");

	if (!chance(draw, 8) || !keep(plan) || strstr(plan->path[d], "handoff"))
		return;
	append(plan->path[d], sizeof(plan->path[d]), "%s", words);
	plan->facts[d].drops = plan->facts[d].copies = plan->facts[d].reorders = true;
	plan->facts[d].extra += ms(5);
}

static void draw_change(struct draw *draw, struct plan *plan)
{
	static const char *const words[] = {
		"delay 5ms", "rate 2Mbit burst 0B limit 30KB delay 10ms", "loss 5% delay 20ms", "rate 500Kbit burst 3KB limit 64KB queue codel delay 1ms",
		"reorder 10% delay 3ms delay 8ms", "duplicate 5% delay 2ms jitter normal 1ms", "outage at 5s for 300ms delay 3ms",
	};

	plan->change_at = (wt_time)(1 + below(draw, 8000)) * WT_MS;
	for (unsigned d = 0; d < 2; d++)
		snprintf(plan->change[d], sizeof(plan->change[d]), "%s", words[below(draw, COUNT(words))]);
	if (!chance(draw, 10) || !keep(plan)) {
		plan->change_at = 0;
		return;
	}
	for (unsigned d = 0; d < 2; d++) {
		plan->facts[d].drops = plan->facts[d].shifts = plan->facts[d].reorders = plan->facts[d].copies = true;
		plan->facts[d].delay = 0;
		plan->facts[d].extra += ms(300);
	}
}

/* ---- hosts --------------------------------------------------------------------------------------------------- */

static void draw_modules(struct draw *draw, struct plan *plan)
{
	const char *sender, *receiver, *recovery = NULL;

	plan->preset = wt_tcp_preset_names[0];
	if (chance(draw, 35)) {
		unsigned presets = 0;

		while (wt_tcp_preset_names[presets])
			presets++;
		plan->preset = wt_tcp_preset_names[below(draw, presets)];
	}
	sender = chance(draw, 50) ? PICK(draw, "newreno", "reno") : wt_senders[below(draw, wt_sender_count)]->name;
	receiver = chance(draw, 65) ? "standard" : wt_receivers[below(draw, wt_receiver_count)]->name;
	if (chance(draw, 25))
		recovery = wt_recoveries[below(draw, wt_recovery_count)]->name;
	else if (!strcmp(sender, "newreno"))
		recovery = "sack"; /* the oracles of the Reno family know when a loss by RFC 6675 is due */
	plan->scalable = !strcmp(sender, "dctcp") || !strcmp(receiver, "dctcp");
	if (plan->scalable)
		sender = receiver = "dctcp";
	snprintf(plan->sender, sizeof(plan->sender), "%s%s", sender,
		 strcmp(sender, "real") ? "" : PICK(draw, "", ":profile=paper", ":profile=paper-slow", ":profile=paper,opt=paper4"));
	snprintf(plan->receiver, sizeof(plan->receiver), "%s%s", receiver,
		 strcmp(receiver, "real") ? "" : PICK(draw, "", ":profile=paper", ":profile=paper-slow", ":profile=paper,opt=paper4"));
	snprintf(plan->recovery, sizeof(plan->recovery), "%s", recovery ? recovery : "");
	plan->standard = !strcmp(receiver, "standard");
	plan->reno = !strcmp(sender, "newreno") || !strcmp(sender, "reno") || !strcmp(sender, "tahoe");
	if (!recovery && plan->reno)
		recovery = sender;
	plan->classic = recovery && (!strcmp(recovery, "sack") || !strcmp(recovery, "newreno") || !strcmp(recovery, "reno"));
}

/* In so many of a hundred plans: a value from `least` on. */
static void setting(struct draw *draw, struct plan *plan, unsigned percent, const char *name, uint64_t least, uint64_t span, const char *unit)
{
	bool in = chance(draw, percent);
	uint64_t value = least + below(draw, span);

	if (in && keep(plan))
		append(plan->settings, sizeof(plan->settings), ",%s=%" PRIu64 "%s", name, value, unit);
}

static void draw_settings(struct draw *draw, struct plan *plan)
{
	uint64_t most = chance(draw, 40) ? 30000 : 300000, receive = 2048 + below(draw, most), send = 2048 + below(draw, most);

	plan->ecn = PICK(draw, "on", "passive", "off");
	/* patience enough that only a path that is really bad ends a connection */
	snprintf(plan->settings, sizeof(plan->settings), "ecn=%s%s,rto_max=8s,data_retries=60,syn_retries=20,msl=1s,fin_wait_2=20s,rcv_buffer=%" PRIu64
		 "B,snd_buffer=%" PRIu64 "B", plan->scalable ? "on" : plan->ecn, plan->scalable ? ",ect1=on" : "",
		 receive, send);
	setting(draw, plan, 25, "mss", 88, 1400, "B");
	setting(draw, plan, 15, "ack_every", 1, 8, "");
	if (chance(draw, 20) && keep(plan))
		append(plan->settings, sizeof(plan->settings), ",nagle=off");
	if (chance(draw, 25) && keep(plan))
		append(plan->settings, sizeof(plan->settings), ",timestamps=off");
	if (chance(draw, 25) && keep(plan))
		append(plan->settings, sizeof(plan->settings), ",sack=off");
	if (chance(draw, 15) && keep(plan))
		append(plan->settings, sizeof(plan->settings), ",window_scaling=off");
	setting(draw, plan, 10, "tick", 1, 500, "ms");
	setting(draw, plan, 15, "rto_min", 100, 900, "ms");
	setting(draw, plan, 10, "keepalive", 1, 5, "s");
}

static void draw_habits(struct draw *draw, struct plan *plan)
{
	uint64_t size = 1 + below(draw, chance(draw, 10) ? 600000 : chance(draw, 20) ? 2000 : 120000);
	bool both = chance(draw, 30) && keep(plan), slow = chance(draw, 20) && keep(plan), lazy = chance(draw, 20) && keep(plan);
	bool aborts = chance(draw, 8) && keep(plan);
	unsigned aborter = (unsigned)below(draw, 2);
	uint64_t chunk = 1 + below(draw, 5000), read = 1 + below(draw, 20000), pause = 1 + below(draw, 60), rest = 1 + below(draw, 60);
	struct habits habits = {.chunk = chunk, .read = read, .pause = ms(pause) + 17, .rest = ms(rest) + 29};
	uint64_t other = 1 + below(draw, 60000), at = 1 + below(draw, size);

	plan->flows = chance(draw, 20) && keep(plan) ? 2 + (unsigned)below(draw, FLOWS_MAX - 1) : 1;
	for (unsigned i = 0; i < plan->flows; i++)
		for (unsigned side = 0; side < 2; side++) {
			struct habits *own = &plan->habits[i][side];

			own->bytes = side == 0 ? size : both ? other : 0;
			if (slow) {
				own->chunk = habits.chunk;
				own->pause = habits.pause;
			}
			if (lazy) {
				own->read = habits.read;
				own->rest = habits.rest;
			}
			if (aborts && i == 0 && side == aborter && plan->habits[i][!side].bytes)
				own->abort_at = side ? at : 1;
			own->closes = plan->seed & 1;
		}
}

void plan_draw(uint64_t seed, uint64_t without, struct plan *plan)
{
	struct draw draw = {wt_key_derive(seed, "swarm"), 0};

	*plan = (struct plan){.seed = seed, .without = without};
	draw_modules(&draw, plan);
	for (unsigned d = 0; d < 2; d++) {
		draw_rate(&draw, plan, d);
		if (!chance(&draw, 35))
			draw_losses(&draw, plan, d);
		if (!chance(&draw, 25))
			draw_medium(&draw, plan, d);
		else
			draw_delay(&draw, plan, d);
	}
	draw_handoff(&draw, plan);
	for (unsigned d = 0; d < 2; d++)
		draw_filter(&draw, plan, d);
	draw_change(&draw, plan);
	draw_settings(&draw, plan);
	draw_habits(&draw, plan);
	plan->mtu = chance(&draw, 15) ? (uint32_t)(576 + below(&draw, 8000)) : 1500;
	if (chance(&draw, 8) && keep(plan)) {
		char words[40];

		snprintf(words, sizeof(words), "mtu %" PRIu64 "B ", 576 + below(&draw, 900));
		memmove(plan->path[0] + strlen(words), plan->path[0], strlen(plan->path[0]) + 1);
		memcpy(plan->path[0], words, strlen(words));
		plan->facts[0].narrows = true;
	}
	if (chance(&draw, 10) && keep(plan)) {
		plan->lies = 1u << below(&draw, 6);
		if (chance(&draw, 30))
			plan->lies |= (unsigned)below(&draw, LIES + 1);
	}
}

void plan_show(const struct plan *plan)
{
	printf("  fwd %s\n  rev %s\n", plan->path[0], plan->path[1]);
	if (plan->change_at)
		printf("  from %" PRId64 " ms on\n  fwd %s\n  rev %s\n", plan->change_at / WT_MS, plan->change[0], plan->change[1]);
	printf("  preset %s sender %s recovery %s receiver %s mtu %u\n  %s\n", plan->preset, plan->sender, *plan->recovery ? plan->recovery : "(its own)",
	       plan->receiver, plan->mtu, plan->settings);
	for (unsigned side = 0; side < 2; side++) {
		const struct habits *h = &plan->habits[0][side];

		printf("  %s writes %" PRIu64 " bytes (%" PRIu64 " every %" PRId64 " ms), reads %" PRIu64 " every %" PRId64 " ms, aborts at %" PRIu64 "\n",
		       side ? "server" : "client", h->bytes, h->chunk, h->pause / WT_MS, h->read, h->rest / WT_MS, h->abort_at);
	}
	printf("  flows %u, lies %#x, elements %u\n", plan->flows, plan->lies, plan->elements);
}

void plan_text(const struct plan *plan, char *out, size_t len)
{
	append(out, len, "%s|%s|%s|%s|%s|%s|%s|%s|", plan->path[0], plan->path[1], plan->settings, plan->preset, plan->ecn, plan->sender,
	       plan->recovery, plan->receiver);
	append(out, len, "%s|%s|%" PRId64 "|%u|%u|%u|%u\n", plan->change[0], plan->change[1], plan->change_at, plan->mtu, plan->flows, plan->lies,
	       plan->elements);
	for (unsigned i = 0; i < plan->flows; i++)
		for (unsigned side = 0; side < 2; side++) {
			const struct habits *h = &plan->habits[i][side];

			append(out, len, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %d\n", h->bytes, h->chunk, h->read, h->pause,
			       h->rest, h->abort_at, h->closes);
		}
}
