/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/labs.h"
#include "tools/lab/outside.h"

enum { DOWN_ALL, DOWN_JSON };

static const struct wt_option down_options[] = {
	[DOWN_ALL] = {0, "all", NULL, "every lab of this user, but those of a sweep or table that runs"},
	[DOWN_JSON] = {'J', "json", NULL, "the emulator's last record: what was offered, delivered, dropped and why"},
};

/* What the emulator wrote last, without its newline; empty if it had no time to, or was killed while it wrote. */
static void last_record(const struct wt_lab *lab, char *line, size_t len)
{
	char path[WT_LAB_PATH];
	bool whole = false;
	FILE *file;

	wt_lab_path(path, lab->name, "emu.jsonl");
	file = fopen(path, "re");
	line[0] = 0;
	while (file && fgets(line, (int)len, file)) {
		whole = strchr(line, '\n');
		line[strcspn(line, "\n")] = 0;
	}
	if (file)
		fclose(file);
	if (!whole || !strstr(line, "\"record\":\"end\""))
		line[0] = 0;
}

static json_int_t count_of(const json_t *books, const char *name)
{
	return json_integer_value(json_object_get(books, name));
}

/* "  a to b: 3600 frames offered = 3558 delivered + 37 dropped (37 by loss) + 5 left on the way" */
static void print_direction(const json_t *record, const char *direction, const char *from_to)
{
	const json_t *books = json_object_get(record, direction), *stage, *count;
	const char *cause, *between = " (";
	json_int_t marked = 0;
	size_t i;

	printf("  %s: %" JSON_INTEGER_FORMAT " frames offered", from_to, count_of(books, "offered"));
	if (count_of(books, "made"))
		printf(" + %" JSON_INTEGER_FORMAT " made by the path", count_of(books, "made"));
	printf(" = %" JSON_INTEGER_FORMAT " delivered + %" JSON_INTEGER_FORMAT " dropped", count_of(books, "delivered"), count_of(books, "dropped"));
	json_array_foreach(json_object_get(books, "stages"), i, stage) {
		marked += json_integer_value(json_object_get(stage, "marked"));
		json_object_foreach((json_t *)json_object_get(stage, "dropped"), cause, count) {
			printf("%s%" JSON_INTEGER_FORMAT " by %s", between, json_integer_value(count), cause);
			between = ", ";
		}
	}
	if (count_of(books, "taken"))
		printf("%s + %" JSON_INTEGER_FORMAT " taken by routers", *between == ',' ? ")" : "", count_of(books, "taken")), between = "";
	printf("%s + %" JSON_INTEGER_FORMAT " left on the way", *between == ',' ? ")" : "", count_of(books, "queued"));
	if (marked)
		printf("; %" JSON_INTEGER_FORMAT " marked", marked);
	putchar('\n');
}

/* "late (a, from 0.300 s), busy (hypervisor, from 1.000 s)": the faults of a verdict; empty: the run is valid. */
static void list_faults(const json_t *record, char *text, size_t len)
{
	const json_t *fault;
	size_t i, at = 0;

	*text = 0;
	json_array_foreach(json_object_get(json_object_get(record, "verdict"), "faults"), i, fault) {
		at += (size_t)snprintf(text + at, len - at, "%s%s (%s, from %.3f s)", i ? ", " : "",
				       json_string_value(json_object_get(fault, "fault")), json_string_value(json_object_get(fault, "where")),
				       (double)json_integer_value(json_object_get(fault, "first_ns")) / 1e9);
		if (at >= len)
			break;
	}
}

static void print_record(const json_t *record, const char *line, bool as_json)
{
	char faults[600];

	if (as_json) {
		puts(line);
	} else if (record && !wt_quiet) {
		if (json_object_get(record, "links"))
			print_direction(record, "total", "all links");
		else
			for (unsigned i = 0; i < 2; i++)
				print_direction(record, i ? "rev" : "fwd", i ? "b to a" : "a to b");
		list_faults(record, faults, sizeof(faults));
		printf("  verdict: %s%s\n", *faults ? "NOT VALID: " : "valid", faults);
	}
}

struct down {
	bool json;
	int code; /* of the first lab that did not end well */
};

/* The run as its emulator judges it, and its files, of which only its last record tells. */
static int judge(const struct wt_lab *lab, const json_t *record)
{
	const char *by = json_string_value(json_object_get(record, "ended_by")), *file = lab->capture[0] ? lab->capture : lab->log;
	const char *unwritten = json_string_value(json_object_get(record, "unwritten"));
	int detail = (int)json_integer_value(json_object_get(record, "ended_detail"));
	char faults[600];

	list_faults(record, faults, sizeof(faults));
	if (!by)
		return wt_fail(WT_EXIT_ENVIRONMENT, "lab %s is down, but its emulator left no record: whether its run was valid is unknown%s%s%s",
			       lab->name, *file ? ", and " : "", file, *file ? " may lack its end" : "");
	if (!strcmp(by, "write-error"))
		return wt_fail(WT_EXIT_ENVIRONMENT, "lab %s is down, but the last part of %s could not be written: %s; its earlier part is usable", lab->name,
			       unwritten ? unwritten : file, strerror(-detail));
	if (*faults)
		return wt_fail(WT_EXIT_FAILED, "lab %s is down; its run is NOT VALID: %s; see THE VERDICT in wavetank-emu(1)", lab->name, faults);
	return WT_EXIT_OK;
}

/* Is it a command or a daemon in the lab, and neither its keeper nor its emulator nor the process that holds a host? */
static bool is_guest(const struct wt_lab *lab, const struct stat *space, pid_t pid)
{
	struct stat its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	if (pid <= 0 || pid == lab->keeper.pid || pid == lab->emulator.pid || stat(path, &its) || its.st_ino != space->st_ino || its.st_dev != space->st_dev)
		return false;
	for (unsigned i = 0; i < lab->hosts; i++)
		if (lab->host[i].process.pid == pid)
			return false;
	return true;
}

/* How many guests there are; each gets the signal, unless it is 0. */
static unsigned signal_guests(const struct wt_lab *lab, int number)
{
	struct stat space;
	struct dirent *entry;
	unsigned guests = 0;
	char path[64];
	DIR *proc;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)lab->keeper.pid);
	if (stat(path, &space) || !(proc = opendir("/proc")))
		return 0;
	while ((entry = readdir(proc)))
		if (is_guest(lab, &space, atoi(entry->d_name)) && !kill(atoi(entry->d_name), number))
			guests++;
	closedir(proc);
	return guests;
}

/* What runs in the lab may write what it has measured: SIGTERM, and a second of time. */
static void end_guests(const struct wt_lab *lab)
{
	unsigned left = signal_guests(lab, SIGTERM);

	for (unsigned i = 0; left && i < 50; i++) {
		poll(NULL, 0, 20);
		left = signal_guests(lab, 0);
	}
}

/* Waits until the keeper is gone, and with it, by the kernel's hand, everything in the lab. */
static void bring_down(void *arg, const struct wt_lab *lab)
{
	static char line[65536];
	struct down *down = arg;
	struct pollfd gone = {.events = POLLIN};
	json_t *record;
	int code;

	gone.fd = pidfd_open(lab->keeper.pid, 0);
	if (gone.fd >= 0) {
		end_guests(lab);
		kill(lab->keeper.pid, SIGTERM);
		if (poll(&gone, 1, 5000) == 0) {
			kill(lab->keeper.pid, SIGKILL);
			poll(&gone, 1, 5000);
		}
		close(gone.fd);
	}
	last_record(lab, line, sizeof(line));
	wt_lab_remove(lab->name);
	record = json_loads(line, 0, NULL);
	code = judge(lab, record);
	if (!code)
		wt_say("lab %s is down%s%s%s%s", lab->name, lab->capture[0] ? "; capture: " : "", lab->capture, lab->log[0] ? "; log: " : "",
		       lab->log);
	down->code = down->code ? down->code : code;
	if (line[0])
		print_record(record, line, down->json);
	json_decref(record);
}

/* Of --all: labs of a sweep or table that runs are its own. */
static void bring_down_unowned(void *arg, const struct wt_lab *lab)
{
	if (wt_process_alive(&lab->owner))
		wt_say("lab %s belongs to process %d, which is still running: left alone (lab down %s ends it)", lab->name, (int)lab->owner.pid, lab->name);
	else
		bring_down(arg, lab);
}

static int down_run(int argc, char **argv)
{
	const char *said[sizeof(down_options) / sizeof(down_options[0])] = {NULL}, *name = NULL;
	struct wt_lab lab = {0};
	char err[200], sentence[700];
	struct down down = {0};
	int lock, code = wt_lab_refuse_inside();
	bool all;

	if (code)
		return code;
	if (wt_args_read(argc, argv, said, &name, 1, "one lab at a time (--all ends every lab)"))
		return WT_EXIT_USAGE;
	all = said[DOWN_ALL];
	down.json = said[DOWN_JSON];
	if (name && all)
		return wt_fail(WT_EXIT_USAGE, "--all ends every lab: it cannot be combined with the name of one, '%s'", name);
	if (!name && !all)
		return wt_fail(WT_EXIT_USAGE, "the name of a lab is missing: wavetank lab down NAME, or --all");
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_outside_recover();
	if (all)
		wt_labs_scan(bring_down_unowned, &down);
	else if (wt_lab_ended(name, sentence, sizeof(sentence)))
		down.code = wt_fail(WT_EXIT_ENVIRONMENT, "%s", sentence);
	else if (wt_lab_find(name, &lab))
		bring_down(&down, &lab);
	else
		down.code = wt_fail(WT_EXIT_USAGE, "no lab '%s' is up", name);
	wt_lab_finish(&lab);
	close(lock);
	return down.code;
}

const struct wt_command wt_command_lab_down = {
	.name = "lab down",
	.arguments = "NAME",
	.text = "end a lab and everything that runs in it",
	.options = down_options,
	.option_count = sizeof(down_options) / sizeof(down_options[0]),
	.run = down_run,
	.notes = "Exit code 1: the run was not valid (its frames left late, for instance); the message says why. 3: the capture or log lacks its\n"
		 "end, there is no record, or the lab had ended by itself.",
};
