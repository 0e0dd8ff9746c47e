/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps by name: files, and the published tables that came with the program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/sweep/file.h"
#include "tools/words/ini_text.h"

char *wt_sweep_text(const char *word, char name[512], int *error, char *err, size_t err_len)
{
	const char *data = getenv("WAVETANK_DATA");
	size_t len = strlen(word);
	char *text;

	snprintf(name, 512, "%s", word);
	if ((len > 4 && !strcmp(word + len - 4, ".ini")) || len > 400)
		return wt_ini_file(word, error, err, err_len);
	if (data && *data && !strstr(word, "..")) {
		snprintf(name, 512, "%s/papers/%s.ini", data, word);
		if (!access(name, F_OK))
			return wt_ini_file(name, error, err, err_len);
		snprintf(name, 512, "%s", word);
	}
	for (unsigned i = 0; wt_paper_files[i].id; i++)
		if (!strcmp(wt_paper_files[i].id, word)) {
			text = strdup(wt_paper_files[i].text);
			*error = text ? 0 : -ENOMEM;
			return text;
		}
	*error = -ENOENT;
	snprintf(err, err_len, "'%s' is neither a file, whose name must end with .ini, nor a published table, as 'wavetank paper list' names them", word);
	return NULL;
}

char *wt_sweep_world_text(const struct wt_sweep *sweep, const char *word, char name[512], int *error, char *err, size_t err_len)
{
	const char *slash = strrchr(sweep->file, '/');
	char *text;

	snprintf(name, 512, "%.*s%s", slash ? (int)(slash - sweep->file) + 1 : 0, sweep->file, word);
	for (unsigned i = 0; wt_paper_worlds[i].id && access(name, F_OK); i++)
		if (!strncmp(wt_paper_worlds[i].id, name, strlen(wt_paper_worlds[i].id)) && !strcmp(name + strlen(wt_paper_worlds[i].id), ".conf")) {
			text = strdup(wt_paper_worlds[i].text);
			*error = text ? 0 : -ENOMEM;
			return text;
		}
	return wt_ini_file(name, error, err, err_len);
}

static int load(struct wt_sweep *sweep, const char *word, char *err, size_t err_len)
{
	int error = 0;
	char name[512], *text = wt_sweep_text(word, name, &error, err, err_len);

	if (text)
		error = wt_sweep_parse(sweep, text, name, err, err_len);
	free(text);
	return error;
}

/* A figure that plots the numbers of a table is that table. */
static int load_plotted(struct wt_sweep *sweep, const char *id)
{
	char ignored[600];

	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		if (!strstr(wt_paper_files[i].text, id))
			continue;
		if (!load(sweep, wt_paper_files[i].id, ignored, sizeof(ignored)) && sweep->figure && !strcmp(sweep->figure, id))
			return 0;
		wt_sweep_finish(sweep);
	}
	return -ENOENT;
}

int wt_sweep_load(struct wt_sweep *sweep, const char *word, char *err, size_t err_len)
{
	int error;

	memset(sweep, 0, sizeof(*sweep));
	error = load(sweep, word, err, err_len);
	if (error == -ENOENT && *word && !load_plotted(sweep, word))
		return 0;
	return error;
}
