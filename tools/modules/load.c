/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/modules/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stack/text/units.h"
#include "tools/modules/check.h"

enum { TRIALS = 1 }; /* before a module is used; `wavetank cc check` takes more */

static const struct {
	const char *name;
	uint32_t size;
} shared[] = {
#define SHARED(type) {#type, sizeof(struct type)},
	WT_CC_SHARED(SHARED)
};

struct entry {
	struct wt_cc_file file;
	char *real;
	bool tried[3]; /* sender, recovery, receiver: has been through its histories */
	struct entry *next;
};

static struct entry *loaded; /* a file is loaded once */

bool wt_cc_is_file(const char *text)
{
	size_t len = text ? strcspn(text, ":") : 0;

	return len && (memchr(text, '/', len) || (len > 3 && !memcmp(text + len - 3, ".so", 3)));
}

static int hash(const char *path, char sha256[WT_SHA256_TEXT])
{
	FILE *file = fopen(path, "rbe");
	struct wt_sha256 sha;
	struct stat stat;
	char block[4096];
	size_t len;
	int error = 0;

	if (!file)
		return -errno;
	if (fstat(fileno(file), &stat) == 0 && !S_ISREG(stat.st_mode))
		error = S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	wt_sha256_init(&sha);
	while (!error && (len = fread(block, 1, sizeof(block), file)) > 0)
		wt_sha256_add(&sha, block, len);
	if (ferror(file))
		error = -EIO;
	wt_sha256_end(&sha, sha256);
	fclose(file);
	return error;
}

/* Whether a shared object ends before what its program headers say: the dynamic linker maps that, and the first access kills the program. */
static bool cut_short(const char *path)
{
	FILE *file = fopen(path, "rbe");
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	struct stat stat;
	bool cut = false;

	if (!file)
		return false;
	if (!fstat(fileno(file), &stat) && fread(&head, sizeof(head), 1, file) == 1 && !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    head.e_phentsize == sizeof(part) && !fseek(file, (long)head.e_phoff, SEEK_SET))
		for (unsigned i = 0; i < head.e_phnum && !cut; i++) {
			cut = fread(&part, sizeof(part), 1, file) != 1;
			cut = cut || (part.p_type == PT_LOAD && part.p_offset + part.p_filesz > (uint64_t)stat.st_size);
		}
	fclose(file);
	return cut;
}

/* The dynamic linker's sentence without the path that it begins with. */
static const char *linker_error(const char *real)
{
	const char *text = dlerror();

	text = text ? text : "unknown error";
	if (!strncmp(text, real, strlen(real)) && text[strlen(real)] == ':')
		text += strlen(real) + 1;
	return text + strspn(text, " ");
}

static int check_fit(const char *path, const struct wt_cc_loadable *theirs, char *err, size_t err_len)
{
	static const char advice[] = "build it again with the headers of this wavetank";

	if (theirs->abi != WT_CC_ABI)
		return wt_invalid(err, err_len, "%s: it is built for ABI %u of congestion modules, this program has ABI %d: %s", path, theirs->abi,
			      WT_CC_ABI, advice);
	if (theirs->sizes != WT_CC_SIZES)
		return wt_invalid(err, err_len, "%s: it shares %u structs, this program %d: %s", path, theirs->sizes, WT_CC_SIZES, advice);
	for (unsigned i = 0; i < WT_CC_SIZES; i++)
		if (theirs->size[i] != shared[i].size)
			return wt_invalid(err, err_len, "%s: struct %s has %u bytes there and %u here: %s", path, shared[i].name, theirs->size[i],
				      shared[i].size, advice);
	if (!theirs->sender && !theirs->recovery && !theirs->receiver)
		return wt_invalid(err, err_len, "%s: wt_cc_loadable names no module", path);
	return 0;
}

static int load(struct entry *entry, char *err, size_t err_len)
{
	const char *path = entry->file.path;
	int error = hash(entry->real, entry->file.sha256);
	void *handle;

	if (error)
		return wt_invalid(err, err_len, "%s: %s", path, strerror(-error));
	if (cut_short(entry->real))
		return wt_invalid(err, err_len, "%s is not a module file: it is cut short", path);
	handle = dlopen(entry->real, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return wt_invalid(err, err_len, "%s is not a module file: %s", path, linker_error(entry->real));
	entry->file.loadable = dlsym(handle, "wt_cc_loadable");
	if (entry->file.loadable)
		error = check_fit(path, entry->file.loadable, err, err_len);
	else
		error = wt_invalid(err, err_len, "%s is not a module file: it exports no wt_cc_loadable (see cc/module.h)", path);
	if (error)
		dlclose(handle);
	return error;
}

/* Under its path; frees it if it is refused. */
static int add(struct entry *entry, char *err, size_t err_len)
{
	int error = load(entry, err, err_len);

	if (!error) {
		entry->next = loaded;
		loaded = entry;
		return 0;
	}
	free(entry->file.path);
	free(entry->real);
	free(entry);
	return error;
}

static int open_entry(const char *text, struct entry **found, char *err, size_t err_len)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct entry *entry;
	int error;

	if (snprintf(path, sizeof(path), "%.*s", (int)strcspn(text, ":"), text) >= (int)sizeof(path))
		return wt_invalid(err, err_len, "%.60s...: the path is too long", text);
	if (!realpath(path, real))
		return wt_invalid(err, err_len, "%s: %s", path, strerror(errno));
	for (entry = loaded; entry && strcmp(entry->real, real); entry = entry->next)
		;
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry || !(entry->file.path = strdup(path)) || !(entry->real = strdup(real)))
			abort();
		error = add(entry, err, err_len);
		if (error)
			return error;
		entry = loaded;
	}
	*found = entry;
	return 0;
}

int wt_cc_open(const char *text, const struct wt_cc_file **file, char *err, size_t err_len)
{
	struct entry *entry;
	int error = open_entry(text, &entry, err, err_len);

	if (!error)
		*file = &entry->file;
	return error;
}

const struct wt_cc_file *wt_cc_file_of(const void *ops)
{
	for (struct entry *entry = loaded; entry && ops; entry = entry->next)
		if (ops == entry->file.loadable->sender || ops == entry->file.loadable->recovery || ops == entry->file.loadable->receiver)
			return &entry->file;
	return NULL;
}

void wt_cc_files_text(FILE *out)
{
	for (struct entry *entry = loaded; entry; entry = entry->next)
		fprintf(out, "  file %s SHA-256 %s\n", entry->file.path, entry->file.sha256);
}

/* ---- to be used ----------------------------------------------------------------------------------------- */

/* Of a file's tables the one that the subject names, if it keeps the contract. */
static int try_once(struct entry *entry, unsigned kind, const struct wt_cc_subject *subject, char *err, size_t err_len)
{
	struct wt_cc_report report;
	const char *verdict;
	char text[300];

	if (entry->tried[kind])
		return 0;
	if (wt_cc_check_apart(subject, TRIALS, &report))
		return wt_invalid(err, err_len, "%s: cannot start a process to test it in", entry->file.path);
	verdict = wt_cc_check_verdict(&report, text, sizeof(text));
	if (verdict)
		return wt_invalid(err, err_len, "%s breaks the contract of modules: %s", entry->file.path, verdict);
	entry->tried[kind] = true;
	return 0;
}

/* The table of a kind (0: sender, 1: recovery, 2: receiver) in the file that the text names. */
static int table_of(const char *text, unsigned kind, struct wt_cc_subject *subject, char *err, size_t err_len)
{
	static const char *const kinds[] = {"sender", "recovery", "receiver"};
	const struct wt_cc_loadable *all;
	struct entry *entry;
	int error = open_entry(text, &entry, err, err_len);

	if (error)
		return error;
	all = entry->file.loadable;
	*subject = (struct wt_cc_subject){kind == 0 ? all->sender : NULL, kind == 1 ? all->recovery : NULL, kind == 2 ? all->receiver : NULL};
	if (!subject->sender && !subject->recovery && !subject->receiver)
		return wt_invalid(err, err_len, "%s: it has no %s module", entry->file.path, kinds[kind]);
	return try_once(entry, kind, subject, err, err_len);
}

static const char *list_of(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon ? colon + 1 : NULL;
}

int wt_cc_choose_sender(const char *profile, const char *text, struct wt_sender_choice *choice, char *err, size_t err_len)
{
	struct wt_cc_subject subject;
	int error;

	if (!wt_cc_is_file(text))
		return wt_sender_choose_in(profile, text, choice, err, err_len);
	error = table_of(text, 0, &subject, err, err_len);
	return error ? error : wt_sender_take(subject.sender, profile, list_of(text), choice, err, err_len);
}

int wt_cc_choose_recovery(const char *profile, const char *text, struct wt_recovery_choice *choice, char *err, size_t err_len)
{
	struct wt_cc_subject subject;
	int error;

	if (!wt_cc_is_file(text))
		return wt_recovery_choose_in(profile, text, choice, err, err_len);
	error = table_of(text, 1, &subject, err, err_len);
	return error ? error : wt_recovery_take(subject.recovery, profile, list_of(text), choice, err, err_len);
}

int wt_cc_choose_receiver(const char *profile, const char *text, struct wt_receiver_choice *choice, char *err, size_t err_len)
{
	struct wt_cc_subject subject;
	int error;

	if (!wt_cc_is_file(text))
		return wt_receiver_choose_in(profile, text, choice, err, err_len);
	error = table_of(text, 2, &subject, err, err_len);
	return error ? error : wt_receiver_take(subject.receiver, profile, list_of(text), choice, err, err_len);
}
