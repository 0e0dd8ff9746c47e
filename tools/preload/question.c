/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>

#include "tools/preload/preload.h"

enum { RANGES = 256 };

static const struct wt_host_page *page;
static struct {
	uint32_t from, to; /* host order */
} range[RANGES];
static unsigned ranges;

static void read_ranges(const char *text)
{
	while (ranges < RANGES) {
		unsigned a[8];
		int n = 0, m = 0;

		text += strspn(text, " ,");
		if (sscanf(text, "%u.%u.%u.%u%n", &a[0], &a[1], &a[2], &a[3], &n) != 4)
			return;
		range[ranges].from = range[ranges].to = a[0] << 24 | a[1] << 16 | a[2] << 8 | a[3];
		text += n;
		if (sscanf(text, "-%u.%u.%u.%u%n", &a[4], &a[5], &a[6], &a[7], &m) == 4) {
			range[ranges].to = a[4] << 24 | a[5] << 16 | a[6] << 8 | a[7];
			text += m;
		}
		ranges++;
	}
}

bool wt_engine_address(uint32_t addr)
{
	uint32_t a = ntohl(addr);

	for (unsigned i = 0; i < ranges; i++)
		if (a >= range[i].from && a <= range[i].to)
			return true;
	return false;
}

const struct wt_host_page *wt_page(void)
{
	return __atomic_load_n(&page, __ATOMIC_ACQUIRE);
}

void wt_question(struct wt_host_question *question, enum wt_host_op op, const struct wt_who *who)
{
	memset(question, 0, sizeof(*question));
	question->magic = WT_HOST_MAGIC;
	question->op = op;
	for (unsigned i = 0; i < WT_HOST_OPTIONS; i++)
		question->option[i] = WT_HOST_UNSAID;
	if (who) {
		question->slot = who->slot;
		question->generation = who->generation;
	}
}

static int control(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	memcpy(un.sun_path + 1, WT_HOST_CONTROL, sizeof(WT_HOST_CONTROL) - 1);
	while (syscall(SYS_connect, fd, &un, offsetof(struct sockaddr_un, sun_path) + sizeof(WT_HOST_CONTROL)) < 0) {
		if (errno == EINTR)
			continue;
		syscall(SYS_close, fd);
		return -1;
	}
	return fd;
}

static ssize_t exchange(int control_fd, struct wt_host_question *question, int fd, struct wt_host_answer *answer, int *got)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} room;
	struct iovec iov = {question, sizeof(*question)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *head;
	ssize_t n;

	memset(&room, 0, sizeof(room));
	if (fd >= 0) {
		message.msg_control = room.bytes;
		message.msg_controllen = sizeof(room.bytes);
		head = CMSG_FIRSTHDR(&message);
		*head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(head), &fd, sizeof(int));
	}
	do
		n = syscall(SYS_sendmsg, control_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	iov = (struct iovec){answer, sizeof(*answer)};
	message = (struct msghdr){.msg_iov = &iov, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
	do
		n = syscall(SYS_recvmsg, control_fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (got)
		*got = -1;
	if (head && got && head->cmsg_type == SCM_RIGHTS)
		memcpy(got, CMSG_DATA(head), sizeof(int));
	return n;
}

int wt_ask(struct wt_host_question *question, int fd, struct wt_host_answer *answer, int *got)
{
	int saved = errno, error = ENETDOWN, socket = control();

	memset(answer, 0, sizeof(*answer));
	if (socket >= 0) {
		if (exchange(socket, question, fd, answer, got) == sizeof(*answer) && answer->magic == WT_HOST_MAGIC)
			error = answer->error;
		syscall(SYS_close, socket);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		error = errno; /* of this program's or the machine's means, not the daemon's death */
	}
	errno = saved;
	return error;
}

/* Before main(): later a sandbox may forbid it. A program that exec() makes does this anew. */
__attribute__((constructor)) static void begin(void)
{
	const char *engines = getenv("WAVETANK_ENGINES");
	struct wt_host_question question;
	struct wt_host_answer answer;
	int saved = errno, fd = -1;
	void *map;

	if (!engines)
		return;
	read_ranges(engines);
	wt_question(&question, WT_HOST_PAGE, NULL);
	if (wt_ask(&question, -1, &answer, &fd) == 0 && fd >= 0) {
		map = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED)
			__atomic_store_n(&page, map, __ATOMIC_RELEASE);
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
	errno = saved;
}
