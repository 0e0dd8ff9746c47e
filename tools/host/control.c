/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions of programs. Anyone in the host's network namespace may ask: a lab is one party. Nothing that is asked is believed: sizes, slots
 * and generations are checked, descriptors that no question needs are closed, and a path never names a module.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/host/host.h"

#define QUESTIONS 512 /* read at a time; others wait in the kernel's queue */

/* Who has connected and not asked yet. */
struct asker {
	ev_io io;
	ev_timer limit;
	struct wt_daemon *daemon;
	int fd;
};

static void end(struct asker *asker)
{
	ev_io_stop(asker->daemon->transfer.station.ev, &asker->io);
	ev_timer_stop(asker->daemon->transfer.station.ev, &asker->limit);
	asker->daemon->questions--;
	close(asker->fd);
	free(asker);
}

/* ---- answers ------------------------------------------------------------------------------------------- */

static bool is_stream(int fd)
{
	int type = 0, domain = 0;
	socklen_t len = sizeof(type);

	return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && (domain == AF_UNIX || domain == AF_INET || domain == AF_INET6);
}

static struct wt_endpoint endpoint(uint32_t addr, uint16_t port)
{
	struct wt_endpoint to = {.port = port};

	to.addr.family = addr ? WT_FAMILY_IPV4 : WT_FAMILY_NONE;
	memcpy(to.addr.bytes, &addr, 4);
	return to;
}

/* Takes *fd and sets it to -1 if all is well. */
static int connect_for(struct wt_daemon *daemon, const struct wt_host_question *question, int *fd, struct wt_host_answer *answer)
{
	struct wt_endpoint remote = endpoint(question->remote, question->remote_port), local = endpoint(question->local, question->local_port);
	struct wt_tcp_config config;
	struct wt_conn *conn;
	int error;

	if (!is_stream(*fd) || !question->remote || !question->remote_port)
		return EINVAL;
	error = wt_conn_config(daemon, question, &config);
	if (error)
		return error;
	conn = wt_conn_take(daemon, WT_SLOT_CONNECTION);
	if (!conn)
		return ENOBUFS;
	conn->filler = question->filler;
	memcpy(conn->option, question->option, sizeof(conn->option));
	error = wt_conn_connect(daemon, conn, &remote, &local, &config);
	if (!error)
		error = -wt_conn_name(daemon, conn, *fd);
	if (!error)
		error = -wt_conn_attach(daemon, conn, *fd);
	if (error) {
		wt_conn_drop_tcp(daemon, conn, true, error);
		return error;
	}
	*fd = -1;
	answer->slot = wt_conn_slot(daemon, conn);
	answer->generation = conn->generation;
	answer->local_port = conn->local.port;
	memcpy(&answer->local, conn->local.addr.bytes, 4);
	return 0;
}

static struct wt_conn *subject(struct wt_daemon *daemon, const struct wt_host_question *question)
{
	struct wt_conn *conn = question->local_port ? wt_listener_find(daemon, question->local, question->local_port) : NULL;

	return conn ? conn : wt_conn_find(daemon, question->slot, question->generation);
}

static int choose_for(struct wt_daemon *daemon, const struct wt_host_question *question)
{
	struct wt_conn *conn = subject(daemon, question);
	struct wt_tcp_config config;
	int error = question->sender[0] ? wt_conn_config(daemon, question, &config) : ENOENT;

	if (error || question->op == WT_HOST_KNOWS)
		return error;
	if (!conn)
		return ESTALE;
	if (!conn->tcp)
		return EINVAL;
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	error = -wt_tcp_exchange_sender(conn->tcp, &config.sender);
	wt_conn_publish(daemon, conn, 0);
	return error;
}

/* 0 or an errno. *fd: what came along; it is closed afterwards unless it was taken (-1). */
static int reply(struct wt_daemon *daemon, const struct wt_host_question *question, int *fd, struct wt_host_answer *answer)
{
	struct wt_conn *conn;
	int error;

	switch (question->op) {
	case WT_HOST_PAGE:
	case WT_HOST_PROBE:
		wt_listener_probe(daemon);
		return 0;
	case WT_HOST_CONNECT:
		return connect_for(daemon, question, fd, answer);
	case WT_HOST_LISTEN:
		error = is_stream(*fd) ? wt_listener_open(daemon, question, *fd) : EINVAL;
		if (!error)
			*fd = -1;
		return error;
	case WT_HOST_FIND:
		conn = subject(daemon, question);
		if (!conn)
			return ESTALE;
		answer->slot = wt_conn_slot(daemon, conn);
		answer->generation = conn->generation;
		return 0;
	case WT_HOST_SET:
		conn = subject(daemon, question);
		return conn ? wt_conn_set(daemon, conn, question->option) : ESTALE;
	case WT_HOST_CHOOSE:
	case WT_HOST_KNOWS:
		return choose_for(daemon, question);
	default:
		return EINVAL;
	}
}

/* ---- packets ------------------------------------------------------------------------------------------- */

static void send_answer(int to, const struct wt_host_answer *answer, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} room = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	struct iovec iov = {(void *)(uintptr_t)answer, sizeof(*answer)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memcpy(CMSG_DATA(&room.head), &fd, sizeof(fd));
		message.msg_control = room.bytes;
		message.msg_controllen = sizeof(room.bytes);
	}
	sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The first descriptor that came; others are closed. -1: none. */
static int take_descriptor(struct msghdr *message)
{
	int first = -1, fd;

	for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(fd) <= head->cmsg_len - CMSG_LEN(0); at += sizeof(fd)) {
			memcpy(&fd, CMSG_DATA(head) + at, sizeof(fd));
			if (first < 0)
				first = fd;
			else
				close(fd);
		}
	}
	return first;
}

static void on_question(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct asker *asker = watcher->data;
	struct wt_daemon *daemon = asker->daemon;
	struct wt_host_answer answer = {.magic = WT_HOST_MAGIC};
	struct wt_host_question question;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} room;
	struct iovec iov = {&question, sizeof(question)};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof(room.bytes)};
	ssize_t n = recvmsg(asker->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fd;

	if (n < 0 && errno == EAGAIN)
		return;
	fd = n >= 0 ? take_descriptor(&message) : -1;
	answer.error = EPROTO;
	if (n == sizeof(question) && question.magic == WT_HOST_MAGIC && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		question.sender[WT_HOST_MODULE - 1] = question.receiver[WT_HOST_MODULE - 1] = 0;
		answer.error = reply(daemon, &question, &fd, &answer);
		send_answer(asker->fd, &answer, question.op == WT_HOST_PAGE ? daemon->page_fd : -1);
		wt_station_touch(&daemon->transfer.station);
	} else if (n > 0) {
		send_answer(asker->fd, &answer, -1);
	}
	if (fd >= 0)
		close(fd);
	end(asker);
}

static void on_limit(struct ev_loop *ev, ev_timer *watcher, int events)
{
	end(watcher->data);
}

static void on_control(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	struct asker *asker;
	int fd;

	while (daemon->questions < QUESTIONS && (fd = accept4(daemon->control, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		asker = calloc(1, sizeof(*asker));
		if (!asker) {
			close(fd);
			return;
		}
		*asker = (struct asker){.daemon = daemon, .fd = fd};
		daemon->questions++;
		ev_io_init(&asker->io, on_question, fd, EV_READ);
		ev_timer_init(&asker->limit, on_limit, 2., 0.);
		asker->io.data = asker->limit.data = asker;
		ev_io_start(ev, &asker->io);
		ev_timer_start(ev, &asker->limit);
		on_question(ev, &asker->io, EV_READ); /* most have asked by now */
	}
}

int wt_questions_open(struct wt_daemon *daemon, char *err, size_t err_len)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	memcpy(un.sun_path + 1, WT_HOST_CONTROL, sizeof(WT_HOST_CONTROL) - 1);
	daemon->control = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (daemon->control < 0 ||
	    bind(daemon->control, (struct sockaddr *)&un, offsetof(struct sockaddr_un, sun_path) + sizeof(WT_HOST_CONTROL)) < 0 ||
	    listen(daemon->control, 4096) < 0) {
		snprintf(err, err_len, errno == EADDRINUSE ? "an engine daemon runs here already" : "cannot open the control socket: %s", strerror(errno));
		return WT_EXIT_ENVIRONMENT;
	}
	ev_io_init(&daemon->on_control, on_control, daemon->control, EV_READ);
	daemon->on_control.data = daemon;
	ev_io_start(daemon->transfer.station.ev, &daemon->on_control);
	return WT_EXIT_OK;
}
