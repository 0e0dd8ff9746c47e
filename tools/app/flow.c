/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/words/tcp_words.h"

#define FIELD(name, type, text, min, max) {#name, WT_PARAM_##type, offsetof(struct wt_app_flow, name), text, min, max, NULL}

static const struct wt_param on_off[] = {
	FIELD(on, TIME, "it writes so long as fast as TCP takes it", 1e3, 1e15),
	FIELD(off, TIME, "and rests so long", 1e3, 1e15),
};

int wt_flow_app(struct wt_app_flow *flow, const char *words, char *err, size_t err_len)
{
	if (!words || !strcmp(words, "bulk"))
		return 0;
	if (!strncmp(words, "onoff", 5) && (!words[5] || words[5] == ':')) {
		flow->on = flow->off = WT_S;
		return wt_param_set_list(on_off, sizeof(on_off) / sizeof(on_off[0]), flow, words[5] ? words + 6 : "", err, err_len);
	}
	if (!strncmp(words, "cbr", 3) && (!words[3] || words[3] == ':')) {
		flow->datagrams = true;
		return wt_cbr_parse(words, &flow->cbr, err, err_len);
	}
	if (!strncmp(words, "rr", 2) && (!words[2] || words[2] == ':')) {
		flow->asks = true;
		return wt_rr_parse(words, &flow->rr, err, err_len);
	}
	if (strncmp(words, "playback", 8)) {
		snprintf(err, err_len, "no application '%.60s'; known: bulk, onoff:on=1s,off=1s, playback:interval=40ms,read=5KB, "
			 "rr:request=64B,response=1KB, cbr:rate=1Mbit,size=1000B", words);
		return -EINVAL;
	}
	flow->plays = true;
	return wt_playback_parse(words, &flow->playback, err, err_len);
}

/* user, or kernel:NAME */
static int take_stack(struct wt_app_flow *flow, const char *text, char *err, size_t err_len)
{
	flow->kernel = !strncmp(text, "kernel:", 7) && text[7] ? text + 7 : NULL;
	if (flow->kernel || !strcmp(text, "user"))
		return 0;
	snprintf(err, err_len, "'%.60s': expected user, or kernel:NAME such as kernel:cubic", text);
	return -EINVAL;
}

/* One word of a flow at one end, or at both. Modules that have a profile of the preset's name start from it. */
static int take_word(struct wt_app_flow *flow, enum wt_flow_word word, const char *text, const char *preset, char *err, size_t err_len)
{
	struct wt_tcp_words a = {.profile = preset}, b = {.profile = preset};

	switch (word) {
	case WT_FLOW_PRESET: a.preset = b.preset = text; break;
	case WT_FLOW_SETTINGS: a.settings = b.settings = text; break;
	case WT_FLOW_SENDER: a.sender = text; break;
	case WT_FLOW_RECOVERY: a.recovery = text; break;
	case WT_FLOW_RECEIVER: b.receiver = text; break;
	case WT_FLOW_STACK: return take_stack(flow, text, err, err_len);
	default: return wt_flow_app(flow, text, err, err_len);
	}
	return wt_tcp_words_apply(&a, &flow->a, err, err_len) || wt_tcp_words_apply(&b, &flow->b, err, err_len) ? -EINVAL : 0;
}

/* A protocol of two sides is whole when its sender is named: TCP-Real, DCTCP. Parameters of the sender's profile hold for both. */
static void other_side(struct wt_app_flow *flow, const char *preset)
{
	const struct wt_sender_choice *sender = &flow->a.sender;
	const char *profile = wt_sender_profile(sender);

	if (sender->ops && sender->ops->default_receiver)
		wt_receiver_choose_in(profile ? profile : preset, sender->ops->default_receiver, &flow->b.receiver, NULL, 0);
}

/* What our TCP would be told, and another protocol or stack cannot be. What [run] says of all flows is not meant for this one. */
static int refuse_tcp_words(const struct wt_world *world, const struct wt_world_flow *said, const char *why, char *err, size_t err_len)
{
	for (unsigned i = WT_FLOW_PRESET; i <= WT_FLOW_RECEIVER; i++)
		if (said->word[i] && (!said->word_line[i] || said->word_line[i] != world->each.word_line[i]))
			return wt_world_complain(world, said->word_line[i], err, err_len, "%s: flow %s uses %s", wt_flow_word_name[i],
						 said->name, why);
	return 0;
}

static int check_kernel(const struct wt_world *world, const struct wt_world_flow *said, const struct wt_app_flow *flow, char *err, size_t err_len)
{
	if (flow->datagrams || flow->asks || flow->plays || flow->off)
		return wt_world_complain(world, said->word_line[WT_FLOW_STACK], err, err_len, "stack: flow %s: the kernel's TCP can only send bulk data",
					 said->name);
	return refuse_tcp_words(world, said, "the kernel's TCP, which does not take this setting", err, err_len);
}

/* An engine and the kernel at one address would each refuse the other's connections, and our server on the kernel's takes one of them. */
static int check_hosts(const struct wt_world *world, const struct wt_app_flow *flow, char *err, size_t err_len)
{
	for (unsigned i = 0; i < world->flows; i++)
		for (unsigned k = 0; k < i; k++) {
			const struct wt_world_flow *a = &world->flow[i], *b = &world->flow[k];
			bool meet = a->host[0] == b->host[0] || a->host[0] == b->host[1] || a->host[1] == b->host[0] || a->host[1] == b->host[1];

			if (meet && !flow[i].kernel != !flow[k].kernel)
				return wt_world_complain(world, a->line, err, err_len, "flows %s and %s: a host has only one stack, the kernel's or ours",
							 b->name, a->name);
			if (flow[i].kernel && flow[k].kernel && a->host[1] == b->host[1])
				return wt_world_complain(world, a->line, err, err_len, "flows %s and %s: a host can have only one flow of the kernel's TCP",
							 b->name, a->name);
		}
	return 0;
}

int wt_flows_ours(const struct wt_world *world, const struct wt_app_flow *flow, char *err, size_t err_len)
{
	for (unsigned i = 0; i < world->flows; i++)
		if (flow[i].kernel)
			return wt_world_complain(world, world->flow[i].word_line[WT_FLOW_STACK], err, err_len,
						 "stack: the kernel's TCP needs real time: lab run, or backend = tap or packet of a sweep");
	return 0;
}

int wt_flow_resolve(const struct wt_world *world, unsigned index, struct wt_app_flow *flow, char *err, size_t err_len)
{
	const struct wt_world_flow *said = &world->flow[index];
	char why[700];

	memset(flow, 0, sizeof(*flow));
	wt_tcp_config_init(&flow->a);
	wt_tcp_config_init(&flow->b);
	for (unsigned i = 0; i < WT_FLOW_WORDS; i++)
		if (said->word[i] && take_word(flow, (enum wt_flow_word)i, said->word[i], said->word[WT_FLOW_PRESET], why, sizeof(why)))
			return wt_world_complain(world, said->word_line[i], err, err_len, "%s: %s", wt_flow_word_name[i], why);
	if (!said->word[WT_FLOW_RECEIVER])
		other_side(flow, said->word[WT_FLOW_PRESET]);
	flow->size = flow->asks ? 0 : said->bytes;
	if (flow->asks && said->bytes && said->bytes != world->each.bytes)
		return wt_world_complain(world, said->line, err, err_len, "flow %s: rr counts requests, not bytes: app = rr:requests=100",
					 said->name);
	if (!flow->size && !flow->rr.requests && !flow->time && !said->stop && !world->time)
		return wt_world_complain(world, said->line, err, err_len, "flow %s: it never ends: expected bytes or stop here, or time in [run]",
					 said->name);
	if (flow->datagrams && refuse_tcp_words(world, said, "cbr, which has no TCP", err, err_len))
		return -EINVAL;
	if (flow->kernel && check_kernel(world, said, flow, err, err_len))
		return -EINVAL;
	if (flow->plays && wt_playback_check(&flow->playback, &flow->b.settings, why, sizeof(why)))
		return wt_world_complain(world, said->word_line[WT_FLOW_APP], err, err_len, "app: %s", why);
	return 0;
}

struct wt_app_flow *wt_flows_resolve(const struct wt_world *world, char *err, size_t err_len)
{
	struct wt_app_flow *flow = calloc(world->flows ? world->flows : 1, sizeof(*flow));
	int error = 0;

	snprintf(err, err_len, "out of memory");
	for (unsigned i = 0; i < world->flows && flow && !error; i++)
		error = wt_flow_resolve(world, i, &flow[i], err, err_len);
	for (unsigned i = 0; i < world->flows && flow && !error; i++)
		if (flow[i].kernel) { /* else none is, and a thousand flows are not compared in pairs */
			error = check_hosts(world, flow, err, err_len);
			break;
		}
	if (!error)
		return flow;
	free(flow);
	return NULL;
}

void wt_flow_send_config(const struct wt_app_flow *flow, struct wt_rr *rr, struct wt_bulk_send_config *config)
{
	if (flow->asks)
		*rr = (struct wt_rr){.config = flow->rr};
	config->size = flow->size;
	config->time = flow->time;
	config->on = flow->on;
	config->off = flow->off;
	if (flow->plays)
		wt_playback_send(&flow->playback, config);
	if (flow->asks)
		config->rr = rr;
}

void wt_flow_serve_config(const struct wt_app_flow *flow, struct wt_bulk_serve_config *config)
{
	if (flow->plays)
		wt_playback_serve(&flow->playback, config);
}

void wt_flow_json(struct wt_json *json, const struct wt_world *world, unsigned index)
{
	const struct wt_world_flow *flow = &world->flow[index];

	wt_json_string(json, "name", flow->name);
	wt_json_string(json, "from", world->host[flow->host[0]].name);
	wt_json_string(json, "to", world->host[flow->host[1]].name);
	wt_json_number(json, "start_s", (double)flow->start / 1e9);
	wt_json_object(json, "requested");
	for (unsigned word = 0; word < WT_FLOW_WORDS; word++)
		if (flow->word[word])
			wt_json_string(json, wt_flow_word_name[word], flow->word[word]);
	wt_json_end(json);
}
