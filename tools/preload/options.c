/* SPDX-License-Identifier: BSD-2-Clause */
/* getsockopt and setsockopt: of TCP and IP, the engine's; of the socket, mostly the kernel's. Never a silent success. */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "tools/preload/preload.h"

#define TTL 64 /* of each packet of the engine (stack/wire) */

static int fail(int error)
{
	errno = error;
	return -1;
}

static int give(void *to, socklen_t *len, const void *value, size_t size)
{
	if (*len > size)
		*len = (socklen_t)size;
	memcpy(to, value, *len);
	return 0;
}

static int give_int(void *to, socklen_t *len, int value)
{
	return give(to, len, &value, sizeof(value));
}

/* Numbers that are told to the daemon and read back from its page. */
static const struct {
	int name;
	enum wt_host_option option;
} numbers[] = {
	{TCP_NODELAY, WT_HOST_NODELAY}, {TCP_CORK, WT_HOST_CORK}, {TCP_KEEPIDLE, WT_HOST_KEEPIDLE}, {TCP_KEEPINTVL, WT_HOST_KEEPINTVL},
	{TCP_KEEPCNT, WT_HOST_KEEPCNT}, {TCP_USER_TIMEOUT, WT_HOST_USER_TIMEOUT},
	{TCP_SYNCNT, WT_HOST_SYNCNT}, {TCP_LINGER2, WT_HOST_LINGER2},
};

/* Its name says the port; the daemon says the slot. */
static bool find_listener(struct wt_who *who)
{
	struct wt_host_question question;
	struct wt_host_answer answer;

	wt_question(&question, WT_HOST_FIND, NULL);
	question.local = who->local;
	question.local_port = who->local_port;
	if (wt_ask(&question, -1, &answer, NULL))
		return false;
	who->slot = answer.slot;
	who->generation = answer.generation;
	return true;
}

/* ---- getsockopt ---------------------------------------------------------------------------------------- */

static int get_tcp(const struct wt_who *who, int name, void *value, socklen_t *len)
{
	struct wt_host_slot slot;
	struct wt_who found = *who;

	if ((who->kind == WT_WHO_LISTENER && !find_listener(&found)) || !wt_slot(&found, &slot)) {
		memset(&slot, 0, sizeof(slot));
		slot.info.tcpi_state = who->kind == WT_WHO_LISTENER ? 10 : 7; /* LISTEN, CLOSE */
	}
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].name == name)
			return give_int(value, len, slot.option[numbers[i].option]);
	switch (name) {
	case TCP_INFO: return give(value, len, &slot.info, sizeof(slot.info));
	case TCP_CONGESTION: return give(value, len, slot.sender, sizeof(slot.sender));
	case TCP_MAXSEG: return give_int(value, len, slot.info.tcpi_snd_mss ? (int)slot.info.tcpi_snd_mss : 536);
	case TCP_QUICKACK: return give_int(value, len, 1);
	case TCP_DEFER_ACCEPT: case TCP_FASTOPEN: return give_int(value, len, 0);
	default: return fail(ENOPROTOOPT);
	}
}

/* What was accepted has its listener's. */
static int get_keepalive(const struct wt_who *who)
{
	struct wt_host_slot slot;
	struct wt_who found = *who;

	return (who->kind != WT_WHO_LISTENER || find_listener(&found)) && wt_slot(&found, &slot) && slot.option[WT_HOST_KEEPALIVE] > 0;
}

static int get_socket(int fd, const struct wt_who *who, int name, void *value, socklen_t *len)
{
	int kernels;
	socklen_t size = sizeof(kernels);

	switch (name) {
	case SO_DOMAIN: return give_int(value, len, who->ipv6 ? AF_INET6 : AF_INET);
	case SO_PROTOCOL: return give_int(value, len, IPPROTO_TCP);
	case SO_KEEPALIVE: return give_int(value, len, get_keepalive(who));
	case SO_ERROR:
		syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &kernels, &size); /* clears the pair's */
		return give_int(value, len, who->kind == WT_WHO_CONNECTION ? wt_who_error(fd, who) : 0);
	default: return (int)syscall(SYS_getsockopt, fd, SOL_SOCKET, name, value, len);
	}
}

/* Of IP: what the engine's packets have. */
static int get_ip(int level, int name, void *value, socklen_t *len)
{
	if (level == IPPROTO_IPV6)
		return name == IPV6_TCLASS || name == IPV6_V6ONLY ? give_int(value, len, 0) : fail(ENOPROTOOPT);
	switch (name) {
	case IP_OPTIONS: *len = 0; return 0; /* sshd refuses a peer that has some */
	case IP_TOS: case IP_RECVERR: return give_int(value, len, 0);
	case IP_TTL: return give_int(value, len, TTL);
	case IP_MTU_DISCOVER: return give_int(value, len, IP_PMTUDISC_DO); /* no packet of TCP may be fragmented */
	default: return fail(ENOPROTOOPT);
	}
}

EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct wt_local *mine;
	struct wt_who who;

	if (!wt_page() || (level == SOL_SOCKET && name != SO_ERROR && name != SO_DOMAIN && name != SO_PROTOCOL && name != SO_KEEPALIVE) ||
	    (level != SOL_SOCKET && level != IPPROTO_TCP && level != IPPROTO_IP && level != IPPROTO_IPV6))
		return (int)syscall(SYS_getsockopt, fd, level, name, value, len);
	if (wt_who(fd, &who) == WT_WHO_OTHER) {
		mine = wt_local(fd);
		if (level == IPPROTO_TCP && name == TCP_CONGESTION && mine && mine->sender[0] && wt_is_tcp(fd))
			return give(value, len, mine->sender, sizeof(mine->sender));
		return (int)syscall(SYS_getsockopt, fd, level, name, value, len);
	}
	if (!value || !len)
		return fail(EFAULT);
	if ((int)*len < 0)
		return fail(EINVAL);
	if (level == SOL_SOCKET)
		return get_socket(fd, &who, name, value, len);
	if (level == IPPROTO_TCP)
		return get_tcp(&who, name, value, len);
	return get_ip(level, name, value, len);
}

/* ---- setsockopt ---------------------------------------------------------------------------------------- */

static int take_int(const void *value, socklen_t len)
{
	int number = 0;

	memcpy(&number, value, len < sizeof(number) ? len : sizeof(number));
	return number;
}

static void name_listener(struct wt_host_question *question, const struct wt_who *who)
{
	if (!who || who->kind != WT_WHO_LISTENER)
		return;
	question->local = who->local; /* known by its port */
	question->local_port = who->local_port;
}

static int tell(const struct wt_who *who, enum wt_host_option option, int value)
{
	struct wt_host_question question;
	struct wt_host_answer answer;
	int error;

	wt_question(&question, WT_HOST_SET, who);
	question.option[option] = value;
	name_listener(&question, who);
	error = wt_ask(&question, -1, &answer, NULL);
	return error ? fail(error == ESTALE ? EINVAL : error) : 0;
}

static int choose(const struct wt_who *who, enum wt_host_op op, const void *value, socklen_t len)
{
	struct wt_host_question question;
	struct wt_host_answer answer;
	int error;

	wt_question(&question, op, who);
	name_listener(&question, who);
	snprintf(question.sender, sizeof(question.sender), "%.*s", (int)(len < 15 ? len : 15), (const char *)value);
	error = wt_ask(&question, -1, &answer, NULL);
	return error ? fail(error) : 0;
}

static int set_tcp(const struct wt_who *who, int name, const void *value, socklen_t len)
{
	int number = take_int(value, len);

	if (name != TCP_CONGESTION && len < sizeof(int))
		return fail(EINVAL);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].name == name)
			return tell(who, numbers[i].option, name == TCP_NODELAY || name == TCP_CORK ? number != 0 : number);
	switch (name) {
	case TCP_CONGESTION: return choose(who, WT_HOST_CHOOSE, value, len);
	case TCP_MAXSEG: return number >= 88 && number <= 32767 ? 0 : fail(EINVAL); /* it is said with the SYN: now nothing changes, nor does it for Linux */
	case TCP_DEFER_ACCEPT: case TCP_QUICKACK: return 0; /* hints: whoever sets them may not rely on them (tcp(7)) */
	default: return fail(ENOPROTOOPT);
	}
}

/* SO_LINGER and SO_SNDBUF are the kernel's for the pair, and the engine's for the connection. */
static int set_socket(int fd, const struct wt_who *who, int name, const void *value, socklen_t len)
{
	struct linger linger = {0};
	int result = (int)syscall(SYS_setsockopt, fd, SOL_SOCKET, name, value, len);

	if (result < 0)
		return result;
	if (name == SO_LINGER) {
		memcpy(&linger, value, len < sizeof(linger) ? len : sizeof(linger));
		return tell(who, WT_HOST_RESETS, linger.l_onoff && !linger.l_linger);
	}
	return tell(who, name == SO_KEEPALIVE ? WT_HOST_KEEPALIVE : WT_HOST_SNDBUF, take_int(value, len));
}

/* A socket that is still the kernel's. A module that only we have is kept for connect() and listen(). */
static int set_early(int fd, int level, int name, const void *value, socklen_t len)
{
	struct wt_local *mine = wt_local(fd);
	int result = (int)syscall(SYS_setsockopt, fd, level, name, value, len);

	if (!mine || !wt_is_tcp(fd))
		return result;
	if (level == SOL_SOCKET && name == SO_SNDBUF && result == 0)
		mine->sndbuf = take_int(value, len);
	if (level == IPPROTO_TCP && name == TCP_MAXSEG && result == 0)
		mine->maxseg = take_int(value, len);
	if (level == IPPROTO_TCP && name == TCP_CONGESTION) {
		if (result < 0 && (errno != ENOENT || choose(NULL, WT_HOST_KNOWS, value, len) < 0))
			return -1;
		snprintf(mine->sender, sizeof(mine->sender), "%.*s", (int)(len < 15 ? len : 15), (const char *)value);
		return 0;
	}
	return result;
}

/* What the engine does in any case. The class of service is a hint: no packet of a connection carries it. */
static int set_ip(int level, int name, int number)
{
	if (level == IPPROTO_IPV6)
		return name == IPV6_TCLASS ? 0 : fail(ENOPROTOOPT);
	switch (name) {
	case IP_TOS: return 0;
	case IP_TTL: return number == TTL || number == -1 ? 0 : fail(ENOPROTOOPT);
	case IP_MTU_DISCOVER: return number == IP_PMTUDISC_WANT || number == IP_PMTUDISC_DO ? 0 : fail(ENOPROTOOPT);
	case IP_RECVERR: return number ? fail(ENOPROTOOPT) : 0;
	default: return fail(ENOPROTOOPT);
	}
}

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct wt_who who;
	bool ours = level == IPPROTO_TCP || level == IPPROTO_IP || level == IPPROTO_IPV6 ||
		    (level == SOL_SOCKET && (name == SO_LINGER || name == SO_KEEPALIVE || name == SO_SNDBUF));

	if (!wt_page() || !ours)
		return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
	if (wt_who(fd, &who) == WT_WHO_OTHER)
		return set_early(fd, level, name, value, len);
	if (!value)
		return fail(EFAULT);
	if (level == SOL_SOCKET)
		return set_socket(fd, &who, name, value, len);
	if (level == IPPROTO_TCP)
		return set_tcp(&who, name, value, len);
	return set_ip(level, name, take_int(value, len));
}
