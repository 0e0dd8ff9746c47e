/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Real time in another's poll loop: the loop of the programs (rloop.h) on a libev of its own, one round of which is a turn. An
 * epoll descriptor of ours watches what that libev watches: the timer, and the devices, for writing only while frames wait for them.
 */
#include <wavetank/real.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "stack/drive/rloop.h"
#include "stack/library/library.h"
#include "stack/port/port.h"

struct device {
	struct device *next;
	struct wt_lib_real *real;
	struct wt_port *port;
	bool writing, gone;
};

struct wt_lib_real {
	struct wt_lib_graph *graph;
	struct ev_loop *ev;
	struct wt_rloop *rloop;
	struct device *devices;
	int fd, error;
};

static int watch(int epoll, int op, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events};

	return epoll_ctl(epoll, op, fd, &event) < 0 ? -errno : 0;
}

struct wt_lib_real *wt_lib_real_create(struct wt_lib_graph *graph)
{
	struct wt_lib_real *real;
	int error = EBUSY;

	errno = error;
	if (graph->real)
		return NULL;
	real = calloc(1, sizeof(*real));
	if (!real)
		return NULL;
	real->graph = graph;
	real->fd = epoll_create1(EPOLL_CLOEXEC);
	real->ev = real->fd < 0 ? NULL : ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV);
	real->rloop = real->ev ? wt_rloop_create(graph->graph, real->ev) : NULL;
	error = real->rloop ? watch(real->fd, EPOLL_CTL_ADD, wt_rloop_timer(real->rloop), EPOLLIN) : -(errno ? errno : ENOMEM);
	if (error) {
		wt_lib_real_destroy(real);
		errno = -error;
		return NULL;
	}
	graph->real = real;
	wt_rloop_kick(real->rloop);
	return real;
}

void wt_lib_real_destroy(struct wt_lib_real *real)
{
	struct device *next;

	wt_rloop_destroy(real->rloop);
	for (struct device *device = real->devices; device; device = next) {
		next = device->next;
		free(device);
	}
	if (real->ev)
		ev_loop_destroy(real->ev);
	if (real->fd >= 0)
		close(real->fd);
	free(real);
}

int wt_lib_real_fd(const struct wt_lib_real *real)
{
	return real->fd;
}

wt_time wt_lib_real_now(const struct wt_lib_real *real)
{
	return wt_rloop_clock(real->rloop);
}

int64_t wt_lib_real_epoch(const struct wt_lib_real *real)
{
	return wt_rloop_epoch(real->rloop);
}

static void watch_writers(struct wt_lib_real *real)
{
	for (struct device *device = real->devices; device; device = device->next) {
		bool writing = device->port->waiting.head != NULL;

		if (device->gone || writing == device->writing)
			continue;
		device->writing = writing;
		watch(real->fd, EPOLL_CTL_MOD, device->port->fd, writing ? EPOLLIN | EPOLLOUT : EPOLLIN);
	}
}

void wt_lib_real_enter(struct wt_lib_real *real)
{
	wt_rloop_catch_up(real->rloop);
}

void wt_lib_real_settle(struct wt_lib_real *real)
{
	wt_rloop_kick(real->rloop);
	watch_writers(real);
}

int wt_lib_real_turn(struct wt_lib_real *real)
{
	int error;

	ev_run(real->ev, EVRUN_NOWAIT);
	watch_writers(real);
	error = real->error;
	real->error = 0;
	return error;
}

static void gone(struct wt_port *port, int error)
{
	struct device *device = port->user;

	device->gone = true;
	device->real->error = error;
	watch(device->real->fd, EPOLL_CTL_DEL, port->fd, 0);
	wt_rloop_remove_port(device->real->rloop, port);
}

/* Before it is in the graph, the port is ours to close. */
static struct wt_lib_node *add(struct wt_lib_real *real, struct wt_port *port, char *err, size_t err_len)
{
	struct device *device;
	int error;

	if (!port)
		return NULL;
	device = calloc(1, sizeof(*device));
	error = device ? wt_graph_add(real->graph->graph, &port->node) : -ENOMEM;
	if (error) {
		free(device);
		wt_port_close(port);
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	}
	*device = (struct device){.next = real->devices, .real = real, .port = port};
	real->devices = device;
	port->user = device;
	port->gone = gone;
	error = watch(real->fd, EPOLL_CTL_ADD, port->fd, EPOLLIN);
	if (!error)
		error = wt_rloop_add_port(real->rloop, port);
	if (error)
		return wt_lib_refuse(-error, err, err_len, "cannot watch the device");
	return (struct wt_lib_node *)&port->node;
}

struct wt_lib_node *wt_lib_tap_open(struct wt_lib_real *real, const char *name, char *err, size_t err_len)
{
	return add(real, wt_tap_open(name, real->graph->pool, err, err_len), err, err_len);
}

struct wt_lib_node *wt_lib_packet_open(struct wt_lib_real *real, const char *interface, char *err, size_t err_len)
{
	return add(real, wt_packet_open(interface, real->graph->pool, err, err_len), err, err_len);
}
