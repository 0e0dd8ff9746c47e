/* SPDX-License-Identifier: BSD-2-Clause */
/* The normal form of a path: stages in passing order, options in a fixed order, values that read back exactly. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "emu/queue/queue.h"
#include "emu/words/words.h"
#include "stack/text/units.h"

struct text {
	char *at;
	size_t room;
	bool full;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at, text->room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= text->room) {
		text->full = true;
		return;
	}
	text->at += n;
	text->room -= (size_t)n;
}

static void put_time(struct text *text, const char *word, wt_time value)
{
	char buffer[48];

	put(text, " %s %s", word, wt_format_time(value, buffer, sizeof(buffer)));
}

static void put_size(struct text *text, const char *word, uint64_t value)
{
	char buffer[48];

	put(text, " %s %s", word, wt_format_size(value, buffer, sizeof(buffer)));
}

static void put_share(struct text *text, double value)
{
	char buffer[48];

	put(text, " %s", wt_format_share(value, buffer, sizeof(buffer)));
}

static void put_from(struct text *text, const struct wt_sources *from)
{
	char buffer[WT_ADDR_TEXT];

	if (from->ipv4.family || from->ipv6.family)
		put(text, " from");
	if (from->ipv4.family)
		put(text, " %s", wt_addr_format(&from->ipv4, buffer));
	if (from->ipv6.family)
		put(text, " %s", wt_addr_format(&from->ipv6, buffer));
}

static void put_queue(struct text *text, const struct wt_queue_config *queue)
{
	const struct wt_queue_kind_info *kind = &wt_queue_kinds[queue->kind];
	char buffer[64];

	if (queue->kind == WT_QUEUE_TAIL)
		return;
	put(text, " queue %s", kind->name);
	for (unsigned i = 0; i < kind->count; i++) {
		const struct wt_param *param = &kind->params[i];

		if (param->type != WT_PARAM_BOOL)
			put(text, " %s %s", param->name, wt_param_format(param, queue, buffer, sizeof(buffer)));
		else if (*(const uint64_t *)((const char *)queue + param->offset))
			put(text, " %s", param->name);
	}
}

/* For its shortest number that reads back. */
static const struct wt_param shape = {"shape", WT_PARAM_NUMBER, offsetof(struct wt_delay_config, shape), "", 0, 0, NULL};

static void put_rate(struct text *text, const struct wt_rate_config *rate)
{
	char buffer[48];

	if (rate->trace)
		put(text, " trace %s", rate->trace->name);
	else if (rate->every)
		put(text, " %s", wt_format_size(rate->lump, buffer, sizeof(buffer)));
	else
		put(text, " %s", wt_format_rate(rate->rate, buffer, sizeof(buffer)));
	if (rate->every)
		put_time(text, "every", rate->every);
	if (!rate->trace)
		put_size(text, "burst", rate->burst);
	if (rate->packets)
		put(text, " limit %" PRIu64 "packets", rate->limit);
	else
		put_size(text, "limit", rate->limit);
	if (rate->overhead)
		put_size(text, "overhead", rate->overhead);
	put_queue(text, &rate->queue);
}

static void put_outages(struct text *text, const struct wt_stage_plan *stage)
{
	for (unsigned i = 0; i < stage->outage_count; i++) {
		const struct wt_outage *outage = &stage->outages[i];

		if (i)
			put(text, " outage");
		if (!outage->period || outage->at != outage->period)
			put_time(text, "at", outage->at);
		if (outage->period)
			put_time(text, "every", outage->period);
		put_time(text, "for", outage->length);
		if (outage->drop < 1) {
			put(text, " drop");
			put_share(text, outage->drop);
		}
		if (outage->unreachable)
			put(text, " unreachable");
		put_from(text, &outage->from);
	}
}

static void put_gilbert(struct text *text, const struct wt_stage_plan *stage)
{
	const struct wt_gilbert_config *gilbert = &stage->gilbert;

	put_time(text, "on", gilbert->mean[1]);
	put_share(text, gilbert->drop[1]);
	put_time(text, "off", gilbert->mean[0]);
	put_share(text, gilbert->drop[0]);
	if (stage->twice)
		put(text, " twice");
	if (stage->shared)
		put(text, " shared");
	if (gilbert->start != WT_MARKOV_START_RANDOM)
		put(text, " start %s", gilbert->start == WT_MARKOV_START_ON ? "on" : "off");
}

static void put_cell(struct text *text, const struct wt_cell *cell)
{
	char buffer[48];

	if (cell->has_delay)
		put_time(text, "to-delay", cell->delay);
	if (cell->has_rate)
		put(text, " to-rate %s", wt_format_rate(cell->rate, buffer, sizeof(buffer)));
	if (cell->has_loss) {
		put(text, " to-loss");
		put_share(text, cell->loss);
	}
}

static void put_handoff(struct text *text, const struct wt_handoff_config *handoff)
{
	put_time(text, handoff->random ? "mean" : "every", handoff->every);
	put_time(text, "for", handoff->length);
	if (!handoff->random && handoff->at != handoff->every)
		put_time(text, "at", handoff->at);
	if (handoff->drop < 1) {
		put(text, " drop");
		put_share(text, handoff->drop);
	}
	if (handoff->flush)
		put(text, " flush");
	for (unsigned i = 0; i < handoff->cells; i++) {
		if (i)
			put(text, " then");
		put_cell(text, &handoff->cell[i]);
	}
}

static void put_delay(struct text *text, const struct wt_delay_config *delay)
{
	char buffer[48];

	put(text, " %s%s", delay->trace ? "trace " : "", delay->trace ? delay->trace->name : wt_format_time(delay->delay, buffer, sizeof(buffer)));
	for (unsigned i = 0; i < delay->steps; i++) {
		put_time(text, "at", delay->step[i].at);
		put(text, " %s", wt_format_time(delay->step[i].delay, buffer, sizeof(buffer)));
	}
	if (delay->every)
		put_time(text, "every", delay->every);
	if (delay->jitter == WT_JITTER_NORMAL)
		put_time(text, "jitter normal", delay->spread);
	else if (delay->jitter == WT_JITTER_PARETO)
		put_time(text, "jitter pareto", delay->spread);
	else if (delay->jitter == WT_JITTER_FILE)
		put(text, " jitter file %s", delay->samples->name);
	if (delay->jitter == WT_JITTER_PARETO)
		put(text, " shape %s", wt_param_format(&shape, delay, buffer, sizeof(buffer)));
	if (delay->reordering)
		put(text, " reordering");
}

static void put_markov(struct text *text, const struct wt_stage_plan *stage)
{
	const struct wt_chain_config *chain = &stage->chain;

	for (unsigned i = 0; i < chain->states; i++) {
		put_time(text, "state", chain->mean[i]);
		put_share(text, chain->drop[i]);
		for (unsigned k = 0; chain->listed[i] && k < chain->states; k++) {
			if (chain->to[i][k] <= 0)
				continue;
			put(text, " to %u", k + 1);
			put_share(text, chain->to[i][k]);
		}
	}
	if (stage->shared)
		put(text, " shared");
	if (chain->start)
		put(text, " start %u", chain->start);
}

static void put_elliott(struct text *text, const struct wt_elliott_config *elliott)
{
	static const char *const names[] = {"p", "r", "h", "k"};
	const double values[] = {elliott->p, elliott->r, elliott->h, elliott->k};

	for (unsigned i = 0; i < 4; i++) {
		put(text, " %s", names[i]);
		put_share(text, values[i]);
	}
}

static void put_loss(struct text *text, const struct wt_loss_config *loss)
{
	if (loss->twice)
		put(text, " twice");
	if (loss->trace)
		put(text, " trace %s", loss->trace->name);
	else
		put_share(text, loss->share);
	if (loss->every)
		put_time(text, "every", loss->every);
}

static void put_list(struct text *text, const struct wt_list_config *list)
{
	if (list->trace) {
		put(text, " %s %s", list->copies ? "copy file" : list->trace->kind == WT_SAMPLES_NUMBERS ? "list file" : "trace", list->trace->name);
		return;
	}
	put(text, list->copies ? " copy" : " list");
	for (unsigned i = 0; i < list->count; i++) {
		put(text, "%s%" PRIu64, i ? "," : " ", list->range[i].first);
		if (list->range[i].last != list->range[i].first)
			put(text, "-%" PRIu64, list->range[i].last);
		if (list->copies)
			put(text, ":%" PRIu32, list->range[i].copy);
		if (list->range[i].copies != list->range[i].copy)
			put(text, "-%" PRIu32, list->range[i].copies);
	}
}

const char *const wt_stage_names[WT_STAGE_KINDS] = {
	[WT_STAGE_HOPS] = "hops",
	[WT_STAGE_MTU] = "mtu",
	[WT_STAGE_RATE] = "rate",
	[WT_STAGE_OUTAGE] = "outage",
	[WT_STAGE_HANDOFF] = "handoff",
	[WT_STAGE_LOSS] = "loss",
	[WT_STAGE_GILBERT] = "gilbert",
	[WT_STAGE_MARKOV] = "markov",
	[WT_STAGE_ELLIOTT] = "elliott",
	[WT_STAGE_LIST] = "list",
	[WT_STAGE_CORRUPT] = "corrupt",
	[WT_STAGE_DUPLICATE] = "duplicate",
	[WT_STAGE_REORDER] = "reorder",
	[WT_STAGE_DELAY] = "delay",
	[WT_STAGE_FILTER] = "filter",
	[WT_STAGE_MERGE] = "merge",
	[WT_STAGE_DRAIN] = "drain",
};

static void put_stage(struct text *text, const struct wt_stage_plan *stage)
{
	char buffer[48];

	put(text, stage->kind > WT_STAGE_LOSS && stage->kind < WT_STAGE_LIST ? "loss %s" : "%s",
	    wt_stage_names[stage->kind == WT_STAGE_LIST ? WT_STAGE_LOSS : stage->kind]);
	switch (stage->kind) {
	case WT_STAGE_RATE:
		put_rate(text, &stage->rate);
		break;
	case WT_STAGE_OUTAGE:
		put_outages(text, stage);
		break;
	case WT_STAGE_GILBERT:
		put_gilbert(text, stage);
		break;
	case WT_STAGE_MARKOV:
		put_markov(text, stage);
		break;
	case WT_STAGE_ELLIOTT:
		put_elliott(text, &stage->elliott);
		break;
	case WT_STAGE_LIST:
		put_list(text, &stage->list);
		break;
	case WT_STAGE_LOSS:
		put_loss(text, &stage->loss);
		break;
	case WT_STAGE_DUPLICATE:
		put_share(text, stage->share);
		break;
	case WT_STAGE_REORDER:
		put_share(text, stage->share);
		put_time(text, "delay", stage->held);
		break;
	case WT_STAGE_HOPS:
		put(text, " %u%s", (unsigned)stage->hops.hops, stage->hops.silent ? " silent" : "");
		put_from(text, &stage->hops.from);
		break;
	case WT_STAGE_MTU:
		put(text, " %s%s%s", wt_format_size(stage->mtu.mtu, buffer, sizeof(buffer)), stage->mtu.drop ? " drop" : "",
		    stage->mtu.silent ? " silent" : "");
		put_from(text, &stage->mtu.from);
		break;
	case WT_STAGE_HANDOFF:
		put_handoff(text, &stage->handoff);
		break;
	case WT_STAGE_CORRUPT:
		put_share(text, stage->corrupt.share);
		if (stage->corrupt.bits != 1)
			put(text, " bits %" PRIu64, stage->corrupt.bits);
		break;
	default:
		put_delay(text, &stage->delay);
	}
}

static const char *between(const struct wt_stage_plan *before, const struct wt_stage_plan *after)
{
	if (before->kind == WT_STAGE_FILTER || after->kind == WT_STAGE_MERGE)
		return " ";
	return before->group == after->group ? " " : " | ";
}

bool wt_path_format(const struct wt_path_plan *plan, char *buffer, size_t len)
{
	struct text text = {buffer, len, false};

	buffer[0] = 0;
	for (unsigned i = 0; i < plan->count; i++) {
		const struct wt_stage_plan *stage = &plan->stage[i];

		if (i)
			put(&text, "%s", between(stage - 1, stage));
		if (stage->kind == WT_STAGE_FILTER)
			put(&text, "only (%s) {", stage->expression);
		else if (stage->kind == WT_STAGE_MERGE)
			put(&text, "}");
		else
			put_stage(&text, stage);
	}
	return !text.full;
}
