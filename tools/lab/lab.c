/* SPDX-License-Identifier: BSD-2-Clause */
/* lab up. keeper.h says what a lab is made of. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "emu/router/router.h"
#include "stack/mesh/mesh.h"
#include "emu/daemon/options.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/lab/keeper.h"
#include "tools/common/labs.h"
#include "tools/lab/outside.h"
#include "tools/words/path_words.h"

enum {
	UP_LINK, UP_FWD, UP_REV, UP_FILE, UP_SEED, UP_BACKEND, UP_CAPTURE, UP_LOG, UP_OWNER, UP_OFFLOAD, UP_RELEASE, UP_CPU, UP_REALTIME, UP_AWAKE,
	UP_LATE, UP_STEAL, UP_ICMP_LIMIT, UP_PROGRAMS,
};

static const struct wt_option up_options[] = {
	[UP_LINK] = {0, "link", "WORDS", "the path in both directions: 'rate 10Mbit burst 20KB limit 64KB delay 15ms'"},
	[UP_FWD] = {0, "fwd", "WORDS", "the path from a to b"},
	[UP_REV] = {0, "rev", "WORDS", "the path from b to a"},
	[UP_FILE] = {'f', "file", "FILE", "hosts, routers, links and what changes when from a file, wavetank-emu.conf(5)"},
	[UP_SEED] = {0, "seed", "N", "seed of the emulator's draws (default: the file's, else a fresh one, printed)"},
	[UP_BACKEND] = {0, "backend", "NAME", "auto, tap or packet (default auto: tap where it works)"},
	[UP_CAPTURE] = {0, "capture", "FILE", "pcapng of the path's end a; FILE-b and FILE-drops beside it"},
	[UP_LOG] = {0, "log", "FILE", "drops, states of stages, changes and faults as JSON Lines"},
	[UP_OWNER] = {0, "owner", "PID", "end the lab when this process ends; until then lab down --all skips the lab"},
	[UP_OFFLOAD] = {0, "offload", NULL, "kernels keep their offloads: big frames pass whole where no stage looks at packets"},
	[UP_RELEASE] = {0, "release", "HOW", "wait by sleep, guard (sleep, then spin; the default) or spin (needs a core)"},
	[UP_CPU] = {0, "cpu", "N", "the emulator stays on this processor"},
	[UP_REALTIME] = {0, "realtime", NULL, "the emulator runs before every ordinary process"},
	[UP_AWAKE] = {0, "awake", NULL, "keep the machine's idle processors from sleeping deeply meanwhile"},
	[UP_LATE] = {0, "late", "TIME", "the emulator's record is valid if 99 % of the frames leave at most this late (default 1ms)"},
	[UP_STEAL] = {0, "steal", "SHARE", "... and the hypervisor takes at most this share of the processors (default 1%)"},
	[UP_PROGRAMS] = {0, "programs", NULL, "an engine on each host for any program (wavetank run)"},
	[UP_ICMP_LIMIT] = {0, "icmp-limit", "LIMIT", "ICMP errors of each stage, N/s or N/s burst N (default 100/s burst 100)"},
};

/* What the command line says. */
struct up {
	struct wt_path_words path;
	bool seed, late, steal;
};

static int absolute_path(const char *file, char path[WT_LAB_PATH])
{
	char cwd[PATH_MAX];

	if (file[0] == '/')
		return snprintf(path, WT_LAB_PATH, "%s", file) < WT_LAB_PATH ? 0 : -ENAMETOOLONG;
	if (!getcwd(cwd, sizeof(cwd)))
		return -errno;
	return snprintf(path, WT_LAB_PATH, "%s/%s", cwd, file) < WT_LAB_PATH ? 0 : -ENAMETOOLONG;
}

static int set_words(char to[WT_LAB_WORDS], const char *from, const char *direction)
{
	return snprintf(to, WT_LAB_WORDS, "%s", from) < WT_LAB_WORDS ?
		       WT_EXIT_OK : wt_fail(WT_EXIT_USAGE, "%s has more than %d characters", direction, WT_LAB_WORDS - 1);
}

/* The words in normal form, with files' names made absolute: the emulator runs in another folder. */
static int keep_words(struct wt_lab *lab, const struct wt_path_words *path)
{
	const char *const words[2] = {path->words[0] ? path->words[0] : "", path->words[1] ? path->words[1] : ""};
	static struct wt_link link; /* large */
	struct wt_samples_cache cache = {.folder = lab->folder};
	char err[300];
	int code;

	if (wt_link_init(&link, "main", true, words, lab->seed, &cache, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	code = set_words(lab->fwd, link.way[0].path.text, "fwd");
	if (!code)
		code = set_words(lab->rev, link.way[1].path.text, "rev");
	wt_link_finish(&link);
	return code;
}

/* The hosts of a world: of two on one link the addresses are a lab's, of others the world's. */
static int take_hosts(struct wt_lab *lab, const struct wt_world *world)
{
	for (unsigned i = 0; i < world->hosts; i++) {
		const struct wt_world_host *from = &world->host[i];
		unsigned link = 0;
		struct wt_world_end next = wt_world_next(world, i, &link);
		struct wt_lab_place *host = wt_lab_add_host(lab, from->name);

		if (!host)
			return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
		host->addr = world->hosts == 2 && !next.router && !from->station ? wt_lab_kernel_addr(i) : from->address;
		host->prefix_len = from->prefix_len;
		if (!host->addr.family || host->prefix_len > 24)
			return wt_fail(WT_EXIT_USAGE, "%s: host %s: a lab needs an IPv4 network of at most 24 bits, with room for engines beside the kernel",
				       lab->file, from->name);
		if (from->station && wt_world_is_bare(world, from))
			continue; /* its kernel finds ways itself */
		if (from->station) { /* all others are behind its mesh node */
			host->gateway = wt_world_air_gateway();
			host->gateway_mac = wt_mesh_mac(&from->address, 0);
			continue;
		}
		if (!next.router)
			continue;
		host->gateway = from->gateway[WT_FAMILY_IPV4];
		host->gateway_mac = wt_router_mac(next.index, wt_world_router_port(world, next.index, link));
	}
	return WT_EXIT_OK;
}

/* What the file says and the command line does not. */
static int take_world(struct wt_lab *lab, const struct up *up, const struct wt_world *world, const struct wt_options *options)
{
	int code = WT_EXIT_OK;

	lab->seed = up->seed || !wt_options_said(options, "seed") ? lab->seed : world->seed;
	lab->bounds.late = up->late ? lab->bounds.late : options->bounds.late;
	lab->bounds.steal = up->steal ? lab->bounds.steal : options->bounds.steal;
	lab->offload |= options->offload;
	if (!lab->capture[0] && options->capture && absolute_path(options->capture, lab->capture) < 0)
		return wt_fail(WT_EXIT_USAGE, "capture: the path is too long");
	if (!lab->log[0] && options->log && absolute_path(options->log, lab->log) < 0)
		return wt_fail(WT_EXIT_USAGE, "log: the path is too long");
	code = take_hosts(lab, world);
	for (unsigned i = 0; i < 2 && !code && wt_lab_is_pair(lab); i++)
		if (!lab->given[i])
			code = set_words(i ? lab->rev : lab->fwd, world->link[0].words[i] ? world->link[0].words[i] : "", i ? "rev" : "fwd");
	return code;
}

/* Reads the file as the emulator will: its hosts in other places, and perhaps beginning with other words. */
static int read_file(const struct wt_lab *lab, struct wt_world *world, struct wt_options *options, char *err, size_t err_len)
{
	const char *words[2] = {lab->given[0] ? lab->fwd : NULL, lab->given[1] ? lab->rev : NULL};
	const struct wt_world_keys keys = {wt_options_of_file, options};
	int error = wt_world_read(world, lab->file, &keys, err, err_len);

	if (!error && (words[0] || words[1]) && (world->links > 1 || world->routers)) {
		snprintf(err, err_len, "--fwd, --rev and --link require a file with one link; %s has %u", lab->file, world->links);
		return -EINVAL;
	}
	for (unsigned i = 0; i < world->hosts && !error; i++) {
		char place[24];

		snprintf(place, sizeof(place), "packet:e%.8s", world->host[i].name);
		error = wt_world_place(&world->host[i], WT_NAMESPACE, place, err, err_len);
	}
	if (!error && !world->links && !world->air.there && !wt_world_add_link(world, "main"))
		return -ENOMEM;
	if (!error && (words[0] || words[1]))
		error = wt_world_begin(world, words);
	if (!error)
		error = wt_options_check(options, err, err_len) ||
				wt_options_files(options, lab->capture[0] ? lab->capture : options->capture, lab->log[0] ? lab->log : options->log,
						 NULL, err, err_len) ||
				wt_options_user(options, err, err_len) ? -EINVAL : 0;
	if (!error)
		error = wt_world_check(world, err, err_len);
	if (!error && world->air.stations >= WT_AIR_LAB_MOST) {
		snprintf(err, err_len, "%s: %u stations: a lab has fewer than %d", lab->file, world->air.stations, WT_AIR_LAB_MOST);
		return -EINVAL;
	}
	return error;
}

static int check_file(struct wt_lab *lab, const struct up *up)
{
	struct wt_options options;
	struct wt_world world;
	char err[500];
	int code;

	wt_world_init(&world);
	wt_options_init(&options, &world);
	code = read_file(lab, &world, &options, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : take_world(lab, up, &world, &options);
	wt_options_finish(&options);
	wt_world_finish(&world);
	return code;
}

/* Reads everything, so that what is wrong is told before anything is started. */
static int check_paths(struct wt_lab *lab, const struct up *up)
{
	int code = getcwd(lab->folder, sizeof(lab->folder)) ? keep_words(lab, &up->path) :
							     wt_fail(WT_EXIT_ENVIRONMENT, "this folder: %s", strerror(errno));

	for (unsigned i = 0; i < 2; i++)
		lab->given[i] = up->path.words[i];
	if (!code && lab->file[0])
		return check_file(lab, up);
	for (unsigned i = 0; i < 2 && !code; i++) {
		struct wt_lab_place *host = wt_lab_add_host(lab, i ? "b" : "a");

		if (!host)
			return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
		host->addr = wt_lab_kernel_addr(i);
	}
	return code;
}

static int take_words(struct wt_path_words *path, int option, const char *value)
{
	unsigned directions = option == UP_FWD ? WT_PATH_FWD : option == UP_REV ? WT_PATH_REV : WT_PATH_LINK;
	char err[200];

	return wt_path_words_take(path, directions, value, err, sizeof(err)) ?
		       wt_fail(WT_EXIT_USAGE, "--%s: %s", up_options[option].name, err) : WT_EXIT_OK;
}

static int take_file(const char *value, const char *option, char path[WT_LAB_PATH])
{
	return absolute_path(value, path) < 0 ? wt_fail(WT_EXIT_USAGE, "--%s: the path is too long", option) : WT_EXIT_OK;
}

static int take_release(struct wt_lab *lab, const char *value)
{
	if (strcmp(value, "sleep") != 0 && strcmp(value, "guard") != 0 && strcmp(value, "spin") != 0)
		return wt_fail(WT_EXIT_USAGE, "--release: '%.40s': expected sleep, guard or spin", value);
	strcpy(lab->release, value);
	return WT_EXIT_OK;
}

/* How the emulator is to run, as emu run has it. */
static int run_option(struct wt_lab *lab, struct up *up, int option, const char *value)
{
	struct wt_refusal_rate rate;
	char err[200];
	uint64_t number;

	switch (option) {
	case UP_RELEASE: return take_release(lab, value);
	case UP_CPU:
		if (wt_parse_count(value, &number, err, sizeof(err)) < 0 || number > 1023)
			return wt_fail(WT_EXIT_USAGE, "--cpu: '%.40s' is not from 0 to 1023", value);
		lab->cpu = (int)number;
		break;
	case UP_REALTIME: lab->realtime = true; break;
	case UP_AWAKE: lab->awake = true; break;
	case UP_OFFLOAD: lab->offload = true; break;
	case UP_PROGRAMS: lab->programs = true; break;
	case UP_ICMP_LIMIT:
		if (wt_refusal_rate_parse(value, &rate, err, sizeof(err)) < 0)
			return wt_fail(WT_EXIT_USAGE, "--icmp-limit: %s", err);
		snprintf(lab->icmp_limit, sizeof(lab->icmp_limit), "%s", value);
		break;
	case UP_LATE:
		up->late = true;
		return wt_parse_time(value, &lab->bounds.late, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "--late: %s", err) : WT_EXIT_OK;
	case UP_STEAL:
		up->steal = true;
		return wt_parse_share(value, &lab->bounds.steal, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "--steal: %s", err) : WT_EXIT_OK;
	}
	return WT_EXIT_OK;
}

struct line {
	struct wt_lab *lab;
	struct up *up;
};

static int up_option(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct wt_lab *lab = ((struct line *)arg)->lab;
	struct up *up = ((struct line *)arg)->up;
	uint64_t number;

	switch (option) {
	case WT_ARGS_WORD:
		if (lab->name[0])
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one lab at a time", value);
		if (!wt_lab_name_ok(value))
			return wt_fail(WT_EXIT_USAGE, "'%s' cannot name a lab: 1 to %d letters, digits, - and _", value, WT_LAB_NAME - 1);
		strcpy(lab->name, value);
		break;
	case UP_LINK:
	case UP_FWD:
	case UP_REV:
		return take_words(&up->path, option, value);
	case UP_SEED:
		if (wt_parse_count(value, &number, err, err_len) < 0 || number > INT64_MAX)
			return wt_fail(WT_EXIT_USAGE, "--seed: '%s' is not a whole number below 2^63", value);
		lab->seed = number;
		up->seed = true;
		break;
	case UP_BACKEND:
		if (strcmp(value, "auto") != 0 && strcmp(value, "tap") != 0 && strcmp(value, "packet") != 0)
			return wt_fail(WT_EXIT_USAGE, "--backend: '%s': expected auto, tap or packet", value);
		strcpy(lab->backend, value);
		break;
	case UP_FILE:
		return take_file(value, "file", lab->file);
	case UP_CAPTURE:
		return take_file(value, "capture", lab->capture);
	case UP_LOG:
		return take_file(value, "log", lab->log);
	case UP_OWNER:
		if (wt_parse_count(value, &number, err, err_len) < 0 || number > INT32_MAX ||
		    !(lab->owner.start = wt_process_start((pid_t)number)))
			return wt_fail(WT_EXIT_USAGE, "--owner: no process '%s' runs", value);
		lab->owner.pid = (pid_t)number;
		break;
	default:
		return run_option(lab, up, option, value);
	}
	return WT_EXIT_OK;
}

static int write_hosts(const struct wt_lab *lab)
{
	char path[WT_LAB_PATH];
	FILE *file;

	wt_lab_path(path, lab->name, NULL);
	if (mkdir(path, 0700) < 0)
		return -errno;
	wt_lab_path(path, lab->name, "hosts");
	file = fopen(path, "we");
	if (!file)
		return -errno;
	fprintf(file, "127.0.0.1 localhost\n");
	for (unsigned i = 0; i < lab->hosts; i++) {
		const struct wt_lab_place *host = &lab->host[i];
		struct wt_addr engine = wt_lab_engine_addr(&host->addr, 0);
		char text[WT_ADDR_TEXT];

		fprintf(file, "%s %s %s.kernel\n", wt_addr_format(&host->addr, text), host->name, host->name);
		fprintf(file, "%s %s.engine\n", wt_addr_format(&engine, text), host->name);
	}
	return fclose(file) ? -errno : 0;
}

/* Under the lock: starts the lab and makes it known. */
static int bring_up(struct wt_lab *lab)
{
	struct wt_lab other;
	char err[500];
	int commit, code, result;

	if (wt_lab_find(lab->name, &other))
		return wt_fail(WT_EXIT_USAGE, "lab '%s' is up already; wavetank lab down %s ends it", lab->name, lab->name);
	result = write_hosts(lab);
	if (result < 0) {
		wt_lab_remove(lab->name);
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot write the lab's folder: %s", strerror(-result));
	}
	code = wt_lab_start(lab, &commit, err, sizeof(err));
	if (code) {
		wt_lab_remove(lab->name);
		return wt_fail(code, "%s", err);
	}
	result = wt_lab_store(lab);
	if (result < 0 || write(commit, "", 1) != 1) {
		close(commit);
		wt_lab_remove(lab->name);
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot write the lab's state: %s", strerror(result < 0 ? -result : errno));
	}
	close(commit);
	return WT_EXIT_OK;
}

static void say_up(const struct wt_lab *lab)
{
	const struct wt_lab_place *a = &lab->host[0], *b = &lab->host[lab->hosts - 1];
	struct wt_addr engine[2] = {wt_lab_engine_addr(&a->addr, 0), wt_lab_engine_addr(&b->addr, 0)};
	char text[4][WT_ADDR_TEXT];

	if (wt_lab_is_pair(lab))
		wt_say("lab %s is up: hosts %s and %s, backend %s, seed %" PRIu64 "\n  %s to %s: %s\n  %s to %s: %s", lab->name, a->name, b->name,
		       lab->backend, lab->seed, a->name, b->name, *lab->fwd ? lab->fwd : "an ideal wire", b->name, a->name,
		       *lab->rev ? lab->rev : "an ideal wire");
	else
		wt_say("lab %s is up: %u hosts, %s to %s, backend %s, seed %" PRIu64, lab->name, lab->hosts, a->name, b->name, lab->backend, lab->seed);
	wt_say("  kernel addresses %s (%s) %s (%s); engine addresses %s (%s) %s (%s)\n"
	       "next:  wavetank lab exec %s:%s wavetank recv -1 &\n"
	       "       wavetank lab exec %s:%s wavetank send -c %s -n 5MiB\n"
	       "end:   wavetank lab down %s", wt_addr_format(&a->addr, text[0]), a->name, wt_addr_format(&b->addr, text[1]), b->name,
	       wt_addr_format(&engine[0], text[2]), a->name, wt_addr_format(&engine[1], text[3]), b->name, lab->name, b->name, lab->name,
	       a->name, b->name, lab->name);
}

static int up_run(int argc, char **argv)
{
	struct wt_lab lab = {.backend = "auto", .bounds = WT_VERDICT_BOUNDS, .cpu = -1};
	struct up up = {{{NULL, NULL}}, false, false, false};
	char err[200];
	int code = wt_lab_refuse_inside(), lock;
	uint32_t fresh;

	if (code)
		return code;
	lab.created = time(NULL);
	lab.seed = getrandom(&fresh, sizeof(fresh), 0) == sizeof(fresh) ? fresh : (uint64_t)lab.created;
	code = wt_args_each(argc, argv, up_option, &(struct line){&lab, &up});
	if (code)
		return code;
	if (!lab.name[0])
		return wt_fail(WT_EXIT_USAGE, "the name of the lab is missing: wavetank lab up NAME --link 'delay 15ms'");
	code = check_paths(&lab, &up);
	if (code)
		return code;
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_outside_recover();
	code = bring_up(&lab);
	close(lock);
	if (code)
		return code;
	say_up(&lab);
	wt_lab_finish(&lab);
	return WT_EXIT_OK;
}

const struct wt_command wt_command_lab_up = {
	.name = "lab up",
	.arguments = "NAME",
	.text = "start a lab: hosts and emulated paths in namespaces of their own",
	.options = up_options,
	.option_count = sizeof(up_options) / sizeof(up_options[0]),
	.run = up_run,
	.notes = "Works without root where user namespaces do. Host a has 10.77.0.1 (kernel) and 10.77.0.101 (engine),\n"
		 "host b 10.77.0.2 and 10.77.0.102. The lab lives until lab down, or until any of its processes is killed.\n\n"
		 "  wavetank lab up demo --link 'rate 10Mbit burst 20KB limit 64KB delay 15ms'\n"
		 "  wavetank lab up lossy --fwd 'delay 15ms loss gilbert on 1s 20% off 1s 0%' --rev 'delay 15ms'",
};
