/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets: what a program has said of a connection, in force at once, and what it reads back. */
#include <errno.h>
#include <string.h>

#include "tools/host/host.h"

#define KEEPIDLE 7200 /* s, tcp(7) */
#define LINGER2 60 /* s, sysctl tcp_fin_timeout */
#define SYN_RETRIES 30 /* the most that the engine counts */

void wt_options_unsaid(int32_t option[WT_HOST_OPTIONS])
{
	for (unsigned i = 0; i < WT_HOST_OPTIONS; i++)
		option[i] = WT_HOST_UNSAID;
}

static bool said(int32_t value)
{
	return value != WT_HOST_UNSAID;
}

bool wt_option_on(int32_t value)
{
	return said(value) && value;
}

/* 0 or EINVAL: the kernel's bounds (tcp(7)). */
static int check(const int32_t option[WT_HOST_OPTIONS])
{
	static const struct {
		enum wt_host_option option;
		int32_t least, most;
	} bound[] = {{WT_HOST_KEEPIDLE, 1, 32767}, {WT_HOST_KEEPINTVL, 1, 32767}, {WT_HOST_KEEPCNT, 1, 127}, {WT_HOST_USER_TIMEOUT, 0, INT32_MAX},
		     {WT_HOST_MAXSEG, 88, 32767}, {WT_HOST_SYNCNT, 1, 127}, {WT_HOST_LINGER2, 0, 120}};

	for (unsigned i = 0; i < sizeof(bound) / sizeof(bound[0]); i++) {
		int32_t value = option[bound[i].option];

		if (said(value) && (value < bound[i].least || value > bound[i].most))
			return EINVAL;
	}
	return 0;
}

static void apply(const int32_t option[WT_HOST_OPTIONS], struct wt_tcp_settings *settings)
{
	if (said(option[WT_HOST_NODELAY]) || said(option[WT_HOST_CORK])) /* a cork holds what Nagle holds, and no more: docs/programs.md */
		settings->nagle = wt_option_on(option[WT_HOST_CORK]) || !wt_option_on(option[WT_HOST_NODELAY]);
	if (said(option[WT_HOST_KEEPINTVL]))
		settings->keepalive_interval = option[WT_HOST_KEEPINTVL] * WT_S;
	if (said(option[WT_HOST_KEEPCNT]))
		settings->keepalive_probes = (uint64_t)option[WT_HOST_KEEPCNT];
	if (said(option[WT_HOST_KEEPALIVE]))
		settings->keepalive = !option[WT_HOST_KEEPALIVE] ? 0 : (said(option[WT_HOST_KEEPIDLE]) ? option[WT_HOST_KEEPIDLE] : KEEPIDLE) * WT_S;
	if (said(option[WT_HOST_SNDBUF]) && option[WT_HOST_SNDBUF] > 0)
		settings->snd_buffer = option[WT_HOST_SNDBUF] < 4096 ? 4096 : (uint64_t)option[WT_HOST_SNDBUF];
	if (said(option[WT_HOST_USER_TIMEOUT]))
		settings->user_timeout = option[WT_HOST_USER_TIMEOUT] * WT_MS;
	if (said(option[WT_HOST_MAXSEG]) && (uint64_t)option[WT_HOST_MAXSEG] < settings->mss)
		settings->mss = (uint64_t)option[WT_HOST_MAXSEG];
	if (said(option[WT_HOST_SYNCNT]))
		settings->syn_retries = option[WT_HOST_SYNCNT] < SYN_RETRIES ? (uint64_t)option[WT_HOST_SYNCNT] : SYN_RETRIES;
	if (said(option[WT_HOST_LINGER2]))
		settings->fin_wait_2 = (option[WT_HOST_LINGER2] ? option[WT_HOST_LINGER2] : LINGER2) * WT_S;
}

int wt_conn_config(const struct wt_daemon *daemon, const struct wt_host_question *question, struct wt_tcp_config *config)
{
	struct wt_tcp_words words = {.sender = question->sender[0] ? question->sender : NULL,
				     .receiver = question->receiver[0] ? question->receiver : NULL};
	char err[400];
	int error = check(question->option);

	*config = daemon->transfer.tcp;
	/* a path would have the daemon load a file that a program names */
	if (strchr(question->sender, '/') || strchr(question->receiver, '/') || wt_tcp_words_apply(&words, config, err, sizeof(err)) < 0)
		return ENOENT;
	if (!error)
		apply(question->option, &config->settings);
	return error;
}

void wt_conn_options(const struct wt_conn *conn, int32_t option[WT_HOST_OPTIONS])
{
	const struct wt_tcp_settings *settings = &wt_tcp_get_config(conn->tcp)->settings;

	memcpy(option, conn->option, sizeof(conn->option));
	if (!said(option[WT_HOST_NODELAY]))
		option[WT_HOST_NODELAY] = !settings->nagle && !wt_option_on(option[WT_HOST_CORK]);
	option[WT_HOST_CORK] = wt_option_on(option[WT_HOST_CORK]);
	option[WT_HOST_KEEPALIVE] = settings->keepalive != 0;
	if (settings->keepalive || !said(option[WT_HOST_KEEPIDLE]))
		option[WT_HOST_KEEPIDLE] = settings->keepalive ? (int32_t)(settings->keepalive / WT_S) : KEEPIDLE;
	option[WT_HOST_KEEPINTVL] = (int32_t)(settings->keepalive_interval / WT_S);
	option[WT_HOST_KEEPCNT] = (int32_t)settings->keepalive_probes;
	option[WT_HOST_USER_TIMEOUT] = (int32_t)(settings->user_timeout / WT_MS);
	option[WT_HOST_SYNCNT] = (int32_t)settings->syn_retries;
	option[WT_HOST_LINGER2] = (int32_t)(settings->fin_wait_2 / WT_S);
}

int wt_conn_set(struct wt_daemon *daemon, struct wt_conn *conn, const int32_t option[WT_HOST_OPTIONS])
{
	struct wt_tcp_settings settings;
	int error;

	if (!conn->tcp)
		return 0; /* ended: nothing will notice */
	error = check(option);
	if (error)
		return error;
	for (unsigned i = 0; i < WT_HOST_OPTIONS; i++)
		if (said(option[i]))
			conn->option[i] = option[i];
	settings = wt_tcp_get_config(conn->tcp)->settings;
	apply(conn->option, &settings);
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	if (wt_tcp_adjust(conn->tcp, &settings))
		return ENOMEM;
	wt_conn_publish(daemon, conn, 0);
	return 0;
}
