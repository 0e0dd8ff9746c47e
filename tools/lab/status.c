/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "emu/daemon/control.h"
#include "stack/record/json.h"
#include "tools/common/cli.h"
#include "tools/common/labs.h"
#include "tools/lab/outside.h"

enum { STATUS_JSON };

static const struct wt_option status_options[] = {
	[STATUS_JSON] = {'J', "json", NULL, "one JSON line per lab"},
};

struct status {
	const char *name;
	bool json;
	unsigned shown;
};

/* The emulator's record as it stands; NULL: it gives none. */
static json_t *ask_emulator(const struct wt_lab *lab)
{
	static const struct timeval patience = {.tv_sec = 1};
	char path[WT_LAB_PATH], err[600];
	json_t *record = NULL;
	FILE *in;
	int fd;

	wt_lab_path(path, lab->name, "emu.sock");
	fd = wt_control_connect(path, err, sizeof(err));
	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)); /* one that hangs must not hold up the others */
	in = send(fd, "show json\n", 10, MSG_NOSIGNAL) == 10 && !shutdown(fd, SHUT_WR) ? fdopen(fd, "r") : NULL;
	if (in) {
		record = json_loadf(in, 0, NULL);
		fclose(in);
	} else {
		close(fd);
	}
	return record;
}

/* The words in force, by its emulator; where that gives no answer, those it began with. False: the latter. */
static bool find_path(struct wt_lab *lab)
{
	json_t *record = ask_emulator(lab);
	const char *fwd = json_string_value(json_object_get(json_object_get(record, "fwd"), "path"));
	const char *rev = json_string_value(json_object_get(json_object_get(record, "rev"), "path"));

	if (fwd && rev) {
		snprintf(lab->fwd, sizeof(lab->fwd), "%s", fwd);
		snprintf(lab->rev, sizeof(lab->rev), "%s", rev);
	}
	fwd = fwd && rev ? fwd : json_object_get(record, "links") ? "" : NULL; /* of many links none is the lab's */
	json_decref(record);
	return fwd;
}

static void show_lab(void *arg, const struct wt_lab *known)
{
	struct status *status = arg;
	struct wt_lab now, *const lab = &now;
	struct wt_json json;
	bool asked;

	if (status->name && strcmp(status->name, known->name) != 0)
		return;
	status->shown++;
	now = *known;
	asked = find_path(&now);
	if (!status->json) {
		printf("%s: backend %s, seed %" PRIu64 ", up %" PRId64 " s, keeper %d, emulator %d\n", lab->name, lab->backend, lab->seed,
		       (int64_t)time(NULL) - lab->created, (int)lab->keeper.pid, (int)lab->emulator.pid);
		if (wt_lab_is_pair(lab))
			printf("  %s to %s: %s\n  %s to %s: %s\n", lab->host[0].name, lab->host[1].name, *lab->fwd ? lab->fwd : "an ideal wire",
			       lab->host[1].name, lab->host[0].name, *lab->rev ? lab->rev : "an ideal wire");
		else
			printf("  %u hosts, %s to %s\n", lab->hosts, lab->host[0].name, lab->host[lab->hosts - 1].name);
		if (lab->owner.pid)
			printf("  belongs to process %d\n", (int)lab->owner.pid);
		if (!asked)
			printf("  (the emulator gave no answer: this is the path it began with)\n");
		if (lab->file[0])
			printf("  file: %s\n", lab->file);
		if (lab->capture[0])
			printf("  capture: %s\n", lab->capture);
		if (lab->log[0])
			printf("  log: %s\n", lab->log);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.lab.1");
	wt_json_string(&json, "name", lab->name);
	wt_json_string(&json, "backend", lab->backend);
	wt_json_string(&json, "fwd", lab->fwd);
	wt_json_string(&json, "rev", lab->rev);
	wt_json_bool(&json, "path_now", asked);
	wt_json_string(&json, "file", lab->file[0] ? lab->file : NULL);
	wt_json_string(&json, "capture", lab->capture[0] ? lab->capture : NULL);
	wt_json_string(&json, "log", lab->log[0] ? lab->log : NULL);
	wt_json_u64(&json, "seed", lab->seed);
	wt_json_i64(&json, "created_s", lab->created);
	wt_json_i64(&json, "keeper_pid", lab->keeper.pid);
	wt_json_i64(&json, "emulator_pid", lab->emulator.pid);
	for (unsigned i = 0; i < lab->hosts; i++) {
		char key[40];

		snprintf(key, sizeof(key), "%s_pid", lab->host[i].name);
		wt_json_i64(&json, key, lab->host[i].process.pid);
	}
	if (lab->owner.pid)
		wt_json_i64(&json, "owner_pid", lab->owner.pid);
	wt_json_end(&json);
}

static int status_run(int argc, char **argv)
{
	struct status status = {0};
	const char *json = NULL;
	char err[200];
	int lock;

	if (wt_args_read(argc, argv, &json, &status.name, 1, "one lab at a time"))
		return WT_EXIT_USAGE;
	status.json = json;
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_outside_recover();
	wt_labs_scan(show_lab, &status);
	close(lock);
	if (status.name && !status.shown)
		return wt_fail(WT_EXIT_USAGE, "no lab '%s' is up", status.name);
	if (!status.shown)
		wt_say("no lab is up; wavetank lab up NAME --link 'delay 15ms' starts one");
	return WT_EXIT_OK;
}

const struct wt_command wt_command_lab_status = {
	.name = "lab status",
	.arguments = "[NAME]",
	.text = "list the labs that are up",
	.options = status_options,
	.option_count = sizeof(status_options) / sizeof(status_options[0]),
	.run = status_run,
};
