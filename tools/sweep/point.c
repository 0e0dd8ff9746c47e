/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/point.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/sweep/work.h"
#include "tools/words/ini_text.h"
#include "tools/words/tcp_words.h"

#define DEPTH 4 /* of names in values of names */

struct resolve {
	const struct wt_sweep *sweep;
	uint32_t point;
	struct wt_sweep_run *run;
	char *err;
	size_t err_len;
	bool in_world; /* what is filled in is the text of a world */
	unsigned depth; /* of values in values */
};

static int refuse(const struct resolve *r, unsigned line, const char *format, ...)
{
	int at = snprintf(r->err, r->err_len, "%s:%u: ", r->sweep->file, line);
	va_list ap;

	va_start(ap, format);
	if (at > 0 && (size_t)at < r->err_len)
		vsnprintf(r->err + at, r->err_len - (size_t)at, format, ap);
	va_end(ap);
	return -EINVAL;
}

/* A fault at a point: which point, too. */
static int refuse_param(const struct resolve *r, enum wt_sweep_param param, const char *why)
{
	const char *name = wt_sweep_param_name[param];
	size_t len = strlen(name);
	char point[300];

	if (!strncmp(why, name, len) && !strncmp(why + len, ": ", 2)) /* the sentence of a path begins with fwd or rev itself */
		why += len + 2;
	if (!r->sweep->axes)
		return refuse(r, r->run->line[param], "%s: %s", name, why);
	return refuse(r, r->run->line[param], "%s: %s (at %s)", name, why,
		      wt_sweep_point_text(r->sweep, r->point, point, sizeof(point)));
}

static int find_axis(const struct wt_sweep *sweep, const char *name, size_t len)
{
	for (unsigned i = 0; i < sweep->axes; i++)
		if (strlen(sweep->axis[i].name) == len && !memcmp(sweep->axis[i].name, name, len))
			return (int)i;
	return -1;
}

/* ---- words ---------------------------------------------------------------------------------------------- */

/* Does the section hold at this point? */
static bool holds(const struct resolve *r, const struct wt_sweep_variant *section)
{
	int axis = find_axis(r->sweep, section->axis, strlen(section->axis));

	return axis >= 0 && !strcmp(wt_sweep_word(r->sweep, r->point, (unsigned)axis), section->name);
}

/* What {name} stands for: an axis's word, else a name of the axes' sections; in a world a parameter as well. NULL: nothing. */
static const char *value_of(const struct resolve *r, const char *name, size_t len)
{
	int axis = find_axis(r->sweep, name, len);

	if (axis >= 0)
		return wt_sweep_word(r->sweep, r->point, (unsigned)axis);
	for (unsigned i = r->sweep->variants; i-- > 0;) {
		const struct wt_sweep_variant *section = &r->sweep->variant[i];

		for (unsigned k = 0; k < section->names && holds(r, section); k++)
			if (strlen(section->own[k].name) == len && !memcmp(section->own[k].name, name, len))
				return section->own[k].value.text;
	}
	for (unsigned i = 0; i < WT_SWEEP_PARAMS && r->in_world; i++)
		if (strlen(wt_sweep_param_name[i]) == len && !memcmp(wt_sweep_param_name[i], name, len))
			return r->run->text[i];
	return NULL;
}

/* Puts {name} to its value. */
static int fill_in(const struct resolve *r, const char *from, unsigned line, char *out, size_t len)
{
	size_t at = 0;

	while (*from) {
		size_t n = *from == '{' ? strcspn(from, "}\n") : 0;
		const char *value = n ? value_of(r, from + 1, n - 1) : NULL;

		if (n && from[n] != '}')
			return refuse(r, line, "'%.60s' is not closed: expected {AXIS}", from);
		if (n && !value)
			return refuse(r, line, "'%.*s}' is not an axis of [axes]", (int)(n < 60 ? n : 60), from);
		if (n && strchr(value, '{')) {
			struct resolve deeper = *r;

			if (deeper.depth++ == DEPTH)
				return refuse(r, line, "'%.*s}' refers to itself", (int)(n < 60 ? n : 60), from);
			if (fill_in(&deeper, value, line, out + at, len - at))
				return -EINVAL;
			at += strlen(out + at);
			from += n + 1;
		} else if (n) {
			at += (size_t)snprintf(out + at, len - at, "%s", value);
			from += n + 1;
		} else {
			out[at++] = *from++;
		}
		if (at + 1 >= len)
			return refuse(r, line, "the value is longer than %zu characters", len - 1);
	}
	out[at] = '\0';
	return 0;
}

/* [run], over it the sections of the axes' words, [variant NAME] among them, over them an axis of the parameter's own name. */
static int choose(struct resolve *r, enum wt_sweep_param param)
{
	const struct wt_sweep *sweep = r->sweep;
	const struct wt_sweep_value *value = &sweep->param[param];
	const char *name = wt_sweep_param_name[param];
	int axis = find_axis(sweep, name, strlen(name));

	for (unsigned i = 0; i < sweep->variants; i++)
		if (sweep->variant[i].param[param].text && holds(r, &sweep->variant[i]))
			value = &sweep->variant[i].param[param];
	r->run->line[param] = axis >= 0 ? sweep->axis[axis].line : value->line;
	if (axis >= 0)
		return fill_in(r, wt_sweep_word(sweep, r->point, (unsigned)axis), r->run->line[param], r->run->text[param],
			       sizeof(r->run->text[param]));
	return value->text ? fill_in(r, value->text, value->line, r->run->text[param], sizeof(r->run->text[param])) : 0;
}

/* "settings.NAME", "sender.NAME" ...: which parameter takes it; WT_SWEEP_PARAMS: none */
static enum wt_sweep_param dotted(const char *axis, const char **rest)
{
	static const enum wt_sweep_param takes[] = {WT_SWEEP_SETTINGS, WT_SWEEP_SENDER, WT_SWEEP_RECOVERY, WT_SWEEP_RECEIVER};

	for (unsigned i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		size_t len = strlen(wt_sweep_param_name[takes[i]]);

		if (!strncmp(axis, wt_sweep_param_name[takes[i]], len) && axis[len] == '.' && axis[len + 1]) {
			*rest = axis + len + 1;
			return takes[i];
		}
	}
	return WT_SWEEP_PARAMS;
}

static int append_dotted(struct resolve *r)
{
	for (unsigned i = 0; i < r->sweep->axes; i++) {
		const struct wt_sweep_axis *axis = &r->sweep->axis[i];
		const char *rest, *joint;
		enum wt_sweep_param param = dotted(axis->name, &rest);
		char *text;
		size_t at;

		if (param == WT_SWEEP_PARAMS)
			continue;
		text = r->run->text[param];
		at = strlen(text);
		if (param != WT_SWEEP_SETTINGS && !at)
			return refuse(r, axis->line, "axis '%s' sets a parameter of a module, but no %s is given", axis->name,
				      wt_sweep_param_name[param]);
		joint = !at ? "" : param == WT_SWEEP_SETTINGS || strchr(text, ':') ? "," : ":";
		if (snprintf(text + at, sizeof(r->run->text[param]) - at, "%s%s=%s", joint, rest, wt_sweep_word(r->sweep, r->point, i)) >=
		    (int)(sizeof(r->run->text[param]) - at))
			return refuse(r, axis->line, "the value is too long");
		r->run->line[param] = axis->line;
	}
	return 0;
}

/* ---- flows ---------------------------------------------------------------------------------------------- */

static int apply(struct resolve *r, enum wt_sweep_param param, struct wt_tcp_config *config)
{
	const char *text = r->run->text[param];
	struct wt_tcp_words words = {.profile = r->run->text[WT_SWEEP_PRESET]};
	char why[700];

	if (!*text)
		return 0;
	switch (param) {
	case WT_SWEEP_PRESET: words.preset = text; break;
	case WT_SWEEP_SETTINGS: words.settings = text; break;
	case WT_SWEEP_SENDER: words.sender = text; break;
	case WT_SWEEP_RECOVERY: words.recovery = text; break;
	default: words.receiver = text;
	}
	return wt_tcp_words_apply(&words, config, why, sizeof(why)) ? refuse_param(r, param, why) : 0;
}

/* user, user:MODULE (both ends, where both have a module of that name), kernel:NAME */
static int take_stack(struct resolve *r)
{
	struct wt_sweep_run *run = r->run;
	const char *text = run->text[WT_SWEEP_STACK];
	struct wt_tcp_config scrap;
	char why[700];

	if (!*text || !strcmp(text, "user"))
		return 0;
	if (!strncmp(text, "kernel:", 7) && text[7]) {
		if (!strcmp(r->sweep->backend, "sim"))
			return refuse_param(r, WT_SWEEP_STACK, "the kernel's TCP needs real time: expected backend = tap or packet");
		if (snprintf(run->kernel, sizeof(run->kernel), "%s", text + 7) >= (int)sizeof(run->kernel))
			return refuse_param(r, WT_SWEEP_STACK, "no kernel module has that name");
		return 0;
	}
	if (strncmp(text, "user:", 5) != 0 || !text[5])
		return refuse_param(r, WT_SWEEP_STACK, "expected user, user:MODULE or kernel:NAME");
	wt_tcp_config_init(&scrap);
	snprintf(run->text[WT_SWEEP_SENDER], sizeof(run->text[0]), "%s", text + 5);
	run->line[WT_SWEEP_SENDER] = run->line[WT_SWEEP_STACK];
	if (wt_tcp_words_apply(&(struct wt_tcp_words){.receiver = text + 5}, &scrap, why, sizeof(why)) == 0)
		snprintf(run->text[WT_SWEEP_RECEIVER], sizeof(run->text[0]), "%s", text + 5);
	return 0;
}

static int take_app(struct resolve *r)
{
	struct wt_sweep_run *run = r->run;
	struct wt_app_flow *flow = &run->flow;
	const char *app = run->text[WT_SWEEP_APP], *tokens = run->text[WT_SWEEP_TOKENS];
	char why[700];

	if (*app && (wt_flow_app(flow, app, why, sizeof(why)) ||
		     (flow->plays && wt_playback_check(&flow->playback, &flow->b.settings, why, sizeof(why)))))
		return refuse_param(r, WT_SWEEP_APP, why);
	if (flow->plays && !flow->size && !flow->time)
		flow->size = wt_playback_size(&flow->playback);
	if (flow->datagrams || (flow->asks && !flow->time && !flow->rr.requests))
		return refuse_param(r, WT_SWEEP_APP, flow->asks ? "it has no end: expected time, or rr:requests=100" : "datagrams need a world file: sim -f");
	if ((flow->plays || flow->asks || flow->off) && *run->kernel)
		return refuse_param(r, WT_SWEEP_APP, "only with our own stack, not the kernel's");
	if (*tokens) {
		if (strcmp(r->sweep->backend, "sim") != 0)
			return refuse_param(r, WT_SWEEP_TOKENS, "only in virtual time (backend = sim)");
		if (wt_token_parse(tokens, &run->tokens, why, sizeof(why)))
			return refuse_param(r, WT_SWEEP_TOKENS, why);
		run->counts = true;
	}
	return 0;
}

static int take_numbers(struct resolve *r)
{
	struct wt_sweep_run *run = r->run;
	struct wt_app_flow *flow = &run->flow;
	uint64_t mtu = 0, flows = 1;
	char why[700];

	if (*run->text[WT_SWEEP_SIZE] && wt_parse_size(run->text[WT_SWEEP_SIZE], &flow->size, why, sizeof(why)))
		return refuse_param(r, WT_SWEEP_SIZE, why);
	if (*run->text[WT_SWEEP_TIME] && wt_parse_time(run->text[WT_SWEEP_TIME], &flow->time, why, sizeof(why)))
		return refuse_param(r, WT_SWEEP_TIME, why);
	if (*run->text[WT_SWEEP_LIMIT] && wt_parse_time(run->text[WT_SWEEP_LIMIT], &run->limit, why, sizeof(why)))
		return refuse_param(r, WT_SWEEP_LIMIT, why);
	if (*run->text[WT_SWEEP_MTU] && wt_parse_size(run->text[WT_SWEEP_MTU], &mtu, why, sizeof(why)))
		return refuse_param(r, WT_SWEEP_MTU, why);
	if (*run->text[WT_SWEEP_FLOWS] && wt_parse_count(run->text[WT_SWEEP_FLOWS], &flows, why, sizeof(why)))
		return refuse_param(r, WT_SWEEP_FLOWS, why);
	if (*run->text[WT_SWEEP_SIZE] && !flow->size)
		return refuse_param(r, WT_SWEEP_SIZE, "expected more than 0B");
	if (*run->text[WT_SWEEP_TIME] && !flow->time)
		return refuse_param(r, WT_SWEEP_TIME, "expected more than 0s");
	if (*run->text[WT_SWEEP_LIMIT] && !run->limit)
		return refuse_param(r, WT_SWEEP_LIMIT, "expected more than 0s");
	if (*run->text[WT_SWEEP_MTU] && (mtu < WT_HOST_MTU_MIN || mtu > 9000)) {
		snprintf(why, sizeof(why), "expected %dB to 9000B", WT_HOST_MTU_MIN);
		return refuse_param(r, WT_SWEEP_MTU, why);
	}
	if (!flows || flows > WT_SWEEP_FLOWS_MAX)
		return refuse_param(r, WT_SWEEP_FLOWS, "expected 1 to 10000");
	if (flows > 1 && *run->kernel)
		return refuse_param(r, WT_SWEEP_FLOWS, "the kernel's TCP has one flow at a host");
	if (flow->size && flow->time && strcmp(r->sweep->backend, "sim") != 0)
		return refuse_param(r, WT_SWEEP_TIME, "in real time a flow ends by size or by time, not by both");
	if (take_app(r))
		return -EINVAL;
	if (!flow->size && !flow->time && !flow->asks)
		flow->size = 5 << 20;
	run->mtu = (uint32_t)mtu;
	run->flows = (unsigned)flows;
	run->limit = run->limit ? run->limit : WT_WORLD_LIMIT;
	return 0;
}

static int take_paths(struct resolve *r)
{
	struct wt_sweep_run *run = r->run;
	enum wt_sweep_param from[2] = {*run->text[WT_SWEEP_FWD] ? WT_SWEEP_FWD : WT_SWEEP_LINK,
				       *run->text[WT_SWEEP_REV] ? WT_SWEEP_REV : WT_SWEEP_LINK};
	struct wt_path *path = calloc(2, sizeof(*path));
	char why[300] = "no memory";
	int error = path ? wt_path_init_pair(&path[0], run->text[from[0]], &path[1], run->text[from[1]], 1, why, sizeof(why)) : -ENOMEM;

	if (!error) {
		snprintf(run->fwd, sizeof(run->fwd), "%s", path[0].text);
		snprintf(run->rev, sizeof(run->rev), "%s", path[1].text);
		wt_path_finish(&path[0]);
		wt_path_finish(&path[1]);
	} else {
		struct wt_path alone;
		char scrap[300];
		/* Whose fault it is: the way back's, if the way there stands alone. */
		bool back = wt_path_init(&alone, run->text[from[0]], "fwd", 1, scrap, sizeof(scrap)) == 0;

		if (back)
			wt_path_finish(&alone);
		error = refuse_param(r, from[back], why);
	}
	free(path);
	return error;
}

/*
 * A world is said in a file: beside the sweep's own, or among the tables that came with the program. Every {NAME} in it is filled in, and
 * then it is read and checked like any other.
 */
static int take_world(struct resolve *r)
{
	struct wt_sweep_run *run = r->run;
	char name[512], why[700], *text;
	struct wt_simulation simulation;
	int error = 0;

	for (unsigned i = WT_SWEEP_LINK; i < WT_SWEEP_PARAMS; i++)
		if (*run->text[i] && i != WT_SWEEP_WORLD && i != WT_SWEEP_APP)
			return refuse_param(r, (enum wt_sweep_param)i, "a world file sets this itself: expected {...} in that file, or no world");
	text = wt_sweep_world_text(r->sweep, run->text[WT_SWEEP_WORLD], name, &error, why, sizeof(why));
	if (!text)
		return refuse_param(r, WT_SWEEP_WORLD, why);
	r->in_world = true;
	error = fill_in(r, text, run->line[WT_SWEEP_WORLD], run->world, sizeof(run->world));
	r->in_world = false;
	free(text);
	if (error)
		return error;
	snprintf(run->world_name, sizeof(run->world_name), "%s", name);
	error = wt_sweep_simulation(run, 1, &simulation, why, sizeof(why));
	if (!error && !strcmp(r->sweep->backend, "sim"))
		error = wt_flows_ours(&simulation.world, simulation.flow, why, sizeof(why));
	for (unsigned i = 0; i < simulation.world.flows && !error; i++)
		if (simulation.flow[i].kernel)
			snprintf(run->kernel, sizeof(run->kernel), "%s", simulation.flow[i].kernel);
	if (!error)
		run->limit = simulation.world.time ? simulation.world.time : simulation.world.limit;
	wt_simulation_finish(&simulation);
	return error ? refuse_param(r, WT_SWEEP_WORLD, why) : 0;
}

int wt_sweep_resolve(const struct wt_sweep *sweep, uint32_t point, struct wt_sweep_run *run, char *err, size_t err_len)
{
	struct resolve r = {.sweep = sweep, .point = point, .run = run, .err = err, .err_len = err_len};
	int error = 0;

	memset(run, 0, offsetof(struct wt_sweep_run, world));
	*run->world = '\0';
	wt_tcp_config_init(&run->flow.a);
	wt_tcp_config_init(&run->flow.b);
	for (unsigned i = 0; i < WT_SWEEP_PARAMS && !error; i++)
		error = choose(&r, (enum wt_sweep_param)i);
	if (!error)
		error = take_stack(&r);
	if (!error)
		error = append_dotted(&r);
	for (unsigned side = 0; side < 2 && !error; side++) {
		struct wt_tcp_config *config = side ? &run->flow.b : &run->flow.a;

		error = apply(&r, WT_SWEEP_PRESET, config);
		if (!error)
			error = apply(&r, WT_SWEEP_SETTINGS, config);
		if (!error)
			error = apply(&r, side ? WT_SWEEP_RECEIVER : WT_SWEEP_SENDER, config);
		if (!error && !side)
			error = apply(&r, WT_SWEEP_RECOVERY, config);
	}
	if (!error && *run->text[WT_SWEEP_WORLD])
		return take_world(&r);
	if (!error)
		error = take_numbers(&r);
	return error ? error : take_paths(&r);
}

static int no_emulator(void *arg, unsigned line, const char *key, const char *value, char *err, size_t err_len)
{
	snprintf(err, err_len, "%s: the world of a sweep runs without an emulator", key);
	return -EINVAL;
}

/* Of a world of two hosts without flows: one from the first to the second, as the parameters say, as wavetank sim -f has it. */
static int add_flow(struct wt_sweep_run *run, struct wt_world *world)
{
	static const enum wt_sweep_param said[WT_FLOW_WORDS] = {WT_SWEEP_APP, WT_SWEEP_PRESET, WT_SWEEP_SETTINGS, WT_SWEEP_SENDER, WT_SWEEP_RECOVERY,
								WT_SWEEP_RECEIVER, WT_SWEEP_STACK};
	int error = wt_world_add_flow(world, "tcp1", 0, 1);

	snprintf(run->world_flow, sizeof(run->world_flow), "[flow tcp1]\nbetween = %.30s %.30s\n", world->host[0].name, world->host[1].name);
	for (unsigned i = 0; i < WT_FLOW_WORDS && !error; i++)
		if (*run->text[said[i]] && (said[i] != WT_SWEEP_STACK || *run->kernel)) /* user:MODULE is its sender's word already */
			error = wt_world_text(&world->flow[0].word[i], run->text[said[i]]);
	return error;
}

static int read_world(struct wt_sweep_run *run, uint64_t seed, struct wt_simulation *simulation, char *err, size_t err_len)
{
	const struct wt_world_keys keys = {no_emulator, NULL};
	int error;

	simulation->foretells = true; /* of real time; in virtual time it was refused before */
	simulation->world.limit = WT_WORLD_LIMIT;
	error = wt_world_parse(&simulation->world, run->world, run->world_name, &keys, err, err_len);
	simulation->world.seed = seed;
	if (!error && !simulation->world.flows && simulation->world.hosts == 2)
		error = add_flow(run, &simulation->world);
	return error ? error : wt_simulation_resolve(simulation, err, err_len);
}

int wt_sweep_simulation(struct wt_sweep_run *run, uint64_t seed, struct wt_simulation *simulation, char *err, size_t err_len)
{
	int error;

	wt_simulation_init(simulation);
	if (*run->world)
		return read_world(run, seed, simulation, err, err_len);
	simulation->world.seed = seed;
	simulation->world.limit = run->limit;
	simulation->tokens = run->counts ? &run->tokens : NULL;
	error = wt_simulation_pair(simulation, run->fwd, run->rev, &run->flow, run->flows, err, err_len);
	for (unsigned i = 0; i < simulation->world.hosts; i++)
		simulation->world.host[i].mtu = run->mtu;
	return error;
}

/* Does a value, a word of an axis or the world of some point say {name}? */
static bool is_said(const struct resolve *r, const char *name, const char *worlds)
{
	const struct wt_sweep *sweep = r->sweep;
	char braces[100];

	snprintf(braces, sizeof(braces), "{%s}", name);
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++) {
		if (sweep->param[i].text && strstr(sweep->param[i].text, braces))
			return true;
		for (unsigned v = 0; v < sweep->variants; v++)
			if (sweep->variant[v].param[i].text && strstr(sweep->variant[v].param[i].text, braces))
				return true;
	}
	for (unsigned v = 0; v < sweep->variants; v++)
		for (unsigned k = 0; k < sweep->variant[v].names; k++)
			if (strstr(sweep->variant[v].own[k].value.text, braces))
				return true;
	for (unsigned axis = 0; axis < sweep->axes; axis++)
		for (unsigned w = 0; w < sweep->axis[axis].words; w++)
			if (strcmp(sweep->axis[axis].name, name) && strstr(sweep->axis[axis].word[w], braces))
				return true;
	return worlds && strstr(worlds, braces);
}

/* An axis that changes nothing is a mistake, and so is a name in one of its sections: a key that is none. */
static int check_used(const struct resolve *r, unsigned index, const char *worlds)
{
	const struct wt_sweep *sweep = r->sweep;
	const struct wt_sweep_axis *axis = &sweep->axis[index];
	bool sections = false;
	const char *rest;

	for (unsigned v = 0; v < sweep->variants; v++)
		for (unsigned k = 0; k < sweep->variant[v].names && !strcmp(sweep->variant[v].axis, axis->name); k++)
			if (!is_said(r, sweep->variant[v].own[k].name, worlds))
				return refuse(r, sweep->variant[v].own[k].value.line, "'%s' is not a parameter, and no value contains {%s}",
					      sweep->variant[v].own[k].name, sweep->variant[v].own[k].name);
	for (unsigned v = 0; v < sweep->variants; v++)
		sections |= !strcmp(sweep->variant[v].axis, axis->name);
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		sections |= !strcmp(axis->name, wt_sweep_param_name[i]);
	if (sections || dotted(axis->name, &rest) != WT_SWEEP_PARAMS || is_said(r, axis->name, worlds))
		return 0;
	return refuse(r, axis->line, "axis '%s' changes nothing: expected {%s} in a value, or the name of a parameter, or settings.NAME",
		      axis->name, axis->name);
}

static int check_metric(const struct resolve *r, const struct wt_sweep_run *run)
{
	const char *lacks = strchr(r->sweep->metric, '.') ? NULL : wt_sweep_metric_lacks(r->sweep->metric, r->sweep, run);
	char point[300];

	return !lacks ? 0 : refuse(r, r->sweep->metric_line, "metric: %s is known only with %s (not at %s)", r->sweep->metric, lacks,
				   wt_sweep_point_text(r->sweep, r->point, point, sizeof(point)));
}

/* "flow.NAME.rest" or "hop.NAME.rest": is it one of this world? What else a path leads to shows in the result only. */
static bool is_there(const struct wt_world *world, const char *path)
{
	bool flow = !strncmp(path, "flow.", 5);

	if (!flow && strncmp(path, "hop.", 4) != 0)
		return true;
	path = strchr(path, '.') + 1;
	for (unsigned i = 0; i < (flow ? world->flows : world->links); i++) {
		const char *name = flow ? world->flow[i].name : world->link[i].name;

		if (!strncmp(path, name, strlen(name)) && path[strlen(name)] == '.')
			return true;
	}
	return false;
}

static int check_path(const struct resolve *r, const struct wt_world *world, const char *metric, unsigned line)
{
	const char *slash = strchr(metric, '/');
	char known[600];

	if (!wt_sweep_metric_known(metric))
		return refuse(r, line, "metric: '%s': expected one of %s, or a path in the result such as flow.tcp1.goodput_kBps", metric,
			      wt_sweep_metrics(known, sizeof(known)));
	if (is_there(world, metric) && (!slash || is_there(world, slash + 1)))
		return 0;
	return refuse(r, line, "metric: '%s': there is no such flow or link; expected one of %u flows such as flow.%s.goodput_kBps", metric,
		      world->flows, world->flow[0].name);
}

/* The metrics of a sweep, by the first point: its own and those of printed numbers. */
static int check_metrics(const struct resolve *r, struct wt_sweep_run *run)
{
	const struct wt_sweep *sweep = r->sweep;
	struct wt_simulation simulation;
	char why[700];
	int error = wt_sweep_simulation(run, 1, &simulation, why, sizeof(why));

	if (error)
		error = refuse(r, 1, "%s", why);
	else
		error = check_path(r, &simulation.world, sweep->metric, sweep->metric_line);
	for (unsigned i = 0; i < sweep->notes && !error; i++) {
		const char *metric = wt_ini_name(sweep->note[i].section, "printed");

		if (metric)
			error = check_path(r, &simulation.world, metric, sweep->note[i].line);
	}
	wt_simulation_finish(&simulation);
	return error;
}

int wt_sweep_check(const struct wt_sweep *sweep, char *err, size_t err_len)
{
	struct resolve r = {.sweep = sweep, .err = err, .err_len = err_len};
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int error = run ? 0 : -ENOMEM;
	char name[512], why[700];
	const char *world = sweep->param[WT_SWEEP_WORLD].text;
	char *worlds = world ? wt_sweep_world_text(sweep, world, name, &(int){0}, why, sizeof(why)) : NULL;

	snprintf(err, err_len, "%s: no memory", sweep->file);
	for (; r.point < sweep->points && !error; r.point++) {
		error = wt_sweep_resolve(sweep, r.point, run, err, err_len);
		if (!error && !r.point)
			error = check_metrics(&r, run);
		if (!error)
			error = check_metric(&r, run);
	}
	for (unsigned i = 0; i < sweep->axes && !error; i++)
		error = check_used(&r, i, worlds);
	free(worlds);
	free(run);
	return error;
}
