/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* BUFFER is asked for; net.core.wmem_max may give less. Of it events get a part, so that at the end there is room to say what is lost. */
enum {
	CLIENTS = 16, LINE = 16384, EVENT = 16384, WORDS = LINE / 2 + 1 /* as many as there is room for */, BUFFER = 1 << 20, EVENTS_PART = 4,
};

#define HANDED_ON (-2) /* a descriptor that another has now */

struct client {
	struct wt_control *control;
	int fd; /* -1: free */
	ev_io readable, writable; /* the latter while there is something lost to tell of */
	size_t len;
	char line[LINE];
	bool listens;
	uint64_t lost; /* events it did not take */
};

struct wt_control {
	struct ev_loop *ev;
	const struct wt_control_ops *ops;
	void *arg;
	int fd;
	ev_io acceptable;
	struct wt_control_file file;
	unsigned listeners;
	struct client client[CLIENTS];
	struct wt_drop_sink drops, *next_drops;
	struct wt_state_sink states, *next_states;
	struct wt_bursts bursts;
	char event[EVENT];
	FILE *out; /* writes into event */
	struct wt_json json;
};

/* ---- clients --------------------------------------------------------------------------------------------- */

static bool tell_lost(struct client *client);

static void set_buffer(const struct client *client, int size)
{
	setsockopt(client->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static void leave(struct client *client)
{
	if (client->lost) { /* it reads on to the end, whenever it does */
		set_buffer(client, BUFFER);
		tell_lost(client);
	}
	ev_io_stop(client->control->ev, &client->readable);
	ev_io_stop(client->control->ev, &client->writable);
	client->control->listeners -= client->listens;
	if (client->fd != HANDED_ON)
		close(client->fd);
	*client = (struct client){.control = client->control, .fd = -1};
}

/* All of it or none; a client whose socket is full is not waited for. */
static bool give(struct client *client, const char *text, size_t len)
{
	ssize_t n = send(client->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n == (ssize_t)len)
		return true;
	if (n > 0) /* a part of a line is worse than no line */
		shutdown(client->fd, SHUT_RDWR);
	return false;
}

/* True: it knows of all that it has lost. */
static bool tell_lost(struct client *client)
{
	char text[120];
	int n;

	if (!client->lost)
		return true;
	n = snprintf(text, sizeof(text), "{\"event\":\"emulation:events_lost\",\"data\":{\"count\":%" PRIu64 "}}\n", client->lost);
	if (!give(client, text, (size_t)n))
		return false;
	client->lost = 0;
	ev_io_stop(client->control->ev, &client->writable);
	return true;
}

static void on_room(struct ev_loop *ev, ev_io *watcher, int events)
{
	tell_lost(watcher->data);
}

/* An event that it does not take is counted, and told of when it reads again, or at the end. */
static void give_event(struct client *client, const char *text, size_t len)
{
	if (tell_lost(client) && give(client, text, len))
		return;
	client->lost++;
	ev_io_start(client->control->ev, &client->writable);
}

static void listen_to_events(struct client *client)
{
	int size = 0;
	socklen_t len = sizeof(size);

	client->control->listeners += !client->listens;
	client->listens = true;
	if (!getsockopt(client->fd, SOL_SOCKET, SO_SNDBUF, &size, &len))
		set_buffer(client, size / 2 / EVENTS_PART); /* the kernel says twice what it was told, socket(7) */
	give(client, "ok\n", 3);
}

static void answer_show(struct client *client, bool json)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	client->control->ops->show(client->control->arg, out, json);
	if (!fclose(out))
		give(client, text, len);
	free(text);
}

/* "set[ flush][ in FOLDER]" and then, each after a tab, targets and words. */
static bool read_set(char *line, struct wt_control_set *set, char **rest)
{
	char *head = strsep(&line, "\t");

	*rest = line;
	if (!line || strncmp(head, "set", 3))
		return false;
	head += 3;
	set->flush = !strncmp(head, " flush", 6);
	head += set->flush ? 6 : 0;
	if (!strncmp(head, " in /", 5)) {
		set->folder = head + 4;
		head = strchr(head, 0);
	}
	return !*head;
}

static void answer_set(struct client *client, struct wt_control_set *set, char *line)
{
	char *word[WORDS + 1], said[500] = "", text[600];
	unsigned count = 0;
	wt_time now = 0;
	int n;

	for (char *one; count < WORDS && (one = strsep(&line, "\t"));)
		word[count++] = one;
	word[count] = NULL;
	set->words = word;
	if (client->control->ops->set(client->control->arg, set, &now, said, sizeof(said)))
		n = snprintf(text, sizeof(text), "error %s\n", said);
	else
		n = snprintf(text, sizeof(text), "ok %" PRId64 "%s%s\n", now, *said ? " " : "", said);
	give(client, text, (size_t)n);
}

/* The socket is no longer a client's of ours, if it gets its capture. */
static void answer_capture(struct client *client, const char *point)
{
	char said[200], text[300];
	int n;

	if (client->listens || client->control->ops->capture(client->control->arg, client->fd, point, said, sizeof(said))) {
		n = snprintf(text, sizeof(text), "error %s\n", client->listens ? "this client gets events" : said);
		give(client, text, (size_t)n);
		return;
	}
	ev_io_stop(client->control->ev, &client->readable);
	client->fd = HANDED_ON;
	leave(client);
}

static void obey(struct client *client, char *line, size_t len)
{
	static const char unknown[] = "error expected show, set, events or capture\n";
	struct wt_control_set set = {0};
	char *rest;

	if (strlen(line) != len) { /* a zero in it */
		give(client, unknown, sizeof(unknown) - 1);
	} else if (!strcmp(line, "show json") || !strcmp(line, "show text")) {
		answer_show(client, line[5] == 'j');
	} else if (!strcmp(line, "events")) {
		listen_to_events(client);
	} else if (!strncmp(line, "capture ", 8)) {
		answer_capture(client, line + 8);
	} else if (read_set(line, &set, &rest)) {
		answer_set(client, &set, rest);
	} else {
		give(client, unknown, sizeof(unknown) - 1);
	}
}

/* Has it closed its end? Not merely sent all that it had to send (shutdown), after which it still waits for the answer. */
static bool gone(const struct client *client)
{
	struct pollfd end = {.fd = client->fd};

	return poll(&end, 1, 0) == 1 && end.revents & (POLLHUP | POLLERR);
}

/* One line at a time is taken from the socket: between two of them frames have their turn, however many a client sends at once. */
static void on_line(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct client *client = watcher->data;
	char *to = client->line + client->len, *end = NULL;
	ssize_t n = recv(client->fd, to, sizeof(client->line) - client->len, MSG_DONTWAIT | MSG_PEEK);

	if (n > 0) {
		end = memchr(to, '\n', (size_t)n);
		n = recv(client->fd, to, end ? (size_t)(end - to) + 1 : (size_t)n, MSG_DONTWAIT);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	client->len += n > 0 ? (size_t)n : 0;
	/* no more to come, or a line of no end; and what nobody waits for any more is not done */
	if (n <= 0 || (!end && client->len == sizeof(client->line)) || gone(client)) {
		leave(client);
	} else if (end) {
		size_t len = client->len - 1;

		*end = 0;
		client->len = 0;
		obey(client, client->line, len);
	}
}

static void on_client(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_control *control = watcher->data;
	int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client = NULL;

	if (fd < 0)
		return;
	for (unsigned i = 0; i < CLIENTS && !client; i++)
		if (control->client[i].fd < 0)
			client = &control->client[i];
	if (!client) {
		close(fd);
		return;
	}
	client->fd = fd;
	set_buffer(client, BUFFER);
	ev_io_init(&client->writable, on_room, fd, EV_WRITE);
	client->writable.data = client;
	ev_set_priority(&client->writable, -1);
	ev_io_init(&client->readable, on_line, fd, EV_READ);
	client->readable.data = client;
	ev_set_priority(&client->readable, -1); /* after frames and timer */
	ev_io_start(ev, &client->readable);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static void begin(struct wt_control *control)
{
	rewind(control->out);
	wt_json_init(&control->json, control->out);
}

/* To everyone who listens. */
static void publish(struct wt_control *control)
{
	long len;

	fflush(control->out);
	len = ftell(control->out);
	if (len <= 0 || len >= EVENT - 1)
		return;
	for (unsigned i = 0; i < CLIENTS; i++) {
		struct client *client = &control->client[i];

		if (client->fd >= 0 && client->listens)
			give_event(client, control->event, (size_t)len);
	}
}

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause)
{
	struct wt_control *control = (struct wt_control *)((char *)sink - offsetof(struct wt_control, drops));
	uint64_t burst = wt_bursts_next(&control->bursts, node);

	struct wt_state state;

	if (control->listeners) {
		if (node->ops->state) /* states on their way to us come first: there is one buffer */
			node->ops->state((struct wt_node *)node, now, &state);
		begin(control);
		wt_event_drop(&control->json, node, now, frame, cause, burst);
		publish(control);
	}
	if (control->next_drops)
		control->next_drops->drop(control->next_drops, node, now, frame, cause);
}

static void on_state(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct wt_control *control = (struct wt_control *)((char *)sink - offsetof(struct wt_control, states));

	if (control->listeners) {
		begin(control);
		wt_event_state(&control->json, node, state);
		publish(control);
	}
	if (control->next_states)
		control->next_states->state(control->next_states, node, state);
}

struct wt_drop_sink *wt_control_drops(struct wt_control *control, struct wt_drop_sink *next)
{
	control->drops.drop = on_drop;
	control->next_drops = next;
	return &control->drops;
}

struct wt_state_sink *wt_control_states(struct wt_control *control, struct wt_state_sink *next)
{
	control->states.state = on_state;
	control->next_states = next;
	return &control->states;
}

struct wt_json *wt_control_begin(struct wt_control *control, wt_time now, const char *event)
{
	if (!control->listeners)
		return NULL;
	begin(control);
	wt_event_begin(&control->json, now, event);
	return &control->json;
}

void wt_control_end(struct wt_control *control)
{
	wt_json_end(&control->json);
	wt_json_end(&control->json);
	publish(control);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/*
 * Of several that start at the same place one may find a dead socket, and take away the one that another has put in its place: the folder
 * is locked meanwhile. Who may read the folder can hold that lock, so it is not waited for without end.
 */
static int lock_folder(const char *path)
{
	static const struct timespec pause = {.tv_nsec = 10000000};
	const char *slash = strrchr(path, '/');
	char folder[108];
	int fd;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK && tries < 100; tries++)
		nanosleep(&pause, NULL);
	return fd;
}

/* 0, or an errno: EADDRINUSE is another that listens there, EEXIST something else. */
static int bind_there(struct wt_control *control, const struct sockaddr_un *address)
{
	int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), error = 0;
	struct stat there;
	mode_t mask;

	if (control->fd < 0 || probe < 0)
		error = errno;
	else if (!connect(probe, (const struct sockaddr *)address, sizeof(*address)))
		error = EADDRINUSE;
	else if (errno == ECONNREFUSED && !lstat(address->sun_path, &there) && S_ISSOCK(there.st_mode)) /* whoever made it is gone */
		unlink(address->sun_path);
	if (probe >= 0)
		close(probe);
	if (error)
		return error;
	mask = umask(0177);
	if (bind(control->fd, (const struct sockaddr *)address, sizeof(*address)))
		error = errno == EADDRINUSE ? EEXIST : errno;
	else if (listen(control->fd, CLIENTS) || lstat(address->sun_path, &there))
		error = errno;
	else
		control->file = (struct wt_control_file){.device = there.st_dev, .inode = there.st_ino};
	umask(mask);
	return error;
}

static int listen_at(struct wt_control *control, const char *path, char *err, size_t err_len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int lock, error;

	if (strlen(path) >= sizeof(address.sun_path)) {
		snprintf(err, err_len, "%s: the path of a socket has at most %zu characters", path, sizeof(address.sun_path) - 1);
		return -ENAMETOOLONG;
	}
	strcpy(address.sun_path, path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	lock = lock_folder(path);
	error = bind_there(control, &address);
	if (lock >= 0)
		close(lock);
	if (error)
		snprintf(err, err_len, "control socket %s: %s", path, error == EADDRINUSE ? "another emulator listens there" :
			 error == EEXIST ? "there is a file of that name" : strerror(error));
	else
		strcpy(control->file.path, path);
	return -error;
}

struct wt_control *wt_control_open(const char *path, struct ev_loop *ev, const struct wt_control_ops *ops, void *arg, char *err,
				   size_t err_len)
{
	struct wt_control *control = calloc(1, sizeof(*control));
	int error = control ? 0 : -ENOMEM;

	snprintf(err, err_len, "out of memory");
	if (control) {
		control->fd = -1;
		for (unsigned i = 0; i < CLIENTS; i++)
			control->client[i] = (struct client){.control = control, .fd = -1};
		control->ev = ev;
		control->ops = ops;
		control->arg = arg;
		control->out = fmemopen(control->event, sizeof(control->event), "w");
		error = control->out ? listen_at(control, path, err, err_len) : -ENOMEM;
	}
	if (error) {
		wt_control_close(control);
		errno = -error;
		return NULL;
	}
	ev_io_init(&control->acceptable, on_client, control->fd, EV_READ);
	control->acceptable.data = control;
	ev_set_priority(&control->acceptable, -1);
	ev_io_start(ev, &control->acceptable);
	return control;
}

const char *wt_control_path(const struct wt_control *control)
{
	return control->file.path;
}

const struct wt_control_file *wt_control_file(const struct wt_control *control)
{
	return &control->file;
}

static void remove_ours(const struct wt_control_file *file)
{
	struct stat there;

	if (!lstat(file->path, &there) && there.st_dev == file->device && there.st_ino == file->inode)
		unlink(file->path);
}

void wt_control_remove(const struct wt_control_file *file)
{
	int lock = lock_folder(file->path), probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memcpy(address.sun_path, file->path, sizeof(address.sun_path));
	/* numbers of files are given again: a new one may have ours, but somebody listens there */
	if (connect(probe, (const struct sockaddr *)&address, sizeof(address)) && errno == ECONNREFUSED)
		remove_ours(file);
	if (probe >= 0)
		close(probe);
	if (lock >= 0)
		close(lock);
}

void wt_control_close(struct wt_control *control)
{
	if (!control)
		return;
	for (unsigned i = 0; i < CLIENTS; i++)
		if (control->client[i].fd >= 0)
			leave(&control->client[i]);
	if (control->file.path[0]) {
		ev_io_stop(control->ev, &control->acceptable);
		remove_ours(&control->file); /* while we listen nobody puts another in its place */
	}
	if (control->fd >= 0)
		close(control->fd);
	if (control->out)
		fclose(control->out);
	wt_bursts_finish(&control->bursts);
	free(control);
}
