/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/create.h"
#include "tools/results/metric.h"
#include "tools/sweep/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "{\"record\":\"done\",\"id\":\""
#define RESULT ",\"result\":{"

/* ---- index ------------------------------------------------------------------------------------------------ */

/* Ids are evenly spread already. */
static size_t slot_of(const struct wt_sweep_store *store, const char *id)
{
	size_t mask = store->room * 2 - 1, at;
	uint64_t hash = 0;

	for (unsigned i = 0; i < 16; i++)
		hash = hash * 31 + (uint8_t)id[i];
	hash *= 0x9e3779b97f4a7c15u;
	for (at = (hash >> 20) & mask; store->slot[at]; at = (at + 1) & mask)
		if (!memcmp(store->done[store->slot[at] - 1].id, id, WT_SWEEP_ID - 1))
			break;
	return at;
}

const struct wt_sweep_done *wt_sweep_store_find(const struct wt_sweep_store *store, const char *id)
{
	size_t at = store->room ? slot_of(store, id) : 0;

	return store->room && store->slot[at] ? &store->done[store->slot[at] - 1] : NULL;
}

static int grow(struct wt_sweep_store *store)
{
	size_t room = store->room ? store->room * 2 : 1024;
	struct wt_sweep_done *done = realloc(store->done, room * sizeof(*done));
	uint32_t *slot;

	if (!done)
		return -ENOMEM;
	store->done = done;
	slot = calloc(room * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(store->slot);
	store->slot = slot;
	store->room = room;
	for (size_t i = 0; i < store->count; i++)
		store->slot[slot_of(store, store->done[i].id)] = (uint32_t)i + 1;
	return 0;
}

static int put(struct wt_sweep_store *store, const struct wt_sweep_done *done)
{
	size_t at;
	int error = store->count == store->room ? grow(store) : 0;

	if (error)
		return error;
	at = slot_of(store, done->id);
	if (!store->slot[at])
		store->slot[at] = (uint32_t)++store->count;
	store->done[store->slot[at] - 1] = *done;
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* False: no line of ours. */
static bool read_line(const struct wt_sweep_store *store, const char *line, struct wt_sweep_done *done)
{
	const char *result = strstr(line, RESULT), *outcome = NULL;
	json_t *root;
	double wall = 0;
	int again = 0;

	if (strncmp(line, HEAD, sizeof(HEAD) - 1) != 0 || !result)
		return false;
	root = json_loads(line, 0, NULL);
	if (json_unpack(root, "{s:F,s:b,s:{s:s}}", "wall_s", &wall, "again", &again, "result", "outcome", &outcome)) {
		json_decref(root);
		return false;
	}
	snprintf(done->id, sizeof(done->id), "%.32s", line + sizeof(HEAD) - 1);
	done->outcome = !strcmp(outcome, "ok") ? WT_SWEEP_OK : !strcmp(outcome, "invalid") ? WT_SWEEP_INVALID : WT_SWEEP_FAILED;
	done->again = again;
	done->wall = wall;
	done->result_at = (uint32_t)(result - line) + sizeof(RESULT) - 2;
	done->len = (uint32_t)strlen(line);
	done->metric = done->outcome == WT_SWEEP_OK ? wt_metric_of(json_object_get(root, "result"), store->metric) : NAN;
	json_decref(root);
	return true;
}

/* Takes the whole lines of a file in; *end: where the last of them ends. */
static int read_file(struct wt_sweep_store *store, uint32_t index, uint64_t *end)
{
	int copy = dup(store->fd[index]), error = 0;
	FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
	struct wt_sweep_done done;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	*end = 0;
	if (!file || fseek(file, 0, SEEK_SET)) {
		error = -errno;
		if (copy >= 0 && !file)
			close(copy);
		if (file)
			fclose(file);
		return error;
	}
	while (!error && (len = getline(&line, &room, file)) > 0 && line[len - 1] == '\n') {
		line[len - 1] = '\0';
		if (read_line(store, line, &done)) {
			done.file = index;
			done.offset = *end;
			error = put(store, &done);
		}
		*end += (uint64_t)len;
	}
	free(line);
	fclose(file);
	return error;
}

static int add_file(struct wt_sweep_store *store, int fd)
{
	int *more = realloc(store->fd, (store->files + 1) * sizeof(*more));

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	store->fd = more;
	store->fd[store->files++] = fd;
	return 0;
}

static int is_done_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return !strncmp(entry->d_name, "done", 4) && len > 6 && !strcmp(entry->d_name + len - 6, ".jsonl");
}

int wt_sweep_store_open(struct wt_sweep_store *store, const char *dir, const char *metric, char *err, size_t err_len)
{
	struct dirent **entry = NULL;
	int count, error = 0;
	uint64_t end;

	memset(store, 0, sizeof(*store));
	store->out.fd = -1;
	store->metric = metric;
	if (snprintf(store->dir, sizeof(store->dir), "%s", dir) >= (int)sizeof(store->dir) - 300) {
		snprintf(err, err_len, "the name of the results folder is too long");
		return -ENAMETOOLONG;
	}
	count = scandir(dir, &entry, is_done_file, alphasort); /* in a fixed order */
	if (count < 0)
		return errno == ENOENT ? 0 : (snprintf(err, err_len, "%s: %s", dir, strerror(errno)), -errno);
	for (int i = 0; i < count; i++) {
		char path[900];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
		fd = error ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		if (!error && fd < 0)
			error = -errno;
		if (!error)
			error = add_file(store, fd);
		if (!error)
			error = read_file(store, store->files - 1, &end);
		if (error)
			snprintf(err, err_len, "%s: %s", path, strerror(-error));
		free(entry[i]);
	}
	free(entry);
	return error;
}

static int make_folders(const char *dir)
{
	char path[600];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *c = path + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			if (mkdir(path, 0777) && errno != EEXIST)
				return -errno;
			*c = '/';
		}
	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--) /* a link with a slash behind it is what it points to */
		path[len - 1] = '\0';
	if (wt_planted_link(path))
		return -EACCES;
	return mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
}

static void forget_again(struct wt_sweep_store *store)
{
	size_t kept = 0;

	for (size_t i = 0; i < store->count; i++)
		if (!store->done[i].again)
			store->done[kept++] = store->done[i];
	store->count = kept;
	if (store->room)
		memset(store->slot, 0, store->room * 2 * sizeof(*store->slot));
	for (size_t i = 0; i < store->count; i++)
		store->slot[slot_of(store, store->done[i].id)] = (uint32_t)i + 1;
}

int wt_sweep_store_write(struct wt_sweep_store *store, const char *name, char *err, size_t err_len)
{
	char path[900];
	int error = make_folders(store->dir);

	if (error) {
		snprintf(err, err_len, "cannot make the folder %s: %s", store->dir, strerror(-error));
		return error;
	}
	snprintf(path, sizeof(path), "%s/%s", store->dir, name);
	store->out.fd = wt_create_again(path, O_RDWR | O_APPEND);
	error = store->out.fd < 0 ? store->out.fd : 0;
	if (!error)
		error = wt_line_file_lock(store->out.fd);
	if (!error) { /* what another process may have added meanwhile, and where to go on */
		error = add_file(store, dup(store->out.fd));
		store->out_file = store->files - 1;
		if (!error)
			error = read_file(store, store->out_file, &store->out.size);
		if (!error)
			error = wt_line_file_cut(&store->out);
	}
	if (error)
		snprintf(err, err_len, "%s: %s", path, error == -EBUSY ? "another sweep is writing it" : strerror(-error));
	else
		forget_again(store);
	return error;
}

int wt_sweep_store_line(struct wt_sweep_store *store, const char *text)
{
	char *line;
	int len = asprintf(&line, "%s\n", text), error;

	if (len < 0)
		return -ENOMEM;
	error = wt_line_file_add(&store->out, line, (size_t)len);
	free(line);
	return error;
}

int wt_sweep_store_add(struct wt_sweep_store *store, const char *id, const struct wt_sweep_result *result, bool again, unsigned attempts)
{
	char *line, when[32];
	time_t now = time(NULL);
	struct wt_sweep_done done;
	struct tm utc;
	int len, error;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	len = asprintf(&line, HEAD "%s\",\"wall_s\":%.6f,\"ended\":\"%s\",\"attempts\":%u,\"again\":%s,\"result\":%s}\n", id, result->wall, when,
		       attempts, again ? "true" : "false", result->text);
	if (len < 0)
		return -ENOMEM;
	memset(&done, 0, sizeof(done));
	line[len - 1] = '\0';
	error = read_line(store, line, &done) ? 0 : -EILSEQ;
	line[len - 1] = '\n';
	done.file = store->out_file;
	done.offset = store->out.size;
	if (!error)
		error = wt_line_file_add(&store->out, line, (size_t)len);
	free(line);
	return error ? error : put(store, &done);
}

char *wt_sweep_store_text(const struct wt_sweep_store *store, const struct wt_sweep_done *done)
{
	char *text = malloc(done->len + 1);
	size_t at = 0;

	while (text && at < done->len) {
		ssize_t n = pread(store->fd[done->file], text + at, done->len - at, (off_t)(done->offset + at));

		if (n <= 0) {
			free(text);
			return NULL;
		}
		at += (size_t)n;
	}
	if (text)
		text[at] = '\0';
	return text;
}

void wt_sweep_store_starts(const struct wt_sweep_store *store, void (*line)(void *arg, const char *text), void *arg)
{
	for (unsigned i = 0; i < store->files; i++) {
		FILE *file;
		char *text = NULL, path[64];
		size_t room = 0;
		ssize_t len;

		if (store->out.fd >= 0 && i != store->out_file) { /* read twice if it was there before: only once told */
			struct stat a, b;

			if (!fstat(store->fd[i], &a) && !fstat(store->out.fd, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev)
				continue;
		}
		snprintf(path, sizeof(path), "/proc/self/fd/%d", store->fd[i]);
		file = fopen(path, "re");
		while (file && (len = getline(&text, &room, file)) > 0 && text[len - 1] == '\n')
			if (strncmp(text, HEAD, sizeof(HEAD) - 1) != 0) {
				text[len - 1] = '\0';
				line(arg, text);
			}
		free(text);
		if (file)
			fclose(file);
	}
}

void wt_sweep_store_close(struct wt_sweep_store *store)
{
	for (unsigned i = 0; i < store->files; i++)
		close(store->fd[i]);
	if (store->out.fd >= 0)
		close(store->out.fd);
	free(store->fd);
	free(store->done);
	free(store->slot);
	memset(store, 0, sizeof(*store));
	store->out.fd = -1;
}
