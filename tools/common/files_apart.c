/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/files_apart.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file, or where one would come to be: its folder and its name there. */
struct place {
	dev_t device;
	ino_t number;
	char name[NAME_MAX + 1]; /* empty: it exists */
};

/* Where a link leads whose end does not exist yet; false: it is none. */
static bool follow(const char *path, char *target, size_t len)
{
	const char *slash = strrchr(path, '/');
	char text[PATH_MAX];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return snprintf(target, len, "%.*s%s", text[0] != '/' && slash ? (int)(slash - path) + 1 : 0, path, text) < (int)len;
}

static bool find_place(const char *path, struct place *place)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char folder[PATH_MAX];
	struct stat facts;

	memset(place, 0, sizeof(*place));
	if (stat(path, &facts)) {
		if (snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".") >= (int)sizeof(folder) ||
		    snprintf(place->name, sizeof(place->name), "%s", name) >= (int)sizeof(place->name) || stat(folder, &facts))
			return false; /* opening it will say what is wrong */
	} else if (!S_ISREG(facts.st_mode)) {
		return false;
	}
	place->device = facts.st_dev;
	place->number = facts.st_ino;
	return true;
}

static bool find(const char *path, struct place *place)
{
	char links[2][PATH_MAX];

	for (unsigned i = 0; i < MAXSYMLINKS && access(path, F_OK) && follow(path, links[i % 2], sizeof(links[0])); i++)
		path = links[i % 2];
	return find_place(path, place);
}

static bool same(const char *a, const char *b)
{
	struct place one, other;

	return find(a, &one) && find(b, &other) && one.device == other.device && one.number == other.number && !strcmp(one.name, other.name);
}

int wt_files_apart(const struct wt_named_file *file, unsigned count, char *err, size_t err_len)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i + 1; j < count; j++)
			if (file[i].path && file[j].path && same(file[i].path, file[j].path)) {
				snprintf(err, err_len, "%s and %s are one file, %s; expected two", file[i].what, file[j].what, file[i].path);
				return -EINVAL;
			}
	return 0;
}

int wt_files_apart_from_words(const struct wt_named_file *file, unsigned count, const struct wt_samples_cache *words, char *err,
			      size_t err_len)
{
	for (const struct wt_samples *samples = words->first; samples; samples = samples->next)
		for (unsigned i = 0; i < count; i++)
			if (file[i].path && same(file[i].path, samples->name)) {
				snprintf(err, err_len, "%s and a file that words name are one file, %s; expected two", file[i].what, file[i].path);
				return -EINVAL;
			}
	return wt_files_apart(file, count, err, err_len);
}
