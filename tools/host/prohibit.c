/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that is not preloaded (static, setuid) would reach an engine by the kernel's TCP, and nobody would notice. So a routing rule
 * refuses it: "from 0.0.0.0/32 to ENGINE prohibit". connect() of a socket that has no address yet asks for a route from 0.0.0.0
 * and gets EACCES; a server of the kernel that answers an engine, and a socket bound to an address on purpose, pass.
 */
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

struct request {
	struct nlmsghdr head;
	struct fib_rule_hdr rule;
	struct {
		struct rtattr attribute;
		uint8_t value[4];
	} from, to, priority;
};

int wt_prohibit(const struct wt_addr *engine)
{
	const uint32_t priority = 100;
	struct request request = {
		.head = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_NEWRULE, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
		.rule = {.family = AF_INET, .src_len = 32, .dst_len = 32, .action = FR_ACT_PROHIBIT},
		.from = {{sizeof(request.from), FRA_SRC}, {0}},
		.to = {{sizeof(request.to), FRA_DST}, {0}},
		.priority = {{sizeof(request.priority), FRA_PRIORITY}, {0}},
	};
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} answer;
	const struct nlmsgerr *error = NLMSG_DATA(&answer.head);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), result = -EPROTO;
	ssize_t n;

	if (fd < 0)
		return -errno;
	memcpy(request.to.value, engine->bytes, 4);
	memcpy(request.priority.value, &priority, 4);
	if (send(fd, &request, sizeof(request), 0) < 0 || (n = recv(fd, &answer, sizeof(answer), 0)) < 0)
		result = -errno;
	else if ((size_t)n >= NLMSG_LENGTH(sizeof(*error)) && answer.head.nlmsg_type == NLMSG_ERROR)
		result = error->error == -EEXIST ? 0 : error->error;
	close(fd);
	return result;
}
