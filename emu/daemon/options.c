/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stack/text/units.h"

/* in the order of the switches */
const char *const wt_option_key[] = {"seed", "frames", "cpu", "time", "late", "steal", "icmp-limit", "capture", "log", "control", "user",
				     "release", "ports", "writes", "arrival", "realtime", "offload", "seccomp", "awake", "steer", NULL};
enum {
	SEED, FRAMES, CPU, TIME, LATE, STEAL, ICMP_LIMIT, CAPTURE, LOG, CONTROL, USER, RELEASE, PORTS, WRITES, ARRIVAL, REALTIME, OFFLOAD,
	SECCOMP, AWAKE, STEER
};

void wt_options_init(struct wt_options *options, struct wt_world *world)
{
	*options = (struct wt_options){.world = world, .frames = 16384, .bounds = WT_VERDICT_BOUNDS, .release = WT_RELEASE_GUARD,
				       .cpu = -1, .gather = true};
}

void wt_options_finish(struct wt_options *options)
{
	for (unsigned i = 0; i < WT_OPTION_KEYS; i++)
		free(options->said[i]);
	free(options->capture);
	free(options->log);
	free(options->control);
	free(options->user);
	memset(options, 0, sizeof(*options));
}

static int find(const char *const *list, const char *word)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

static int take_count(const char *value, uint64_t least, uint64_t most, uint64_t *to, char *err, size_t err_len)
{
	uint64_t n;
	int error = wt_parse_count(value, &n, err, err_len);

	if (error)
		return error;
	if (n < least || n > most) {
		snprintf(err, err_len, "'%s' is not from %" PRIu64 " to %" PRIu64, value, least, most);
		return -EINVAL;
	}
	*to = n;
	return 0;
}

static int take_time(const char *value, wt_time *to, char *err, size_t err_len)
{
	int error = wt_parse_time(value, to, err, err_len);

	if (!error && !*to) {
		snprintf(err, err_len, "'%.40s': expected a time above 0", value);
		error = -EINVAL;
	}
	return error;
}

/* A word of a list. */
static int take_choice(struct wt_options *options, int key, const char *value, char *err, size_t err_len)
{
	static const char *const lists[][4] = {{"sleep", "guard", "spin"}, {"end", "wait"}, {"gather", "single"}, {"kernel", "ring", "read"}};
	int which = find(lists[key - RELEASE], value);

	if (which < 0)
		return wt_world_unknown(wt_option_key[key], value, lists[key - RELEASE], err, err_len);
	switch (key) {
	case RELEASE: options->release = (enum wt_release)which; break;
	case PORTS: options->wait_ports = which; break;
	case WRITES: options->gather = which == 0; break;
	case ARRIVAL: options->stamps = (enum wt_stamps)which; break;
	}
	return 0;
}

int wt_options_take(struct wt_options *options, const char *key, const char *value, char *err, size_t err_len)
{
	char **const texts[] = {&options->capture, &options->log, &options->control, &options->user};
	bool *const flags[] = {&options->realtime, &options->offload, &options->seccomp, &options->awake, &options->steer};
	int at = find(wt_option_key, key), error;
	uint64_t n;

	snprintf(err, err_len, "out of memory");
	switch (at) {
	case -1: return wt_world_unknown("key", key, wt_option_key, err, err_len);
	case SEED: return wt_parse_count(value, &options->world->seed, err, err_len);
	case FRAMES: return take_count(value, 64, 1 << 20, &options->frames, err, err_len);
	case CPU:
		error = take_count(value, 0, 1023, &n, err, err_len);
		options->cpu = error ? options->cpu : (int)n;
		return error;
	case TIME: return take_time(value, &options->time, err, err_len);
	case LATE: return wt_parse_time(value, &options->bounds.late, err, err_len);
	case STEAL: return wt_parse_share(value, &options->bounds.steal, err, err_len);
	case ICMP_LIMIT: return wt_refusal_rate_parse(value, &options->world->icmp_limit, err, err_len);
	case CAPTURE:
	case LOG:
	case CONTROL:
	case USER: return wt_world_text(texts[at - CAPTURE], value);
	case RELEASE:
	case PORTS:
	case WRITES:
	case ARRIVAL: return take_choice(options, at, value, err, err_len);
	}
	error = wt_parse_bool(value, &n, err, err_len);
	if (!error)
		*flags[at - REALTIME] = n;
	return error;
}

int wt_options_of_file(void *arg, unsigned line, const char *key, const char *value, char *err, size_t err_len)
{
	struct wt_options *options = arg;
	int at = find(wt_option_key, key);
	char why[300];

	if (at >= 0 && wt_world_text(&options->said[at], value)) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	if (at >= 0)
		options->line[at] = line;
	if (!wt_options_take(options, key, value, why, sizeof(why)))
		return 0;
	snprintf(err, err_len, "%s%s%s", at < 0 || (at >= RELEASE && at <= ARRIVAL) ? "" : key, at < 0 || (at >= RELEASE && at <= ARRIVAL) ? "" : ": ",
		 why);
	return -EINVAL;
}

bool wt_options_said(const struct wt_options *options, const char *key)
{
	for (unsigned i = 0; i < WT_OPTION_KEYS; i++)
		if (!strcmp(wt_option_key[i], key))
			return options->said[i];
	return false;
}

/* "FILE:LINE: KEY: " of a value that is the file's, "KEY: " of one of the command line. */
static const char *origin(const struct wt_options *options, int key, const char *value, char text[500])
{
	if (options->said[key] && options->world->file && (!value || !strcmp(options->said[key], value)))
		snprintf(text, 500, "%.400s:%u: %s: ", options->world->file, options->line[key], wt_option_key[key]);
	else
		snprintf(text, 500, "%s: ", wt_option_key[key]);
	return text;
}

int wt_options_check(const struct wt_options *options, char *err, size_t err_len)
{
	char from[500];

	if (!options->steer || options->cpu >= 0)
		return 0;
	snprintf(err, err_len, "%sneeds cpu, the processor the emulator stays on and the others receive for", origin(options, STEER, NULL, from));
	return -EINVAL;
}

int wt_options_files(const struct wt_options *options, const char *capture, const char *log, const char *control, char *err, size_t err_len)
{
	const char *const names[] = {capture, log, control};
	char from[500], folder[PATH_MAX];
	struct stat there;

	for (int i = 0; i < 3; i++) {
		const char *slash = names[i] ? strrchr(names[i], '/') : NULL;

		if (!slash || slash == names[i] || !options->said[CAPTURE + i] || strcmp(names[i], options->said[CAPTURE + i]))
			continue;
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - names[i]), names[i]);
		if (!stat(folder, &there) && S_ISDIR(there.st_mode))
			continue;
		snprintf(err, err_len, "%s'%.200s': expected a folder that exists", origin(options, CAPTURE + i, names[i], from), folder);
		return -EINVAL;
	}
	return 0;
}

int wt_options_user(struct wt_options *options, char *err, size_t err_len)
{
	char why[200], from[500];

	if (!options->user || !wt_identity_given(&options->identity, options->user, why, sizeof(why)))
		return 0;
	snprintf(err, err_len, "%s%s", origin(options, USER, options->user, from), why);
	return -EINVAL;
}
