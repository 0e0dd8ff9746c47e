/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stack/record/pcapng.h"

#define PAUSE 0.05 /* s: the longest a frame waits for others to be sent with */

enum { WATCHERS = 8, SEND_AT = 64 << 10, BUFFER = 1 << 20 };

struct watcher {
	struct wt_watchers *all;
	int fd;                     /* -1: free */
	const struct wt_port *port; /* NULL: drops */
	ev_io readable;             /* its end */
	uint64_t lost;              /* since the last block that had room */
	uint32_t used;
	uint8_t *buffer;
};

struct wt_watchers {
	struct ev_loop *ev;
	const struct wt_network *net;
	int64_t epoch;
	unsigned count;
	ev_timer pause;
	struct wt_port_watch ports;
	struct wt_drop_sink drops, *next_drops;
	struct watcher watcher[WATCHERS];
};

/* The ports tell only while somebody listens. */
static void watch_ports(struct wt_watchers *all)
{
	for (unsigned i = 0; i < all->net->world->hosts; i++)
		if (all->net->port[i])
			all->net->port[i]->watch = all->count ? &all->ports : NULL;
}

static void leave(struct watcher *watcher)
{
	struct wt_watchers *all = watcher->all;

	ev_io_stop(all->ev, &watcher->readable);
	close(watcher->fd);
	free(watcher->buffer);
	*watcher = (struct watcher){.all = all, .fd = -1};
	if (!--all->count)
		ev_timer_stop(all->ev, &all->pause);
	watch_ports(all);
}

/* As much as the socket takes. What fails for good is noticed by reading, so that nobody leaves while frames are handed out. */
static void send_some(struct watcher *watcher)
{
	ssize_t n = send(watcher->fd, watcher->buffer, watcher->used, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n <= 0)
		return;
	watcher->used -= (uint32_t)n;
	memmove(watcher->buffer, watcher->buffer + n, watcher->used);
}

static void on_pause(struct ev_loop *ev, ev_timer *timer, int events)
{
	struct wt_watchers *all = timer->data;

	for (unsigned i = 0; i < WATCHERS; i++)
		if (all->watcher[i].used)
			send_some(&all->watcher[i]);
}

static void on_readable(struct ev_loop *ev, ev_io *io, int events)
{
	char word[64];
	ssize_t n = recv(io->fd, word, sizeof(word), MSG_DONTWAIT); /* it has nothing more to say but that it goes */

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		leave(io->data);
}

static void write_frame(struct watcher *watcher, wt_time now, const struct wt_frame *frame, enum wt_pcapng_way way, const char *comment)
{
	const struct wt_pcapng_facts facts = {
		.time_ns = (uint64_t)(watcher->all->epoch + now),
		.way = way,
		.has_id = true,
		.id = frame->id,
		.lost = watcher->lost,
		.comment = comment,
	};
	uint8_t *at = watcher->buffer + watcher->used;

	if (watcher->used + WT_PCAPNG_BLOCK > BUFFER) {
		watcher->lost++;
		return;
	}
	watcher->used += (uint32_t)(wt_pcapng_frame(at, &facts, frame) - at);
	watcher->lost = 0;
	if (watcher->used >= SEND_AT)
		send_some(watcher);
}

static void on_frame(struct wt_port_watch *watch, const struct wt_port *port, bool from_kernel, wt_time now, const struct wt_frame *frame)
{
	struct wt_watchers *all = (struct wt_watchers *)((char *)watch - offsetof(struct wt_watchers, ports));

	for (unsigned i = 0; i < WATCHERS; i++)
		if (all->watcher[i].port == port)
			write_frame(&all->watcher[i], now, frame, from_kernel ? WT_PCAPNG_OUT : WT_PCAPNG_IN, NULL);
}

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	struct wt_watchers *all = (struct wt_watchers *)((char *)sink - offsetof(struct wt_watchers, drops));
	char comment[100];

	for (unsigned i = 0; i < WATCHERS && all->count; i++)
		if (all->watcher[i].fd >= 0 && !all->watcher[i].port) {
			snprintf(comment, sizeof(comment), "dropped: %s at %s", wt_drop_name(cause), node->name);
			write_frame(&all->watcher[i], now, frame, WT_PCAPNG_NEITHER, comment);
		}
	if (all->next_drops)
		all->next_drops->drop(all->next_drops, node, now, frame, cause);
}

struct wt_drop_sink *wt_watchers_drops(struct wt_watchers *watchers, struct wt_drop_sink *next)
{
	watchers->drops.drop = on_drop;
	watchers->next_drops = next;
	return &watchers->drops;
}

struct wt_watchers *wt_watchers_create(struct ev_loop *ev, const struct wt_network *net, int64_t epoch)
{
	struct wt_watchers *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->ev = ev;
	all->net = net;
	all->epoch = epoch;
	all->ports.frame = on_frame;
	ev_timer_init(&all->pause, on_pause, PAUSE, PAUSE);
	all->pause.data = all;
	ev_set_priority(&all->pause, -1); /* after frames */
	for (unsigned i = 0; i < WATCHERS; i++)
		all->watcher[i] = (struct watcher){.all = all, .fd = -1};
	return all;
}

/* False: there is no such point. *port NULL: drops. */
static bool find_point(const struct wt_watchers *all, const char *point, const struct wt_port **port)
{
	*port = NULL;
	for (unsigned i = 0; i < all->net->world->hosts; i++)
		if (all->net->port[i] && !strcmp(all->net->world->host[i].name, point)) {
			*port = all->net->port[i];
			return true;
		}
	return !strcmp(point, WT_WATCH_DROPS);
}

static void begin(struct watcher *watcher, const char *point)
{
	uint8_t *p = watcher->buffer;

	memcpy(p, "ok\n", 3);
	p = wt_pcapng_interface(wt_pcapng_section(p + 3), point, WT_LINKTYPE_ETHERNET);
	watcher->used = (uint32_t)(p - watcher->buffer);
	send_some(watcher);
}

int wt_watchers_add(struct wt_watchers *all, int fd, const char *point, char *err, size_t err_len)
{
	struct watcher *watcher = NULL;
	const struct wt_port *port;

	if (!find_point(all, point, &port)) {
		snprintf(err, err_len, "no point '%.40s'; expected the name of a port, or " WT_WATCH_DROPS, point);
		return -ENOENT;
	}
	for (unsigned i = 0; i < WATCHERS && !watcher; i++)
		if (all->watcher[i].fd < 0)
			watcher = &all->watcher[i];
	if (!watcher) {
		snprintf(err, err_len, "%d captures are under way; there can be no more at once", WATCHERS);
		return -EBUSY;
	}
	watcher->buffer = malloc(BUFFER);
	if (!watcher->buffer) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	watcher->fd = fd;
	watcher->port = port;
	ev_io_init(&watcher->readable, on_readable, fd, EV_READ);
	watcher->readable.data = watcher;
	ev_set_priority(&watcher->readable, -1);
	ev_io_start(all->ev, &watcher->readable);
	if (!all->count++)
		ev_timer_again(all->ev, &all->pause);
	watch_ports(all);
	begin(watcher, point);
	return 0;
}

void wt_watchers_destroy(struct wt_watchers *all)
{
	for (unsigned i = 0; all && i < WATCHERS; i++)
		if (all->watcher[i].fd >= 0) {
			send_some(&all->watcher[i]);
			leave(&all->watcher[i]);
		}
	free(all);
}
