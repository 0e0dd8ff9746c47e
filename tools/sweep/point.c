/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/source.h"
#include "tools/sweep/work.h"
#include "tools/results/tcp_json.h"
#include "tools/words/tcp_words.h"

struct resolve {
	const struct wt_sweep *sweep;
	uint32_t point;
	struct wt_sweep_run *run;
	char *err;
	size_t err_len;
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
	char point[300];

	if (!r->sweep->axes)
		return refuse(r, r->run->line[param], "%s: %s", wt_sweep_param_name[param], why);
	return refuse(r, r->run->line[param], "%s: %s (at %s)", wt_sweep_param_name[param], why,
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

/* Puts {axis} to its word. */
static int fill_in(const struct resolve *r, const char *from, unsigned line, char *out, size_t len)
{
	size_t at = 0;

	while (*from) {
		size_t n = *from == '{' ? strcspn(from, "}") : 0;
		int axis = n ? find_axis(r->sweep, from + 1, n - 1) : -1;

		if (n && from[n] != '}')
			return refuse(r, line, "'%.60s' is not closed: expected {AXIS}", from);
		if (n && axis < 0)
			return refuse(r, line, "'%.*s}' is no axis of [axes]", (int)(n < 60 ? n : 60), from);
		if (n) {
			at += (size_t)snprintf(out + at, len - at, "%s", wt_sweep_word(r->sweep, r->point, (unsigned)axis));
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

static const struct wt_sweep_variant *variant_at(const struct wt_sweep *sweep, uint32_t point)
{
	int axis = find_axis(sweep, "variant", 7);
	const char *name = axis >= 0 && sweep->variants ? wt_sweep_word(sweep, point, (unsigned)axis) : NULL;

	for (unsigned i = 0; name && i < sweep->variants; i++)
		if (!strcmp(sweep->variant[i].name, name))
			return &sweep->variant[i];
	return NULL;
}

/* [run], over it [variant NAME], over it an axis of the parameter's own name. */
static int choose(struct resolve *r, enum wt_sweep_param param)
{
	const struct wt_sweep *sweep = r->sweep;
	const struct wt_sweep_variant *variant = variant_at(sweep, r->point);
	const struct wt_sweep_value *value = &sweep->param[param];
	const char *name = wt_sweep_param_name[param];
	int axis = find_axis(sweep, name, strlen(name));

	if (variant && variant->param[param].text)
		value = &variant->param[param];
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
			return refuse_param(r, WT_SWEEP_STACK, "no kernel has a module of that name");
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
		return refuse_param(r, WT_SWEEP_APP, flow->asks ? "it has no end: expected time, or rr:requests=100" : "datagrams run in worlds: sim -f");
	if ((flow->asks || flow->off) && strcmp(r->sweep->backend, "sim") != 0)
		return refuse_param(r, WT_SWEEP_APP, "rr and onoff only in virtual time (backend = sim)");
	if (flow->plays && *run->kernel)
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
		return refuse_param(r, WT_SWEEP_FLOWS, "expected 1 to 32");
	if (strcmp(r->sweep->backend, "sim") != 0 && (mtu || flows > 1))
		return refuse_param(r, mtu ? WT_SWEEP_MTU : WT_SWEEP_FLOWS, "only in virtual time (backend = sim)");
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

int wt_sweep_resolve(const struct wt_sweep *sweep, uint32_t point, struct wt_sweep_run *run, char *err, size_t err_len)
{
	struct resolve r = {sweep, point, run, err, err_len};
	int error = 0;

	memset(run, 0, sizeof(*run));
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
	if (!error)
		error = take_numbers(&r);
	return error ? error : take_paths(&r);
}

int wt_sweep_simulation(const struct wt_sweep_run *run, uint64_t seed, struct wt_simulation *simulation, char *err, size_t err_len)
{
	int error;

	wt_simulation_init(simulation);
	simulation->world.seed = seed;
	simulation->world.limit = run->limit;
	simulation->tokens = run->counts ? &run->tokens : NULL;
	error = wt_simulation_pair(simulation, run->fwd, run->rev, &run->flow, run->flows, err, err_len);
	for (unsigned i = 0; i < simulation->world.hosts; i++)
		simulation->world.host[i].mtu = run->mtu;
	return error;
}

/* An axis that changes nothing is a mistake. */
static int check_used(const struct resolve *r, unsigned index)
{
	const struct wt_sweep *sweep = r->sweep;
	const struct wt_sweep_axis *axis = &sweep->axis[index];
	char braces[80];
	const char *rest;

	if (!strcmp(axis->name, "variant") || dotted(axis->name, &rest) != WT_SWEEP_PARAMS)
		return 0;
	snprintf(braces, sizeof(braces), "{%s}", axis->name);
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++) {
		if (!strcmp(axis->name, wt_sweep_param_name[i]) || (sweep->param[i].text && strstr(sweep->param[i].text, braces)))
			return 0;
		for (unsigned v = 0; v < sweep->variants; v++)
			if (sweep->variant[v].param[i].text && strstr(sweep->variant[v].param[i].text, braces))
				return 0;
	}
	for (unsigned other = 0; other < sweep->axes; other++)
		for (unsigned w = 0; w < sweep->axis[other].words; w++)
			if (other != index && strstr(sweep->axis[other].word[w], braces))
				return 0;
	return refuse(r, axis->line, "axis '%s' changes nothing: expected %s in a value, or the name of a parameter, or settings.NAME",
		      axis->name, braces);
}

static int check_metric(const struct resolve *r, const struct wt_sweep_run *run)
{
	const char *lacks = wt_sweep_metric_lacks(r->sweep->metric, r->sweep, run);
	char point[300];

	return !lacks ? 0 : refuse(r, r->sweep->metric_line, "metric: %s is known only with %s (not at %s)", r->sweep->metric, lacks,
				   wt_sweep_point_text(r->sweep, r->point, point, sizeof(point)));
}

int wt_sweep_check(const struct wt_sweep *sweep, char *err, size_t err_len)
{
	struct resolve r = {sweep, 0, NULL, err, err_len};
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int error = run ? 0 : -ENOMEM;
	char known[500];

	snprintf(err, err_len, "%s: no memory", sweep->file);
	if (!error && !wt_sweep_metric_known(sweep->metric))
		error = refuse(&r, sweep->metric_line, "metric: '%s': expected one of %s", sweep->metric, wt_sweep_metrics(known, sizeof(known)));
	for (; r.point < sweep->points && !error; r.point++) {
		error = wt_sweep_resolve(sweep, r.point, run, err, err_len);
		if (!error)
			error = check_metric(&r, run);
	}
	for (unsigned i = 0; i < sweep->axes && !error; i++)
		error = check_used(&r, i);
	free(run);
	return error;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

void wt_sweep_axes_json(struct wt_json *json, const struct wt_sweep *sweep, uint32_t point)
{
	wt_json_object(json, "axes");
	for (unsigned i = 0; i < sweep->axes; i++)
		wt_json_string(json, sweep->axis[i].name, wt_sweep_word(sweep, point, i));
	wt_json_end(json);
}

static void file_json(struct wt_json *json, const char *path)
{
	char text[WT_SHA256_TEXT];
	FILE *file = fopen(path, "re");
	struct wt_sha256 sha;
	uint8_t data[4096];
	size_t n;

	wt_sha256_init(&sha);
	while (file && (n = fread(data, 1, sizeof(data), file)) > 0)
		wt_sha256_add(&sha, data, n);
	if (file)
		fclose(file);
	wt_sha256_end(&sha, text);
	wt_json_string(json, path, text);
}

/* What a file holds is part of what determines a run: "rate trace FILE", "loss trace FILE", "jitter file FILE". */
static void files_json(struct wt_json *json, const char *words)
{
	char word[512];
	bool named = false;

	for (const char *at = words; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
		if (named)
			file_json(json, word);
		named = !named && (!strcmp(word, "trace") || !strcmp(word, "file"));
	}
}

static void app_json(struct wt_json *json, const struct wt_sweep_run *run)
{
	const struct wt_app_flow *flow = &run->flow;
	char text[64];

	wt_json_object(json, "app");
	wt_json_string(json, "name", flow->plays ? "playback" : flow->asks ? "rr" : flow->off ? "onoff" : "bulk");
	if (flow->asks || flow->off)
		wt_json_string(json, "words", run->text[WT_SWEEP_APP]);
	for (size_t i = 0; flow->plays && i < wt_playback_param_count; i++)
		wt_json_string(json, wt_playback_params[i].name, wt_param_format(&wt_playback_params[i], &flow->playback, text, sizeof(text)));
	wt_json_end(json);
	if (run->counts)
		wt_json_string(json, "tokens", run->text[WT_SWEEP_TOKENS]);
}

void wt_sweep_config_json(struct wt_json *json, const struct wt_sweep *sweep, const struct wt_sweep_run *run)
{
	const struct wt_app_flow *flow = &run->flow;

	wt_json_string(json, "backend", sweep->backend);
	if (strcmp(sweep->backend, "sim") != 0) {
		wt_json_number(json, "late_s", (double)sweep->bounds.late / 1e9);
		wt_json_number(json, "steal_share", sweep->bounds.steal);
	}
	wt_json_string(json, "stack", *run->kernel ? "kernel" : "user");
	wt_json_string(json, "fwd", run->fwd);
	wt_json_string(json, "rev", run->rev);
	wt_json_object(json, "files");
	files_json(json, run->fwd);
	files_json(json, run->rev);
	wt_json_end(json);
	wt_json_u64(json, "size_bytes", flow->size);
	wt_json_number(json, "time_s", (double)flow->time / 1e9);
	wt_json_u64(json, "flows", run->flows);
	wt_json_u64(json, "mtu_bytes", run->mtu ? run->mtu : 1500);
	wt_json_number(json, "limit_s", (double)run->limit / 1e9);
	app_json(json, run);
	if (*run->kernel) {
		wt_json_string(json, "kernel", run->kernel);
		wt_json_string(json, "kernel_release", sweep->kernel);
	} else {
		wt_tcp_config_json(json, "a", &flow->a);
		wt_tcp_config_json(json, "b", &flow->b);
	}
}

int wt_sweep_digest(const struct wt_sweep *sweep, const struct wt_sweep_run *run, char digest[WT_SHA256_TEXT])
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct wt_sha256 sha;
	struct wt_json json;

	if (!file)
		return -ENOMEM;
	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sweep.1");
	wt_json_string(&json, "source", WT_SOURCE);
	wt_sweep_config_json(&json, sweep, run);
	wt_json_end(&json);
	if (fclose(file)) {
		free(text);
		return -ENOMEM;
	}
	wt_sha256_init(&sha);
	wt_sha256_add(&sha, text, len);
	wt_sha256_end(&sha, digest);
	free(text);
	return 0;
}

void wt_sweep_id(const char digest[WT_SHA256_TEXT], uint64_t seed, char id[WT_SWEEP_ID])
{
	char text[WT_SHA256_TEXT + 24], hash[WT_SHA256_TEXT];
	struct wt_sha256 sha;
	int len = snprintf(text, sizeof(text), "%s %" PRIu64, digest, seed);

	wt_sha256_init(&sha);
	wt_sha256_add(&sha, text, (size_t)len);
	wt_sha256_end(&sha, hash);
	snprintf(id, WT_SWEEP_ID, "%.32s", hash);
}
