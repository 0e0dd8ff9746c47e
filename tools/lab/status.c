/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stack/record/json.h"
#include "tools/common/cli.h"
#include "tools/lab/state.h"

enum { STATUS_JSON };

static const struct wt_option status_options[] = {
	[STATUS_JSON] = {'J', "json", NULL, "one JSON line per lab"},
};

struct status {
	const char *name;
	bool json;
	unsigned shown;
};

static void show_lab(void *arg, const struct wt_lab *lab)
{
	struct status *status = arg;
	struct wt_json json;

	if (status->name && strcmp(status->name, lab->name) != 0)
		return;
	status->shown++;
	if (!status->json) {
		printf("%s: backend %s, seed %" PRIu64 ", up %" PRId64 " s, keeper %d, emulator %d\n  a to b: %s\n  b to a: %s\n", lab->name,
		       lab->backend, lab->seed, (int64_t)time(NULL) - lab->created, (int)lab->keeper.pid, (int)lab->emulator.pid,
		       *lab->fwd ? lab->fwd : "an ideal wire", *lab->rev ? lab->rev : "an ideal wire");
		if (lab->owner.pid)
			printf("  belongs to process %d\n", (int)lab->owner.pid);
		if (lab->capture[0])
			printf("  capture: %s\n", lab->capture);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.lab.1");
	wt_json_string(&json, "name", lab->name);
	wt_json_string(&json, "backend", lab->backend);
	wt_json_string(&json, "fwd", lab->fwd);
	wt_json_string(&json, "rev", lab->rev);
	wt_json_string(&json, "capture", lab->capture[0] ? lab->capture : NULL);
	wt_json_u64(&json, "seed", lab->seed);
	wt_json_i64(&json, "created_s", lab->created);
	wt_json_i64(&json, "keeper_pid", lab->keeper.pid);
	wt_json_i64(&json, "emulator_pid", lab->emulator.pid);
	wt_json_i64(&json, "a_pid", lab->host[0].pid);
	wt_json_i64(&json, "b_pid", lab->host[1].pid);
	if (lab->owner.pid)
		wt_json_i64(&json, "owner_pid", lab->owner.pid);
	wt_json_end(&json);
}

static int status_run(int argc, char **argv)
{
	struct status status = {0};
	struct wt_args args;
	char err[200];
	int option, lock;

	wt_args_init(&args, wt_current_command, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == STATUS_JSON)
			status.json = true;
		else if (status.name)
			return wt_fail(WT_EXIT_USAGE, "one lab at a time; '%s' is too much", args.value);
		else
			status.name = args.value;
	}
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
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
	.text = "the labs that are up",
	.options = status_options,
	.option_count = sizeof(status_options) / sizeof(status_options[0]),
	.run = status_run,
};
