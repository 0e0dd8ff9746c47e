/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/outside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/interfaces.h"
#include "tools/common/labs.h"

extern char **environ;

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

enum { BY_NONE = '-', BY_NFT = 'n', BY_IPTABLES = 'i', BY_UNKNOWN = '?' /* the shell was killed while it made rules */ };

#define FORWARD "forward" /* stands where the name of an interface does: we switched forwarding on */

/* ---- rules ------------------------------------------------------------------------------------------------ */

/* Runs a program without a word; true: it ended well. */
static bool runs(const char *const argv[])
{
	posix_spawn_file_actions_t quiet;
	int status = -1;
	pid_t pid;
	bool began;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	began = !posix_spawnp(&pid, argv[0], &quiet, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	while (began && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return began && status == 0;
}

static bool nft(const char *interface, unsigned network, bool on)
{
	char table[32], rule[300];

	snprintf(table, sizeof(table), "wavetank_%.15s", interface);
	if (!on)
		return runs((const char *const[]){"nft", "delete", "table", "ip", table, NULL});
	/* of this shell and of all inside it: they differ in the lowest bits of the second byte */
	snprintf(rule, sizeof(rule), "table ip %s { chain nat { type nat hook postrouting priority 100; ip saddr & 255.248.255.0 == 10.%d.%u.0 "
		 "oifname != \"%.15s\" masquerade; }; }", table, WT_OUTSIDE_FIRST, network, interface);
	return runs((const char *const[]){"nft", rule, NULL});
}

static bool iptables(const char *interface, unsigned network, bool on)
{
	char masked[48];

	snprintf(masked, sizeof(masked), "10.%d.%u.0/255.248.255.0", WT_OUTSIDE_FIRST, network);
	return runs((const char *const[]){"iptables", "-w", "-t", "nat", on ? "-A" : "-D", "POSTROUTING", "-s", masked, "!", "-o", interface, "-j",
					  "MASQUERADE", NULL});
}

static void remove_rules(const char *interface, unsigned network, char by)
{
	if (by == BY_NFT || by == BY_UNKNOWN)
		nft(interface, network, false);
	if (by == BY_IPTABLES || by == BY_UNKNOWN)
		iptables(interface, network, false);
}

static bool is_forwarding(void)
{
	FILE *file = fopen("/proc/sys/net/ipv4/ip_forward", "re");
	bool on = file && fgetc(file) == '1';

	if (file)
		fclose(file);
	return on;
}

/* ---- records ---------------------------------------------------------------------------------------------- */

/* "BOOT-NAMESPACE-": records of another namespace are none of ours, and those of before a reboot are out of date. False: it has no number. */
static bool own_prefix(char prefix[40])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(uint64_t);
	uint64_t cookie = 0;
	char boot[9] = "";
	bool known = file && fread(boot, 1, 8, file) == 8 && fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);

	if (file)
		fclose(file);
	if (fd >= 0)
		close(fd);
	snprintf(prefix, 40, "%s-%" PRIu64 "-", boot, cookie);
	return known;
}

/* Of records, under the lock of labs. Negative: there can be none. */
static int folder(void)
{
	char path[WT_LAB_PATH], prefix[40];

	wt_lab_path(path, "../outside", NULL);
	if (!own_prefix(prefix))
		return -ENOTSUP;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Takes back what a shell did that is gone. True: it lives. */
static bool lives(int at, const char *name, const char *interface)
{
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[24] = "", by = BY_UNKNOWN;
	unsigned network;
	bool alive = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0 && !alive) {
		if (read(fd, text, sizeof(text) - 1) > 0 && sscanf(text, "%c %u", &by, &network) == 2)
			remove_rules(interface, network, by);
		unlinkat(at, name, 0);
	}
	if (fd >= 0)
		close(fd);
	return alive;
}

/* The count of shells that live here; forwarding goes with the last of them. */
static unsigned sweep(int at)
{
	DIR *entries = fdopendir(dup(at));
	char prefix[40], forward[64];
	unsigned living = 0;
	struct dirent *entry;

	own_prefix(prefix);
	snprintf(forward, sizeof(forward), "%s" FORWARD, prefix);
	if (entries)
		rewinddir(entries);
	while (entries && (entry = readdir(entries))) {
		if (!strncmp(entry->d_name, prefix, strlen(prefix)) && strcmp(entry->d_name, forward))
			living += lives(at, entry->d_name, entry->d_name + strlen(prefix));
		else if (*entry->d_name != '.' && strncmp(entry->d_name, prefix, 8))
			unlinkat(at, entry->d_name, 0); /* of before the machine was started */
	}
	if (entries)
		closedir(entries);
	if (!living && !faccessat(at, forward, F_OK, 0) && !wt_net_sysctl("ipv4/ip_forward", "0"))
		unlinkat(at, forward, 0);
	return living;
}

void wt_outside_recover(void)
{
	int at = folder();

	if (at >= 0) {
		sweep(at);
		close(at);
	}
}

static int new_file(int at, const char *last, const char *text)
{
	char prefix[40], name[64];
	int fd = -1;

	if (at >= 0 && own_prefix(prefix)) {
		snprintf(name, sizeof(name), "%s%.15s", prefix, last);
		fd = openat(at, name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) || write(fd, text, strlen(text)) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

void wt_outside_open(struct wt_outside *outside)
{
	char err[300], text[24];
	int lock = wt_labs_lock(err, sizeof(err)), at = lock >= 0 ? folder() : -1;

	if (at >= 0)
		sweep(at);
	snprintf(text, sizeof(text), "%c %u\n", outside->masquerade ? BY_UNKNOWN : BY_NONE, outside->network);
	outside->record = new_file(at, outside->interface, text);
	outside->forwards = !is_forwarding();
	if (outside->forwards) {
		int forward = new_file(at, FORWARD, "on\n");

		wt_net_sysctl("ipv4/ip_forward", "1");
		if (forward >= 0)
			close(forward);
	}
	outside->by = !outside->masquerade ? BY_NONE : nft(outside->interface, outside->network, true) ? BY_NFT :
		      iptables(outside->interface, outside->network, true) ? BY_IPTABLES : BY_NONE;
	outside->masquerade = outside->by != BY_NONE;
	if (outside->record >= 0 && pwrite(outside->record, &outside->by, 1, 0) < 0)
		outside->by = BY_UNKNOWN;
	if (at >= 0)
		close(at);
	if (lock >= 0)
		close(lock);
}

void wt_outside_close(struct wt_outside *outside)
{
	char err[300];
	int lock = wt_labs_lock(err, sizeof(err)), at = lock >= 0 ? folder() : -1;

	if (outside->record >= 0)
		close(outside->record); /* the sweep takes it for one of a shell that was killed */
	else
		remove_rules(outside->interface, outside->network, outside->by);
	if (outside->record < 0 && outside->forwards)
		wt_net_sysctl("ipv4/ip_forward", "0");
	if (at >= 0) {
		sweep(at);
		close(at);
	}
	if (lock >= 0)
		close(lock);
	outside->record = -1;
}
