/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank wireshark install, uninstall: a dissector, a profile, and the program by which Wireshark finds the points of labs. Each file has a
 * line that names the command which made it; a file without that line is another's, or was changed, and is left alone.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "tools/common/cli.h"
#include "tools/common/embedded.h"

#define CONFIG ".config/" /* XDG_CONFIG_HOME, where it is set */
#define MARK "wavetank wireshark install"

extern const struct wt_embedded wt_wireshark_files[]; /* tools/data/wireshark */
extern const struct wt_command wt_command_wireshark_install, wt_command_wireshark_uninstall;

enum { OPT_DIR, OPT_FORCE };

static const struct wt_option options[] = {
	[OPT_DIR] = {0, "dir", "DIR", "everything below DIR (default: where Wireshark looks for a user's own files)"},
	[OPT_FORCE] = {0, "force", NULL, "replace files that are there and are not as this command makes them"},
};

enum { DISSECTOR, PREFERENCES, COLOURS, EXTCAP, FILES };

/* Below --dir; in a home; and of which text. The extcap program is written for this very wavetank. */
static const struct {
	const char *apart, *home, *text;
} files[FILES] = {
	[DISSECTOR] = {"plugins/wavetank.lua", ".local/lib/wireshark/plugins/wavetank.lua", "wavetank"},
	[PREFERENCES] = {"profiles/Wavetank/preferences", CONFIG "wireshark/profiles/Wavetank/preferences", "profile/preferences"},
	[COLOURS] = {"profiles/Wavetank/colorfilters", CONFIG "wireshark/profiles/Wavetank/colorfilters", "profile/colorfilters"},
	[EXTCAP] = {"extcap/wavetank", ".local/lib/wireshark/extcap/wavetank", NULL},
};

struct kit {
	bool force;
	const char *dir;
	char path[FILES][PATH_MAX];
	size_t base[FILES]; /* so much of the path is not ours to make or remove */
};

static int name_file(struct kit *kit, unsigned i, const char *base, const char *name)
{
	kit->base[i] = strlen(base);
	if (snprintf(kit->path[i], PATH_MAX, "%s/%s", base, name) < PATH_MAX)
		return WT_EXIT_OK;
	return wt_fail(WT_EXIT_USAGE, "%.60s...: the path is too long", base);
}

static int name_files(struct kit *kit)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	int code = WT_EXIT_OK;

	if (!kit->dir && (!home || home[0] != '/'))
		return wt_fail(WT_EXIT_ENVIRONMENT, "HOME is not set: name the folder with --dir DIR");
	for (unsigned i = 0; i < FILES && !code; i++) {
		bool configured = config && config[0] == '/' && !strncmp(files[i].home, CONFIG, strlen(CONFIG));

		code = kit->dir ? name_file(kit, i, kit->dir, files[i].apart) :
		       configured ? name_file(kit, i, config, files[i].home + strlen(CONFIG)) : name_file(kit, i, home, files[i].home);
	}
	return code;
}

/* 1: made by us; 0: not there; -1: another's, or changed; -2: nobody lets us see, by errno. */
static int whose(const char *path)
{
	char head[1000];
	FILE *in = fopen(path, "re");
	size_t n;

	if (!in)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -2;
	n = fread(head, 1, sizeof(head) - 1, in);
	head[n] = 0;
	fclose(in);
	return strstr(head, MARK) ? 1 : -1;
}

static int make_folders(const struct kit *kit, unsigned i)
{
	char path[PATH_MAX];

	strcpy(path, kit->path[i]);
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
		*at = '/';
	}
	return WT_EXIT_OK;
}

/* In single quotes, in which a shell reads everything as it stands but a single quote. */
static void write_extcap(FILE *out)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = 0;
	fputs("#!/bin/sh\n# Points of Wavetank's labs as interfaces; made by `" MARK "`\nexec '", out);
	for (const char *at = self; *at; at++)
		fputs(*at == '\'' ? "'\\''" : (char[]){*at, 0}, out);
	fputs("' wireshark extcap \"$@\"\n", out);
}

static const char *text_of(const char *id)
{
	for (const struct wt_embedded *file = wt_wireshark_files; file->id; file++)
		if (!strcmp(file->id, id))
			return file->text;
	abort();
}

static int write_one(const struct kit *kit, unsigned i)
{
	int code = make_folders(kit, i);
	char why[WT_CREATE_WHY];
	FILE *out = code ? NULL : wt_create_stream(kit->path[i]);

	if (code)
		return code;
	if (!out)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", kit->path[i], wt_create_why(kit->path[i], errno, why));
	if (files[i].text)
		fputs(text_of(files[i].text), out);
	else
		write_extcap(out);
	if (!files[i].text && fchmod(fileno(out), 0755))
		code = errno;
	if (ferror(out) | fclose(out) || code)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", kit->path[i], strerror(errno));
	wt_say("%s", kit->path[i]);
	return WT_EXIT_OK;
}

static void say_how(const struct kit *kit)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(kit->path[EXTCAP], '/') - kit->path[EXTCAP]), kit->path[EXTCAP]);
	if (kit->dir)
		wt_say("start: WIRESHARK_CONFIG_DIR=%s WIRESHARK_PLUGIN_DIR=%s/plugins WIRESHARK_EXTCAP_DIR=%s wireshark -C Wavetank", kit->dir,
		       kit->dir, folder);
	else
		wt_say("start: wireshark -C Wavetank\nWireshark before 4.2 lists the points of labs only with WIRESHARK_EXTCAP_DIR=%s", folder);
}

static int install(struct kit *kit)
{
	int code = WT_EXIT_OK;

	for (unsigned i = 0; i < FILES; i++) {
		int found = whose(kit->path[i]);

		if (found == -2)
			return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", kit->path[i], strerror(errno));
		if (found < 0 && !kit->force)
			return wt_fail(WT_EXIT_USAGE, "%s exists and was not made by this command, or was changed; --force replaces it", kit->path[i]);
	}
	for (unsigned i = 0; i < FILES && !code; i++)
		code = write_one(kit, i);
	if (!code)
		say_how(kit);
	return code;
}

/* Folders of ours that are empty now, from the innermost on. */
static void remove_folders(const struct kit *kit, unsigned i)
{
	char path[PATH_MAX], *slash;

	strcpy(path, kit->path[i]);
	while ((slash = strrchr(path, '/')) && slash > path + kit->base[i]) {
		*slash = 0;
		if (rmdir(path))
			return;
	}
}

static int remove_one(const struct kit *kit, unsigned i, unsigned *removed)
{
	int found = whose(kit->path[i]);

	if (!found)
		return WT_EXIT_OK;
	if (found == -2)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", kit->path[i], strerror(errno));
	if (found < 0 && !kit->force) {
		wt_say("%s stays: it is not as wavetank wireshark install made it", kit->path[i]);
		return WT_EXIT_OK;
	}
	if (unlink(kit->path[i]))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", kit->path[i], strerror(errno));
	++*removed;
	return WT_EXIT_OK;
}

/* What Wireshark notes of the profile's windows; it stays with preferences that stay. */
static void remove_recent(const struct kit *kit)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%.*srecent", (int)(strrchr(kit->path[COLOURS], '/') + 1 - kit->path[COLOURS]), kit->path[COLOURS]);
	if (!whose(kit->path[PREFERENCES]) && unlink(path))
		errno = 0; /* it was not there */
}

static int uninstall(struct kit *kit)
{
	unsigned removed = 0;
	int code = WT_EXIT_OK;

	for (unsigned i = 0; i < FILES && !code; i++)
		code = remove_one(kit, i, &removed);
	remove_recent(kit);
	for (unsigned i = 0; i < FILES; i++)
		remove_folders(kit, i);
	if (kit->dir && rmdir(kit->dir))
		errno = 0; /* it has other files, or was never made */
	if (!code)
		wt_say("%u of %u files removed", removed, FILES);
	return code;
}

static int run(int argc, char **argv)
{
	const char *said[sizeof(options) / sizeof(options[0])] = {NULL};
	struct kit kit = {0};
	int code;

	if (wt_args_read(argc, argv, said, NULL, 0, NULL))
		return WT_EXIT_USAGE;
	kit.force = said[OPT_FORCE];
	kit.dir = said[OPT_DIR];
	code = name_files(&kit);
	if (code)
		return code;
	return wt_current_command == &wt_command_wireshark_install ? install(&kit) : uninstall(&kit);
}

const struct wt_command wt_command_wireshark_install = {
	.name = "wireshark install",
	.arguments = "",
	.text = "add to Wireshark a dissector of TCP-Real, a profile, and lab points as interfaces",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "Nothing is installed for other users, and nothing of Wireshark's own is changed.\n\n"
		 "  wavetank wireshark install\n"
		 "  wireshark -C Wavetank real.pcapng\n"
		 "  tshark -r real.pcapng -Y 'tcpreal.change < 0'",
};

const struct wt_command wt_command_wireshark_uninstall = {
	.name = "wireshark uninstall",
	.arguments = "",
	.text = "remove the files of wireshark install, except those changed since",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
};
