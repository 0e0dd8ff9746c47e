/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of constants in calls, with the values of the machine's headers. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/script/language/script.h"

struct name {
	const char *name;
	int64_t value;
};

#define NAME(x) {#x, x}

static const struct name errors[] = {
	NAME(EAGAIN),      NAME(EWOULDBLOCK),  NAME(EINPROGRESS), NAME(EALREADY),     NAME(EISCONN),       NAME(ENOTCONN),
	NAME(ECONNRESET),  NAME(ECONNREFUSED), NAME(ECONNABORTED), NAME(ETIMEDOUT),   NAME(EHOSTUNREACH),  NAME(ENETUNREACH),
	NAME(EPIPE),       NAME(EINVAL),       NAME(EBADF),       NAME(EADDRINUSE),   NAME(EADDRNOTAVAIL), NAME(ENOMEM),
	NAME(ENOBUFS),     NAME(EMSGSIZE),     NAME(EOPNOTSUPP),  NAME(ENOPROTOOPT),   NAME(EPROTO),
	NAME(ENOENT),      NAME(EACCES),       NAME(EDESTADDRREQ), NAME(ENETDOWN),    NAME(EHOSTDOWN),
};

static const struct name symbols[] = {
	NAME(AF_INET),      NAME(PF_INET),       NAME(SOCK_STREAM),   NAME(IPPROTO_TCP),   NAME(IPPROTO_IP),
	NAME(SOL_SOCKET),   NAME(SOL_TCP),       NAME(SO_REUSEADDR),  NAME(SO_SNDBUF),     NAME(SO_RCVBUF),
	NAME(SO_KEEPALIVE), NAME(SO_LINGER),     NAME(SO_ERROR),      NAME(TCP_NODELAY),   NAME(TCP_MAXSEG),
	NAME(TCP_CONGESTION), NAME(TCP_KEEPIDLE), NAME(TCP_QUICKACK), NAME(TCP_USER_TIMEOUT), NAME(SHUT_RD),
	NAME(SHUT_WR),      NAME(SHUT_RDWR),     NAME(F_GETFL),       NAME(F_SETFL),       NAME(O_RDWR),
	NAME(O_NONBLOCK),   NAME(MSG_DONTWAIT),  NAME(MSG_NOSIGNAL),  NAME(MSG_PEEK),      NAME(POLLIN),
	NAME(POLLOUT),      NAME(POLLERR),       NAME(POLLHUP),       NAME(POLLRDHUP),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool find(const struct name *names, size_t count, const char *name, int64_t *value)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i].name, name)) {
			*value = names[i].value;
			return true;
		}
	}
	return false;
}

bool wt_script_symbol(const char *name, int64_t *value)
{
	return find(symbols, COUNT(symbols), name, value) || find(errors, COUNT(errors), name, value);
}

bool wt_script_errno(const char *name, int *value)
{
	int64_t found;

	if (!find(errors, COUNT(errors), name, &found))
		return false;
	*value = (int)found;
	return true;
}

const char *wt_script_errno_name(int error)
{
	static char number[24];

	for (size_t i = 0; i < COUNT(errors); i++)
		if (errors[i].value == error)
			return errors[i].name;
	snprintf(number, sizeof(number), "errno %d", error);
	return number;
}
