/* SPDX-License-Identifier: BSD-2-Clause */
/* [flow NAME] and [run]: who sends what to whom, and for how long. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/file.h"
#include "stack/text/units.h"

#define COUNT 10000 /* flows of one section: what is more is a mistake */

/* What all flows may be said to be in [run] stands first. */
static const char *const flow_keys[] = {"app", "preset", "settings", "sender", "recovery", "receiver", "stack", "start", "stop", "bytes",
					"delay", "between", "direction", "count", NULL};
static const char *const run_keys[] = {"app", "preset", "settings", "sender", "recovery", "receiver", "stack", "start", "stop", "bytes",
				       "delay", "time", "limit", "seed", NULL};
enum { KEY_START = WT_FLOW_WORDS, KEY_STOP, KEY_BYTES, KEY_DELAY, KEY_OWN };

int wt_file_open_flow(struct wt_world_file *file, const char *name)
{
	struct wt_world *world = file->world;

	file->section = WT_SECTION_FLOW;
	file->joined = file->reverse = false;
	file->ends = 0;
	file->count = 1;
	if (!wt_file_good_name(file, name))
		return -EINVAL;
	for (unsigned i = 0; i < world->flows; i++)
		if (!strncmp(world->flow[i].name, name, strlen(name)) && strchr(".", world->flow[i].name[strlen(name)]))
			return wt_file_refuse(file, "there is a flow \"%s\" already", name);
	if (wt_world_add_flow(world, name, 0, 0))
		return wt_file_refuse(file, "out of memory");
	world->flow[world->flows - 1].line = file->line;
	return 0;
}

int wt_file_open_run(struct wt_world_file *file, const char *name)
{
	file->ends = 0;
	if (wt_file_open_only(file, WT_SECTION_RUN, "run", name))
		return -EINVAL;
	return file->world->flows ? wt_file_refuse(file, "[run] must come before the flows: it sets their defaults") : 0;
}

/* "one" becomes one.1, one.2 ..., all alike. */
static int multiply(struct wt_world_file *file)
{
	struct wt_world *world = file->world;
	unsigned first = world->flows - 1;
	struct wt_world_flow each = world->each;
	char base[WT_WORLD_NAME], name[24];
	int error = 0;

	snprintf(base, sizeof(base), "%s", world->flow[first].name);
	for (uint64_t n = 1; n <= file->count && !error; n++) {
		snprintf(name, sizeof(name), "%s.%" PRIu64, base, n);
		if (n > 1) {
			world->each = world->flow[first];
			error = wt_world_add_flow(world, name, world->each.host[0], world->each.host[1]);
			world->flow[world->flows - 1].line = world->flow[first].line;
		} else {
			error = wt_world_text(&world->flow[first].name, name);
		}
	}
	world->each = each;
	return error;
}

void wt_file_close_flow(struct wt_world_file *file)
{
	struct wt_world_flow *flow = &file->world->flow[file->world->flows - 1];

	if (file->section != WT_SECTION_FLOW || file->failed)
		return;
	if (!file->joined) {
		wt_file_refuse(file, "flow %s: between is missing, such as between = a b", flow->name);
		file->bad_line = file->section_line;
	}
	if (file->reverse) {
		unsigned from = flow->host[1];

		flow->host[1] = flow->host[0];
		flow->host[0] = from;
	}
	if (!file->failed && file->count > 1 && multiply(file))
		wt_file_refuse(file, "out of memory");
}

static int take_time(struct wt_world_file *file, const char *key, const char *value, wt_time *to, bool may_be_zero)
{
	char why[200];

	if (wt_parse_time(value, to, why, sizeof(why)))
		return wt_file_refuse(file, "%s: %s", key, why);
	if (*to < 0 || (!*to && !may_be_zero))
		return wt_file_refuse(file, "%s: '%.40s': expected a time %s 0", key, value, may_be_zero ? "of at least" : "above");
	return 0;
}

static int take_bytes(struct wt_world_file *file, const char *value, uint64_t *to)
{
	char why[200];

	if (wt_parse_size(value, to, why, sizeof(why)))
		return wt_file_refuse(file, "bytes: %s", why);
	return *to ? 0 : wt_file_refuse(file, "bytes: '%.40s': expected a size above 0", value);
}

/* What [run] may say, too. */
static int common_key(struct wt_world_file *file, int which, const char *key, const char *value, struct wt_world_flow *flow)
{
	file->ends |= which == KEY_BYTES ? 1 : which == KEY_STOP ? 2 : 0;
	if (file->ends == 3)
		return wt_file_refuse(file, "%s: a flow ends by bytes or by stop, not by both", key);
	switch (which) {
	case KEY_START: return take_time(file, key, value, &flow->start, true);
	case KEY_STOP:
		flow->bytes = 0;
		return take_time(file, key, value, &flow->stop, false);
	case KEY_BYTES:
		flow->stop = 0;
		return take_bytes(file, value, &flow->bytes);
	case KEY_DELAY: return take_time(file, key, value, &flow->delay, true);
	}
	flow->word_line[which] = file->line;
	return wt_world_text(&flow->word[which], value) ? wt_file_refuse(file, "out of memory") : 0;
}

static int between(struct wt_world_file *file, const char *value, struct wt_world_flow *flow)
{
	char text[80], *word[2];

	if (wt_file_two(file, "between", value, text, word, "the names of two hosts, such as between = a b"))
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++) {
		int host = wt_world_find_host(file->world, word[i]);

		if (host < 0)
			return wt_file_refuse(file, wt_world_find_router(file->world, word[i]) < 0 ? "between: there is no host \"%.40s\" above" :
				"between: \"%.40s\" is a router; a flow is between two hosts", word[i]);
		flow->host[i] = (unsigned)host;
	}
	if (flow->host[0] == flow->host[1])
		return wt_file_refuse(file, "between: a flow has two different ends, not \"%.40s\" twice", word[0]);
	file->joined = true;
	return 0;
}

int wt_file_flow_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const directions[] = {"fwd", "rev", NULL};
	struct wt_world_flow *flow = &file->world->flow[file->world->flows - 1];
	int which = wt_file_find(flow_keys, key), direction;
	char why[200];

	switch (which) {
	case -1: return wt_file_unknown(file, "key", key, flow_keys);
	case KEY_OWN: return between(file, value, flow);
	case KEY_OWN + 1:
		direction = wt_file_find(directions, value);
		file->reverse = direction == 1;
		return direction < 0 ? wt_file_unknown(file, "direction", value, directions) : 0;
	case KEY_OWN + 2:
		if (wt_parse_count(value, &file->count, why, sizeof(why)))
			return wt_file_refuse(file, "count: %s", why);
		return file->count && file->count <= COUNT ? 0 : wt_file_refuse(file, "count: '%.40s': expected 1 to %d", value, COUNT);
	}
	return common_key(file, which, key, value, flow);
}

int wt_file_run_key(struct wt_world_file *file, const char *key, const char *value)
{
	struct wt_world *world = file->world;
	int which = wt_file_find(run_keys, key);
	char why[200];

	switch (which) {
	case -1: return wt_file_unknown(file, "key", key, run_keys);
	case KEY_OWN:
	case KEY_OWN + 1:
		if (take_time(file, key, value, which == KEY_OWN ? &world->time : &world->limit, false))
			return -EINVAL;
		return wt_world_time_ok(world) ? 0 : wt_file_refuse(file, "%s: time is longer than limit, after which the run fails", key);
	case KEY_OWN + 2: return wt_parse_count(value, &world->seed, why, sizeof(why)) ? wt_file_refuse(file, "seed: %s", why) : 0;
	}
	return common_key(file, which, key, value, &world->each);
}
