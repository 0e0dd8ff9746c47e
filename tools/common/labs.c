/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/labs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/cli.h"

static char labs_folder[WT_LAB_PATH - WT_LAB_NAME - 16]; /* set by wt_labs_lock() */

/* ---- address plan ------------------------------------------------------------------------------------- */

struct wt_addr wt_lab_kernel_addr(unsigned host)
{
	return wt_addr_ipv4(10, 77, 0, (uint8_t)(1 + host));
}

struct wt_addr wt_lab_engine_addr(const struct wt_addr *kernel, unsigned i)
{
	struct wt_addr engine = *kernel;

	engine.bytes[3] = (uint8_t)(engine.bytes[3] + 100 + 2 * i);
	return engine;
}

/* ---- hosts -------------------------------------------------------------------------------------------- */

struct wt_lab_place *wt_lab_add_host(struct wt_lab *lab, const char *name)
{
	struct wt_lab_place *more = realloc(lab->host, (lab->hosts + 1) * sizeof(*more));

	if (!more)
		return NULL;
	lab->host = more;
	more[lab->hosts] = (struct wt_lab_place){.prefix_len = 24};
	snprintf(more[lab->hosts].name, sizeof(more->name), "%s", name);
	return &more[lab->hosts++];
}

const struct wt_lab_place *wt_lab_host(const struct wt_lab *lab, const char *name)
{
	for (unsigned i = 0; i < lab->hosts; i++)
		if (!strcmp(lab->host[i].name, name))
			return &lab->host[i];
	return NULL;
}

void wt_lab_finish(struct wt_lab *lab)
{
	free(lab->host);
	lab->host = NULL;
	lab->hosts = 0;
}

/* ---- processes ---------------------------------------------------------------------------------------- */

uint64_t wt_process_start(pid_t pid)
{
	char path[64], line[1024], state = 0;
	const char *at;
	uint64_t start = 0;
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	got = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[got] = 0;
	at = strrchr(line, ')'); /* the name before it may hold anything */
	if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu", &state,
			  &start) != 2 || state == 'Z' || state == 'X')
		return 0;
	return start;
}

bool wt_process_alive(const struct wt_lab_process *process)
{
	return process->pid > 0 && process->start && wt_process_start(process->pid) == process->start;
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* ---- folders ------------------------------------------------------------------------------------------ */

bool wt_lab_name_ok(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < WT_LAB_NAME && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

/* A folder that is ours alone: in /tmp another user could have made it first. */
static int own_folder(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : -EPERM;
}

static int try_base(const char *base, const char *folder)
{
	char path[sizeof(labs_folder)];
	int result;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", base, folder) > sizeof(path) - 8)
		return -ENAMETOOLONG;
	result = own_folder(path);
	if (result < 0)
		return result;
	snprintf(labs_folder, sizeof(labs_folder), "%.*s/labs", (int)sizeof(labs_folder) - 6, path);
	return own_folder(labs_folder);
}

int wt_labs_lock(char *err, size_t err_len)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char folder[40];
	struct stat st;
	int result = -ENOENT, fd;

	if (runtime && *runtime == '/' && stat(runtime, &st) == 0 && st.st_uid == geteuid())
		result = try_base(runtime, "wavetank");
	if (result < 0 && geteuid() == 0)
		result = try_base("/run", "wavetank");
	if (result < 0) {
		snprintf(folder, sizeof(folder), "wavetank-%u", (unsigned)geteuid());
		result = try_base("/tmp", folder);
	}
	if (result < 0) {
		snprintf(err, err_len, "cannot store the state of labs: neither XDG_RUNTIME_DIR nor /tmp/wavetank-%u belongs to this user: %s",
			 (unsigned)geteuid(), strerror(-result));
		return result;
	}
	fd = open(labs_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) < 0) {
		result = -errno;
		snprintf(err, err_len, "cannot lock %s: %s", labs_folder, strerror(errno));
		if (fd >= 0)
			close(fd);
		return result;
	}
	return fd;
}

void wt_lab_path(char path[WT_LAB_PATH], const char *name, const char *file)
{
	snprintf(path, WT_LAB_PATH, "%s/%.31s%s%.14s", labs_folder, name, file ? "/" : "", file ? file : "");
}

void wt_lab_remove(const char *name)
{
	static const char *const files[] = {"state.json", "state.new", "emu.jsonl", "emu.log", "emu.sock", "hosts", "programs.log"};
	char path[WT_LAB_PATH];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		wt_lab_path(path, name, files[i]);
		unlink(path);
	}
	wt_lab_path(path, name, NULL);
	rmdir(path);
}

/* ---- state.json --------------------------------------------------------------------------------------- */

/* [{"name": "a", "process": [PID, START], "address": "10.77.0.1/24"}, ...] */
static json_t *pack_hosts(const struct wt_lab *lab)
{
	json_t *hosts = json_array();
	char text[WT_ADDR_TEXT], mac[20];

	for (unsigned i = 0; i < lab->hosts; i++) {
		const struct wt_lab_place *host = &lab->host[i];
		const uint8_t *b = host->gateway_mac.bytes;
		json_t *one = json_pack("{s:s, s:[I,I], s:s, s:i}", "name", host->name, "process", (json_int_t)host->process.pid,
					(json_int_t)host->process.start, "address", wt_addr_format(&host->addr, text), "prefix",
					(int)host->prefix_len);

		if (host->gateway.family) {
			snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
			json_object_set_new(one, "gateway", json_string(wt_addr_format(&host->gateway, text)));
			json_object_set_new(one, "gateway_mac", json_string(mac));
		}
		json_array_append_new(hosts, one);
	}
	return hosts;
}

static int unpack_host(struct wt_lab *lab, json_t *json)
{
	const char *name, *addr, *gateway = "", *mac = "";
	json_int_t pid, start;
	struct wt_lab_place *host;
	int prefix;

	if (json_unpack(json, "{s:s, s:[I,I], s:s, s:i, s?:s, s?:s}", "name", &name, "process", &pid, &start, "address", &addr, "prefix", &prefix,
			"gateway", &gateway, "gateway_mac", &mac))
		return -EINVAL;
	host = wt_lab_add_host(lab, name);
	if (!host)
		return -ENOMEM;
	host->process = (struct wt_lab_process){(pid_t)pid, (uint64_t)start};
	host->prefix_len = (unsigned)prefix;
	if (!wt_addr_parse(addr, &host->addr))
		return -EINVAL;
	if (!*gateway)
		return 0;
	return wt_addr_parse(gateway, &host->gateway) && wt_mac_parse(mac, &host->gateway_mac) ? 0 : -EINVAL;
}

int wt_lab_store(const struct wt_lab *lab)
{
	char path[WT_LAB_PATH], fresh[WT_LAB_PATH];
	int result = 0;
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:[I,I], s:[I,I], s:o, s:[I,I]}", "schema", "wavetank.lab.1", "name",
		lab->name, "backend", lab->backend, "fwd", lab->fwd, "rev", lab->rev, "capture", lab->capture, "log", lab->log, "file", lab->file, "offload", lab->offload, "seed",
		(json_int_t)lab->seed, "created_s", (json_int_t)lab->created, "pid_namespace", (json_int_t)pid_namespace(), "keeper",
		(json_int_t)lab->keeper.pid, (json_int_t)lab->keeper.start, "emulator", (json_int_t)lab->emulator.pid,
		(json_int_t)lab->emulator.start, "hosts", pack_hosts(lab), "owner", (json_int_t)lab->owner.pid, (json_int_t)lab->owner.start);

	if (!json)
		return -ENOMEM;
	wt_lab_path(path, lab->name, "state.json");
	wt_lab_path(fresh, lab->name, "state.new");
	if (json_dump_file(json, fresh, JSON_INDENT(1)) < 0 || rename(fresh, path) < 0)
		result = errno ? -errno : -EIO;
	json_decref(json);
	return result;
}

static void copy_text(char *to, size_t len, const char *from)
{
	snprintf(to, len, "%s", from);
}

/* The state as written, and the pid namespace its numbers are of. */
static int load(const char *name, struct wt_lab *lab, uint64_t *namespace)
{
	const char *backend, *fwd, *rev, *capture, *log = "", *file = "";
	json_int_t seed, created, pidns, number[6] = {0};
	char path[WT_LAB_PATH];
	struct wt_lab_process *const process[] = {&lab->keeper, &lab->emulator, &lab->owner};
	json_t *json, *hosts = NULL, *host;
	int bad, offload = 0;
	size_t at;

	*lab = (struct wt_lab){0};
	copy_text(lab->name, sizeof(lab->name), name);
	wt_lab_path(path, name, "state.json");
	if (access(path, F_OK) < 0)
		return -ENOENT;
	json = json_load_file(path, 0, NULL);
	if (!json)
		return -EINVAL;
	bad = json_unpack(json, "{s:s, s:s, s:s, s:s, s?:s, s?:s, s?:b, s:I, s:I, s:I, s:[I,I], s:[I,I], s:o, s?:[I,I]}", "backend", &backend, "fwd",
			  &fwd, "rev", &rev, "capture", &capture, "log", &log, "file", &file, "offload", &offload, "seed", &seed, "created_s", &created, "pid_namespace", &pidns,
			  "keeper", &number[0], &number[1], "emulator", &number[2], &number[3], "hosts", &hosts, "owner", &number[4], &number[5]);
	json_array_foreach(hosts, at, host)
		bad = bad ? bad : unpack_host(lab, host);
	if (bad) {
		wt_lab_finish(lab);
		json_decref(json);
		return -EINVAL;
	}
	copy_text(lab->backend, sizeof(lab->backend), backend);
	copy_text(lab->fwd, sizeof(lab->fwd), fwd);
	copy_text(lab->rev, sizeof(lab->rev), rev);
	copy_text(lab->capture, sizeof(lab->capture), capture);
	copy_text(lab->log, sizeof(lab->log), log);
	copy_text(lab->file, sizeof(lab->file), file);
	lab->offload = offload;
	lab->seed = (uint64_t)seed;
	lab->created = created;
	for (unsigned i = 0; i < 3; i++)
		*process[i] = (struct wt_lab_process){(pid_t)number[2 * i], (uint64_t)number[2 * i + 1]};
	*namespace = (uint64_t)pidns;
	json_decref(json);
	return 0;
}

int wt_lab_load(const char *name, struct wt_lab *lab)
{
	uint64_t namespace = 0;

	return load(name, lab, &namespace);
}

void wt_lab_last_words(const char *name, char *text, size_t len)
{
	char path[WT_LAB_PATH];
	int folder;

	wt_lab_path(path, name, NULL);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	wt_lab_last_words_at(folder, text, len);
	if (folder >= 0)
		close(folder);
}

void wt_lab_last_words_at(int folder, char *text, size_t len)
{
	char line[600];
	int fd = openat(folder, "emu.log", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	text[0] = 0;
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (*line)
			snprintf(text, len, "%s", strncmp(line, "wavetank ", 9) == 0 ? line + 9 : line);
	}
	if (file)
		fclose(file);
}

bool wt_lab_was_ended_at(int folder)
{
	static char line[65536];
	int fd = openat(folder, "emu.jsonl", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	bool told = false;

	while (file && fgets(line, sizeof(line), file))
		told |= strstr(line, "\"ended_by\":\"signal\"") != NULL;
	if (file)
		fclose(file);
	return told || !file;
}

/* Somebody killed it, or its emulator gave up. What it leaves a user is its capture. */
bool wt_lab_ended(const char *name, char *sentence, size_t len)
{
	uint64_t namespace;
	struct wt_lab lab;
	char words[300];
	bool lives;

	if (!wt_lab_name_ok(name) || load(name, &lab, &namespace))
		return false;
	wt_lab_finish(&lab);
	lives = namespace != pid_namespace() || wt_process_alive(&lab.keeper);
	if (lives)
		return false;
	wt_lab_last_words(name, words, sizeof(words));
	wt_lab_remove(name);
	snprintf(sentence, len, "lab %s has ended by itself%s%s%s%s", name, *words ? ": " : "", words,
		 lab.capture[0] ? "; what it captured: " : "", lab.capture);
	return true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

unsigned wt_labs_scan(void (*each)(void *arg, const struct wt_lab *lab), void *arg)
{
	struct dirent **entries;
	struct wt_lab lab;
	uint64_t namespace;
	unsigned living = 0;
	int count = scandir(labs_folder, &entries, NULL, by_name);
	char sentence[700];

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		int result = wt_lab_name_ok(name) ? load(name, &lab, &namespace) : -EEXIST;

		/* A folder without a state: its `lab up` died, for we hold the lock. Numbers of another namespace tell us nothing. */
		if (result == -ENOENT || result == -EINVAL) {
			wt_lab_remove(name);
		} else if (result == 0 && wt_lab_ended(name, sentence, sizeof(sentence))) {
			wt_say("%s", sentence);
		} else if (result == 0 && namespace == pid_namespace()) {
			living++;
			if (each)
				each(arg, &lab);
		}
		if (result == 0)
			wt_lab_finish(&lab);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return living;
}

static void match_name(void *arg, const struct wt_lab *lab)
{
	struct wt_lab *wanted = arg;

	if (strcmp(lab->name, wanted->name) != 0)
		return;
	*wanted = *lab;
	wanted->host = lab->hosts ? malloc(lab->hosts * sizeof(*lab->host)) : NULL;
	wanted->hosts = wanted->host ? lab->hosts : 0;
	if (wanted->host)
		memcpy(wanted->host, lab->host, lab->hosts * sizeof(*lab->host));
}

bool wt_lab_find(const char *name, struct wt_lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	copy_text(lab->name, sizeof(lab->name), name);
	wt_labs_scan(match_name, lab);
	return lab->keeper.pid > 0;
}

int wt_lab_refuse_inside(void)
{
	const char *lab = getenv("WAVETANK_LAB");

	return lab ? wt_fail(WT_EXIT_USAGE, "this shell is inside lab '%s'; run lab commands outside it", lab) : WT_EXIT_OK;
}
