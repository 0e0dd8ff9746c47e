/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/path_events.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emu/daemon/control.h"
#include "tools/common/labs.h"

struct wt_path_events {
	struct ev_loop *ev;
	ev_io readable;
	void (*on_drop)(void *arg, const char *cause);
	void *arg;
	size_t used;
	char line[8192]; /* of events, the last of which may not be whole */
};

/* {"time_ns":...,"event":"emulation:packet_dropped","data":{"node":"fwd.loss","cause":"loss",...}}: the emulator writes its keys in this order. */
static void take_line(struct wt_path_events *events, char *line)
{
	static const char key[] = "\"cause\":\"";
	char *cause = strstr(line, "\"emulation:packet_dropped\"") ? strstr(line, key) : NULL, *end;

	if (!cause)
		return;
	cause += sizeof(key) - 1;
	end = strchr(cause, '"');
	if (!end)
		return;
	*end = 0;
	events->on_drop(events->arg, cause);
}

static void take_lines(struct wt_path_events *events)
{
	char *from = events->line, *end;

	while ((end = memchr(from, '\n', events->used - (size_t)(from - events->line)))) {
		*end = 0;
		take_line(events, from);
		from = end + 1;
	}
	events->used -= (size_t)(from - events->line);
	memmove(events->line, from, events->used);
	if (events->used == sizeof(events->line)) /* no event is so long */
		events->used = 0;
}

static void on_readable(struct ev_loop *ev, ev_io *io, int revents)
{
	struct wt_path_events *events = io->data;
	ssize_t n = recv(io->fd, events->line + events->used, sizeof(events->line) - events->used, MSG_DONTWAIT);

	if (n > 0) {
		events->used += (size_t)n;
		take_lines(events);
	} else if (!n) {
		ev_io_stop(ev, io); /* the lab ends */
	}
}

static int connect_emulator(void)
{
	const char *name = getenv("WAVETANK_LAB");
	char path[WT_LAB_PATH], err[600];
	int fd = name && wt_lab_name_ok(name) ? wt_labs_lock(err, sizeof(err)) : -1;

	if (fd < 0)
		return -1;
	close(fd);
	wt_lab_path(path, name, "emu.sock");
	return wt_control_connect(path, err, sizeof(err));
}

struct wt_path_events *wt_path_events_open(struct ev_loop *ev, void (*on_drop)(void *arg, const char *cause), void *arg)
{
	struct wt_path_events *events = calloc(1, sizeof(*events));
	int fd = events ? connect_emulator() : -1;

	if (fd < 0 || send(fd, "events\n", 7, MSG_NOSIGNAL) != 7) {
		if (fd >= 0)
			close(fd);
		free(events);
		return NULL;
	}
	*events = (struct wt_path_events){.ev = ev, .on_drop = on_drop, .arg = arg};
	ev_io_init(&events->readable, on_readable, fd, EV_READ);
	events->readable.data = events;
	ev_set_priority(&events->readable, -1); /* after frames and timer */
	ev_io_start(ev, &events->readable);
	return events;
}

void wt_path_events_close(struct wt_path_events *events)
{
	if (!events)
		return;
	ev_io_stop(events->ev, &events->readable);
	close(events->readable.fd);
	free(events);
}
