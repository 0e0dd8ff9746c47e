/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections: a handle for each, which knows its host, and by that what has to be touched after a call. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cc/choose.h"
#include "cc/module.h"
#include "stack/library/library.h"

struct wt_lib_tcp {
	struct wt_lib_tcp *next, **at; /* in the list of its host */
	struct wt_lib_host *host;
	struct wt_tcp *tcp;
	wt_lib_tcp_callback *callback;
	void *arg;
};

/* A listener's children say what they have before they are accepted: it is nobody's yet. */
static void forward(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_lib_tcp *handle = arg;

	if (handle->tcp == tcp && handle->callback)
		handle->callback(handle->arg, handle, events, now);
}

static struct wt_lib_tcp *make_handle(struct wt_lib_host *host, wt_lib_tcp_callback *callback, void *arg)
{
	struct wt_lib_tcp *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return NULL;
	*handle = (struct wt_lib_tcp){.next = host->tcps, .at = &host->tcps, .host = host, .callback = callback, .arg = arg};
	if (handle->next)
		handle->next->at = &handle->next;
	host->tcps = handle;
	return handle;
}

static void free_handle(struct wt_lib_tcp *handle)
{
	*handle->at = handle->next;
	if (handle->next)
		handle->next->at = handle->at;
	free(handle);
}

void wt_lib_tcps_free(struct wt_lib_tcp *tcps)
{
	struct wt_lib_tcp *next;

	for (; tcps; tcps = next) {
		next = tcps->next;
		wt_tcp_set_callback(tcps->tcp, NULL, NULL);
		free(tcps);
	}
}

/* ---- configuration ------------------------------------------------------------------------------------ */

void wt_lib_tcp_config_init(struct wt_lib_tcp_config *config)
{
	*config = (struct wt_lib_tcp_config){.size = sizeof(*config)};
}

static bool fits(const struct wt_cc_loadable *module)
{
	static const uint32_t size[] = {WT_CC_SHARED(WT_CC_SIZE)};

	return module->abi == WT_CC_ABI && module->sizes == WT_CC_SIZES && memcmp(module->size, size, sizeof(size)) == 0;
}

static int choose(const struct wt_lib_tcp_config *from, struct wt_tcp_config *to, char *err, size_t err_len)
{
	const struct wt_cc_loadable *module = from->module;
	bool sender = from->sender || (module && module->sender);
	int error = 0;

	if (sender && !from->recovery && !(module && module->recovery))
		to->recovery.ops = NULL; /* a sender asked for by name brings its own */
	if (module && module->sender)
		error = wt_sender_take(module->sender, from->preset, from->sender, &to->sender, err, err_len);
	else if (from->sender)
		error = wt_sender_choose_in(from->preset, from->sender, &to->sender, err, err_len);
	if (!error && module && module->recovery)
		error = wt_recovery_take(module->recovery, from->preset, from->recovery, &to->recovery, err, err_len);
	else if (!error && from->recovery)
		error = wt_recovery_choose_in(from->preset, from->recovery, &to->recovery, err, err_len);
	if (!error && module && module->receiver)
		error = wt_receiver_take(module->receiver, from->preset, from->receiver, &to->receiver, err, err_len);
	else if (!error && from->receiver)
		error = wt_receiver_choose_in(from->preset, from->receiver, &to->receiver, err, err_len);
	return error;
}

/* 0, or a positive errno with a sentence. config NULL: all defaults. */
static int read_config(const struct wt_lib_tcp_config *from, struct wt_tcp_config *to, char *err, size_t err_len)
{
	char none[WT_LIB_ERR];
	int error = 0;

	if (!err_len) {
		err = none;
		err_len = sizeof(none);
	}
	wt_tcp_config_init(to);
	if (!from)
		return 0;
	if (from->size < sizeof(*from)) {
		wt_lib_refuse(EINVAL, err, err_len, "the configuration was not made by wt_lib_tcp_config_init()");
		return EINVAL;
	}
	if (from->module && !fits(from->module)) {
		wt_lib_refuse(EINVAL, err, err_len, "the module is built for other headers: this library has ABI %d of congestion modules", WT_CC_ABI);
		return EINVAL;
	}
	if (from->preset)
		error = wt_tcp_preset(from->preset, &to->settings, err, err_len);
	if (!error && from->settings)
		error = wt_param_set_list(wt_tcp_params, wt_tcp_param_count, &to->settings, from->settings, err, err_len);
	if (!error)
		error = choose(from, to, err, err_len);
	return -error;
}

/* ---- opening ------------------------------------------------------------------------------------------ */

/* Configures `inner` for a new handle. NULL with errno. */
static struct wt_lib_tcp *begin(struct wt_lib_host *host, const struct wt_lib_tcp_config *config, struct wt_tcp_config *inner, char *err, size_t err_len)
{
	struct wt_lib_tcp *handle;
	int error = read_config(config, inner, err, err_len);

	if (error) {
		errno = error;
		return NULL;
	}
	handle = make_handle(host, config ? config->callback : NULL, config ? config->arg : NULL);
	if (!handle)
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	inner->callback = forward;
	inner->arg = handle;
	wt_lib_enter(host->graph);
	return handle;
}

static struct wt_lib_tcp *end(struct wt_lib_tcp *handle, struct wt_tcp *tcp, char *err, size_t err_len)
{
	int error = errno;

	handle->tcp = tcp;
	wt_lib_settle(handle->host->graph, wt_host_node(handle->host->host));
	if (tcp)
		return handle;
	free_handle(handle);
	return wt_lib_refuse(error, err, err_len, "%s", strerror(error));
}

struct wt_lib_tcp *wt_lib_tcp_listen(struct wt_lib_host *host, uint16_t port, unsigned backlog, const struct wt_lib_tcp_config *config, char *err,
			       size_t err_len)
{
	struct wt_endpoint local = {.port = port};
	struct wt_tcp_config inner;
	struct wt_lib_tcp *handle = begin(host, config, &inner, err, err_len);

	return handle ? end(handle, wt_tcp_listen(host->host, &local, backlog, &inner), err, err_len) : NULL;
}

struct wt_lib_tcp *wt_lib_tcp_connect(struct wt_lib_host *host, const struct wt_lib_endpoint *remote, const struct wt_lib_tcp_config *config, char *err,
				size_t err_len)
{
	struct wt_endpoint to = {.addr = {.family = remote->addr.family}, .port = remote->port};
	struct wt_tcp_config inner;
	struct wt_lib_tcp *handle = begin(host, config, &inner, err, err_len);

	if (!handle)
		return NULL;
	memcpy(to.addr.bytes, remote->addr.bytes, sizeof(to.addr.bytes));
	return end(handle, wt_tcp_connect(host->host, &to, NULL, &inner, wt_graph_now(host->graph->graph)), err, err_len);
}

struct wt_lib_tcp *wt_lib_tcp_accept(struct wt_lib_tcp *listener, wt_lib_tcp_callback *callback, void *arg)
{
	struct wt_lib_tcp *handle;
	struct wt_tcp *tcp;

	wt_lib_enter(listener->host->graph);
	tcp = wt_tcp_accept(listener->tcp);
	if (!tcp)
		return NULL;
	handle = make_handle(listener->host, callback, arg);
	if (!handle) {
		wt_tcp_abort(tcp);
		errno = ENOMEM;
		return NULL;
	}
	handle->tcp = tcp;
	wt_tcp_set_callback(tcp, forward, handle);
	return handle;
}

void wt_lib_tcp_set_callback(struct wt_lib_tcp *tcp, wt_lib_tcp_callback *callback, void *arg)
{
	tcp->callback = callback;
	tcp->arg = arg;
}

/* ---- use ---------------------------------------------------------------------------------------------- */

static void settle(const struct wt_lib_tcp *tcp)
{
	wt_lib_settle(tcp->host->graph, wt_host_node(tcp->host->host));
}

ssize_t wt_lib_tcp_write(struct wt_lib_tcp *tcp, const void *data, size_t len)
{
	ssize_t n;

	wt_lib_enter(tcp->host->graph);
	n = wt_tcp_write(tcp->tcp, data, len);
	settle(tcp);
	return n;
}

ssize_t wt_lib_tcp_read(struct wt_lib_tcp *tcp, void *data, size_t len)
{
	ssize_t n;

	wt_lib_enter(tcp->host->graph);
	n = wt_tcp_read(tcp->tcp, data, len);
	settle(tcp); /* the window may have opened */
	return n;
}

size_t wt_lib_tcp_readable(const struct wt_lib_tcp *tcp)
{
	return wt_tcp_readable(tcp->tcp);
}

size_t wt_lib_tcp_writable(const struct wt_lib_tcp *tcp)
{
	return wt_tcp_writable(tcp->tcp);
}

int wt_lib_tcp_shutdown(struct wt_lib_tcp *tcp)
{
	int error;

	wt_lib_enter(tcp->host->graph);
	error = wt_tcp_shutdown(tcp->tcp);
	settle(tcp);
	return error;
}

static void give_up(struct wt_lib_tcp *tcp, void (*how)(struct wt_tcp *tcp))
{
	struct wt_lib_host *host = tcp->host;

	wt_lib_enter(host->graph);
	wt_tcp_set_callback(tcp->tcp, NULL, NULL);
	how(tcp->tcp);
	free_handle(tcp);
	wt_lib_settle(host->graph, wt_host_node(host->host));
}

void wt_lib_tcp_close(struct wt_lib_tcp *tcp)
{
	give_up(tcp, wt_tcp_close);
}

void wt_lib_tcp_abort(struct wt_lib_tcp *tcp)
{
	give_up(tcp, wt_tcp_abort);
}

int wt_lib_tcp_error(const struct wt_lib_tcp *tcp)
{
	return wt_tcp_error(tcp->tcp);
}

static struct wt_lib_endpoint outer(const struct wt_endpoint *from)
{
	struct wt_lib_endpoint to = {.addr = {.family = from->addr.family}, .port = from->port};

	memcpy(to.addr.bytes, from->addr.bytes, sizeof(to.addr.bytes));
	return to;
}

int wt_lib_tcp_info(const struct wt_lib_tcp *tcp, struct wt_lib_tcp_info *info)
{
	size_t size = info->size < sizeof(*info) ? info->size : sizeof(*info);
	struct wt_lib_tcp_info all;
	struct wt_tcp_info i;

	if (!size)
		return -EINVAL;
	wt_tcp_info(tcp->tcp, &i);
	all = (struct wt_lib_tcp_info){
		.size = info->size, .state = wt_tcp_state_name(i.state), .local = outer(&i.local), .remote = outer(&i.remote),
		.snd_mss = i.snd_mss, .snd_wnd = i.snd_wnd, .rcv_wnd = i.rcv_wnd,
		.cwnd = i.cwnd, .ssthresh = i.ssthresh, .in_flight = i.in_flight,
		.srtt = i.srtt, .rttvar = i.rttvar, .rto = i.rto, .min_rtt = i.min_rtt,
		.bytes_sent = i.bytes_sent, .bytes_acked = i.bytes_acked, .bytes_received = i.bytes_received,
		.segs_sent = i.segs_sent, .segs_received = i.segs_received, .retransmits_segs = i.retransmits_segs,
		.fast_recoveries = i.fast_recoveries, .timeouts = i.timeouts, .unsent = i.unsent, .unread = i.unread,
		.sender = i.sender, .recovery = i.recovery, .receiver = i.receiver,
	};
	memcpy(info, &all, size);
	return 0;
}
