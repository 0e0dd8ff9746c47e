/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc new: a module to begin with, which builds against the installed headers and keeps the contract. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/embedded.h"

extern const struct wt_command wt_command_cc_new;
extern const struct wt_embedded wt_module_templates[]; /* tools/data/modules */

enum { OPT_SIDE };
enum { FILES = 3 };

static const struct wt_option options[] = {
	[OPT_SIDE] = {0, "side", "SIDE", "sender (how much), recovery (what is lost) or receiver (every ACK)"},
};

static const struct {
	const char *name, *option;
} sides[] = {{"sender", "-C"}, {"recovery", "--recovery"}, {"receiver", "--rcc"}};

struct new {
	const char *name, *side, *option;
};

static const char *template(const char *id)
{
	for (const struct wt_embedded *file = wt_module_templates; file->id; file++)
		if (!strcmp(file->id, id))
			return file->text;
	abort();
}

static void fill(FILE *out, const char *text, const struct new *new)
{
	const struct {
		const char *word, *value;
	} words[] = {{"@NAME@", new->name}, {"@SIDE@", new->side}, {"@OPTION@", new->option}};

	while (*text) {
		size_t len = 1;

		for (unsigned i = 0; i < 3 && *text == '@'; i++)
			if (!strncmp(text, words[i].word, strlen(words[i].word))) {
				fputs(words[i].value, out);
				len = strlen(words[i].word);
				break;
			}
		if (len == 1)
			putc(*text, out);
		text += len;
	}
}

static int write_file(const char *file, const char *id, const struct new *new)
{
	char path[128];
	FILE *out;
	int error;

	snprintf(path, sizeof(path), "%s/%s", new->name, file);
	out = fopen(path, "wxe");
	if (!out)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
	fill(out, template(id), new);
	error = fflush(out) ? errno : 0;
	error = fclose(out) && !error ? errno : error;
	return error ? wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", path, strerror(error)) : WT_EXIT_OK;
}

/* Half a module is worse than none. The folder is one that we have made. */
static void remove_all(const struct new *new, const char *const file[FILES])
{
	char path[128];

	for (unsigned i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", new->name, file[i]);
		unlink(path);
	}
	rmdir(new->name);
}

static int write_all(const struct new *new)
{
	char source[64];
	const char *const file[FILES] = {source, "meson.build", "README.md"}, *const id[FILES] = {new->side, "meson", "readme"};
	int code = WT_EXIT_OK;

	if (mkdir(new->name, 0777))
		return wt_fail(errno == EEXIST ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s: %s", new->name, strerror(errno));
	snprintf(source, sizeof(source), "%s.c", new->name);
	for (unsigned i = 0; i < FILES && !code; i++)
		code = write_file(file[i], id[i], new);
	if (code)
		remove_all(new, file);
	else
		wt_say("%s/: %s, meson.build, README.md; next: cd %s && meson setup build && ninja -C build && meson test -C build", new->name,
		       source, new->name);
	return code;
}

static int run(int argc, char **argv)
{
	struct new new = {0};
	struct wt_args args;
	int option;

	wt_args_init(&args, &wt_command_cc_new, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD && new.name)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one module at a time", args.value);
		if (option == WT_ARGS_WORD) {
			new.name = args.value;
			continue;
		}
		for (unsigned i = 0; i < 3; i++)
			if (!strcmp(args.value, sides[i].name)) {
				new.side = sides[i].name;
				new.option = sides[i].option;
			}
		if (!new.side)
			return wt_fail(WT_EXIT_USAGE, "--side: '%s': expected sender, recovery or receiver", args.value);
	}
	if (!new.name || !new.side)
		return wt_fail(WT_EXIT_USAGE, "the %s is missing: wavetank cc new NAME --side sender, recovery or receiver", new.name ? "side" : "name");
	if (strlen(new.name) > 31 || !strchr("abcdefghijklmnopqrstuvwxyz", new.name[0]) ||
	    new.name[strspn(new.name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return wt_fail(WT_EXIT_USAGE, "'%s' cannot name a module: expected at most 31 characters of a-z, 0-9 and _, the first a letter", new.name);
	return write_all(&new);
}

const struct wt_command wt_command_cc_new = {
	.name = "cc new",
	.arguments = "NAME",
	.text = "write the skeleton of a congestion module: source, meson.build, README",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "Makes the folder NAME; nothing that is there is overwritten. It builds against the installed headers (pkg-config wavetank-module).\n"
		 "  wavetank cc new mine --side sender",
};
