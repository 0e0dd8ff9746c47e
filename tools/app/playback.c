/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/playback.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 0xffffff /* as many as the result has room for */

static const char *const starts[] = {"connect", "data", "full", NULL};
static const char *const sources[] = {"stream", "bulk", NULL};

#define FIELD(name, type, text, min, max, words) \
	{#name, WT_PARAM_##type, offsetof(struct wt_playback_config, name), text, min, max, words}

const struct wt_param wt_playback_params[] = {
	FIELD(read, SIZE, "bytes wanted at each instant", 1, 1 << 30, NULL),
	FIELD(interval, TIME, "time between instants", 1e3, 1e12, NULL),
	FIELD(attempts, COUNT, "instants counted; 0: to the end of the stream", 0, ATTEMPTS_MAX, NULL),
	FIELD(start, WORD, "what starts the clock: the connection, its first byte, or a first read that is there", 0, 0, starts),
	FIELD(preroll, TIME, "from there to the first attempt", 0, 1e12, NULL),
	FIELD(source, WORD, "the sender makes `read` bytes every `interval`, or as much as TCP takes", 0, 0, sources),
};

const size_t wt_playback_param_count = sizeof(wt_playback_params) / sizeof(wt_playback_params[0]);

struct player {
	const struct wt_playback_config *config;
	struct wt_bulk_receiver *receiver;
	struct wt_host_timer timer;
	bool running, over;
};

int wt_playback_parse(const char *words, struct wt_playback_config *config, char *err, size_t err_len)
{
	static const char name[] = "playback";
	size_t len = sizeof(name) - 1;

	*config = (struct wt_playback_config){.read = 5000, .interval = 40 * WT_MS, .start = WT_PLAYBACK_DATA, .preroll = 40 * WT_MS};
	if (strncmp(words, name, len) || (words[len] && words[len] != ':')) {
		snprintf(err, err_len, "no application '%s'; known: playback, as in playback:interval=40ms,read=5KB", words);
		return -EINVAL;
	}
	return wt_param_set_list(wt_playback_params, wt_playback_param_count, config, words[len] ? words + len + 1 : "", err, err_len);
}

int wt_playback_check(const struct wt_playback_config *config, const struct wt_tcp_settings *receiver, char *err, size_t err_len)
{
	if (config->read <= receiver->rcv_buffer)
		return 0;
	snprintf(err, err_len, "a read of %llu B does not fit into a receive buffer of %llu B", (unsigned long long)config->read,
		 (unsigned long long)receiver->rcv_buffer);
	return -EINVAL;
}

uint64_t wt_playback_size(const struct wt_playback_config *config)
{
	return config && config->attempts ? config->attempts * config->read : 5 << 20;
}

double wt_playback_success(const struct wt_bulk_result *result)
{
	return result->attempts ? 100.0 * result->successes / result->attempts : NAN;
}

/* ---- receiver ----------------------------------------------------------------------------------------- */

static void end(struct player *player, wt_time now)
{
	player->over = true;
	wt_host_timer_set(player->receiver->server->host, &player->timer, WT_NEVER);
	wt_bulk_pull(player->receiver, SIZE_MAX, now);
}

static void on_instant(struct wt_host_timer *timer, wt_time now)
{
	struct player *player = timer->arg;
	const struct wt_playback_config *config = player->config;
	struct wt_bulk_receiver *r = player->receiver;
	bool there = wt_bulk_waiting(r) >= config->read;

	if (!there && r->eof) { /* the tail of a stream that is no multiple of a read */
		end(player, now);
		return;
	}
	/* Counted before the bytes are taken: the last of them send the result on its way. */
	r->result.attempts++;
	r->result.successes += there;
	if (r->result.attempts == (config->attempts ? config->attempts : ATTEMPTS_MAX)) {
		end(player, now);
		return;
	}
	wt_host_timer_set(r->server->host, timer, wt_time_add(now, config->interval));
	if (there)
		wt_bulk_pull(r, config->read, now);
}

static void begin(struct player *player, wt_time now)
{
	if (player->running)
		return;
	player->running = true;
	wt_host_timer_set(player->receiver->server->host, &player->timer, wt_time_add(now, player->config->preroll));
}

static void on_data(struct wt_bulk_receiver *r, wt_time now)
{
	struct player *player = r->app;
	size_t waiting = wt_bulk_waiting(r);

	if (player->over)
		wt_bulk_pull(r, SIZE_MAX, now);
	else if (player->config->start == WT_PLAYBACK_FULL ? waiting >= player->config->read || r->eof : waiting || r->eof)
		begin(player, now);
}

static void release(struct wt_bulk_receiver *r)
{
	struct player *player = r->app;

	wt_host_timer_set(r->server->host, &player->timer, WT_NEVER);
	free(player);
}

static bool adopt(const void *arg, struct wt_bulk_receiver *r, wt_time now)
{
	struct player *player = calloc(1, sizeof(*player));

	if (!player)
		return false;
	player->config = arg;
	player->receiver = r;
	player->timer.fire = on_instant;
	player->timer.arg = player;
	r->app = player;
	if (player->config->start == WT_PLAYBACK_CONNECT)
		begin(player, now);
	return true;
}

static const struct wt_bulk_reader reader = {.adopt = adopt, .on_data = on_data, .release = release};

void wt_playback_serve(const struct wt_playback_config *config, struct wt_bulk_serve_config *serve)
{
	serve->reader = &reader;
	serve->reader_arg = config;
}

void wt_playback_send(const struct wt_playback_config *config, struct wt_bulk_send_config *send)
{
	if (config->source != WT_PLAYBACK_STREAM)
		return;
	send->pace_bytes = config->read;
	send->pace_every = config->interval;
}
