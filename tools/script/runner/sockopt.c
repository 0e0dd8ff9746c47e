/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Socket options on top of the engine's settings. Settings are fixed when a connection is made, so those options
 * can be set before listen() or connect() only; what the sockets layer itself does (SO_LINGER) can be set always.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "tools/script/runner/world.h"

/* The number in [N], or N itself. */
static bool number_of(const struct wt_script_value *value, int64_t *out)
{
	if (value->kind == WT_SV_LIST && value->count == 1)
		value = &value->items[0];
	*out = value->number;
	return value->kind == WT_SV_NUMBER;
}

/* The setting an option stands for, with the factor to the setting's unit; NULL: none. */
static uint64_t *setting_of(struct wt_script_socket *socket, int64_t level, int64_t name)
{
	struct wt_tcp_settings *settings = &socket->config.settings;

	if (level == SOL_SOCKET)
		return name == SO_RCVBUF ? &settings->rcv_buffer : name == SO_SNDBUF ? &settings->snd_buffer : NULL;
	if (level == IPPROTO_TCP)
		return name == TCP_NODELAY ? &settings->nagle : name == TCP_MAXSEG ? &settings->mss : NULL;
	return NULL;
}

static void update_keepalive(struct wt_script_socket *socket)
{
	socket->config.settings.keepalive = socket->keepalive ? (wt_time)socket->keepidle_s * WT_S : 0;
}

static int set_linger(struct wt_script_socket *socket, const struct wt_script_value *value)
{
	int64_t on = 0, seconds = 0;

	if (value->kind != WT_SV_STRUCT)
		return -EINVAL;
	for (unsigned i = 0; i < value->count; i++) {
		if (!strcmp(value->items[i].text, "onoff") || !strcmp(value->items[i].text, "l_onoff"))
			on = value->items[i].number;
		else
			seconds = value->items[i].number;
	}
	socket->linger_abort = on && !seconds;
	return on && seconds ? -EOPNOTSUPP : 0;
}

int wt_script_setsockopt(struct wt_script_socket *socket, const struct wt_script_call *call, char *why, size_t len)
{
	int64_t level = call->arguments[1].number, name = call->arguments[2].number, number = 0;
	const struct wt_script_value *value = &call->arguments[3];
	uint64_t *setting = setting_of(socket, level, name);

	if (level == SOL_SOCKET && name == SO_LINGER)
		return set_linger(socket, value);
	if (level == SOL_SOCKET && name == SO_REUSEADDR)
		return 0;
	if (socket->tcp) {
		snprintf(why, len, "this option can only be set before listen() or connect()");
		return 1;
	}
	if (level == IPPROTO_TCP && name == TCP_CONGESTION && value->kind == WT_SV_STRING)
		return wt_sender_choose(value->text, &socket->config.sender, why, len) ? -ENOENT : 0;
	if (!number_of(value, &number) || number < 0)
		return -EINVAL;
	if (level == SOL_SOCKET && name == SO_KEEPALIVE) {
		socket->keepalive = number != 0;
		update_keepalive(socket);
	} else if (level == IPPROTO_TCP && name == TCP_KEEPIDLE) {
		socket->keepidle_s = (uint64_t)number;
		update_keepalive(socket);
	} else if (setting) {
		*setting = name == TCP_NODELAY && level == IPPROTO_TCP ? number == 0 : (uint64_t)number;
	} else {
		return -ENOPROTOOPT;
	}
	return 0;
}

static int compare(int64_t is, const struct wt_script_value *value, char *why, size_t len)
{
	int64_t expected;

	if (value->kind == WT_SV_ANY || (number_of(value, &expected) && expected == is))
		return 0;
	snprintf(why, len, "the option's value is %lld", (long long)is);
	return 1;
}

int wt_script_getsockopt(struct wt_script_socket *socket, const struct wt_script_call *call, char *why, size_t len)
{
	int64_t level = call->arguments[1].number, name = call->arguments[2].number;
	const struct wt_script_value *value = &call->arguments[3];
	const uint64_t *setting = setting_of(socket, level, name);
	struct wt_tcp_info info;

	if (level == SOL_SOCKET && name == SO_ERROR)
		return compare(socket->tcp && !socket->listening ? -wt_tcp_error(socket->tcp) : 0, value, why, len);
	if (level == IPPROTO_TCP && name == TCP_CONGESTION) {
		const char *sender = socket->config.sender.ops->name;

		if (value->kind == WT_SV_ANY || (value->kind == WT_SV_STRING && !strcmp(value->text, sender)))
			return 0;
		snprintf(why, len, "the option's value is \"%s\"", sender);
		return 1;
	}
	if (level == IPPROTO_TCP && name == TCP_MAXSEG && socket->tcp && !socket->listening) {
		wt_tcp_info(socket->tcp, &info);
		return compare(info.snd_mss, value, why, len);
	}
	if (!setting)
		return -ENOPROTOOPT;
	return compare(name == TCP_NODELAY && level == IPPROTO_TCP ? !*setting : (int64_t)*setting, value, why, len);
}
