/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/world_host.h"

#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/router/router.h"
#include "stack/mesh/mesh.h"
#include "emu/world/build.h"
#include "stack/drive/rloop.h"
#include "tools/app/bulk_json.h"
#include "tools/app/flow_run.h"
#include "tools/common/cli.h"
#include "tools/common/labs.h"

#define FRAMES 16384 /* the most an engine holds: its send buffers live elsewhere, frames only pass */

struct station {
	struct wt_world *world;
	unsigned host;
	struct wt_world wire; /* the engine and its port, joined by an ideal wire */
	struct wt_network net;
	struct ev_loop *ev;
	struct wt_rloop *rloop;
	struct wt_flow_run flows;
	ev_timer at_end;
	ev_signal on_cut;
	wt_time end; /* of the run, on our clock */
	wt_time base; /* scenario time 0 on our clock */
	FILE *out;
	bool told;
};

bool wt_world_host_peer(const struct wt_world *world, unsigned index, struct wt_addr *addr, struct wt_mac *mac)
{
	const struct wt_world_host *host = &world->host[index];
	unsigned link = 0;
	struct wt_world_end next = wt_world_next(world, index, &link);

	if (host->station) {
		*addr = wt_world_air_gateway();
		*mac = wt_mesh_mac(&host->address, 0);
	} else if (next.router) {
		*addr = host->gateway[WT_FAMILY_IPV4];
		*mac = wt_router_mac(next.index, wt_world_router_port(world, next.index, link));
	} else {
		*addr = world->host[next.index].address;
		*mac = world->host[next.index].mac;
	}
	return host->station || next.router;
}

int wt_world_host_await(int talk, int64_t *at)
{
	return write(talk, "", 1) == 1 && read(talk, at, sizeof(*at)) == sizeof(*at) ? 0 : -ETIMEDOUT;
}

/* The engine has the host's addresses; what it may know of others is who is at the other end of its link. */
static int describe(struct station *station, char *err, size_t err_len)
{
	const struct wt_world_host *host = &station->world->host[station->host];
	struct wt_world_host *here, *there;

	wt_world_init(&station->wire);
	snprintf(err, err_len, "out of memory");
	if (!wt_world_add_host(&station->wire, host->name) || !wt_world_add_host(&station->wire, "wire"))
		return -ENOMEM;
	here = &station->wire.host[0];
	there = &station->wire.host[1];
	here->placement = WT_INSIDE;
	here->address = host->address;
	here->prefix_len = host->prefix_len;
	here->mac = host->mac;
	here->mtu = host->mtu;
	here->numbered = there->numbered = true;
	if (wt_world_host_peer(station->world, station->host, &there->address, &there->mac))
		here->gateway[WT_FAMILY_IPV4] = there->address;
	if (wt_world_place(there, WT_OUTSIDE, "packet:" WT_LAB_INTERFACE, err, err_len))
		return -EINVAL;
	return wt_world_check(&station->wire, err, err_len);
}

static int open_station(struct station *station, char *err, size_t err_len)
{
	const struct wt_world_build build = {.frames = FRAMES, .gather = true, .stamps = WT_STAMPS_READ};
	int error = describe(station, err, err_len);

	if (!error)
		error = wt_network_open(&station->net, &station->wire, &build, err, err_len);
	if (error)
		return error;
	snprintf(err, err_len, "out of memory or descriptors");
	station->ev = ev_loop_new(EVFLAG_AUTO);
	station->rloop = station->ev ? wt_rloop_create(station->net.graph, station->ev) : NULL;
	error = station->rloop ? wt_network_join(&station->net, NULL) : -ENOMEM;
	return error ? error : wt_rloop_add_port(station->rloop, station->net.port[1]);
}

/* Times of the file become times of our clock, and back. */
static void shift(struct wt_world *world, wt_time base)
{
	for (unsigned i = 0; i < world->flows; i++) {
		world->flow[i].start += base;
		if (world->flow[i].stop)
			world->flow[i].stop += base;
	}
}

/* What this host knows of a flow: all of one of TCP that begins here, and its end of one of datagrams. */
static void tell_flow(struct station *station, unsigned i)
{
	const struct wt_world_flow *flow = &station->world->flow[i];
	bool sends = flow->host[0] == station->host, receives = flow->host[1] == station->host;
	bool datagrams = station->flows.flow[i].datagrams;
	struct wt_cbr_report report;
	struct wt_json json;

	if (!sends && !(receives && datagrams))
		return;
	if (datagrams && receives)
		report = wt_cbr_report_of(&station->flows.datagram_sink[i]);
	wt_json_init(&json, station->out);
	wt_json_object(&json, NULL);
	wt_json_u64(&json, "flow", i);
	wt_flow_json(&json, station->world, i);
	if (datagrams)
		wt_cbr_json(&json, sends ? &station->flows.datagram_sender[i] : NULL, receives ? &report : NULL);
	else
		wt_bulk_json(&json, &station->flows.sender[i]);
	wt_json_u64(&json, sends ? "kernel_drops" : "kernel_drops_b", station->net.port[1]->kernel_drops);
	wt_json_end(&json);
}

/* The lines of the flows that begin here, and of datagrams that come here. Once. */
static void tell(struct station *station)
{
	struct wt_world *world = station->world;

	if (station->told)
		return;
	station->told = true;
	wt_flow_run_cut(&station->flows, station->end && station->end < wt_rloop_clock(station->rloop) ? station->end :
					 wt_rloop_clock(station->rloop));
	wt_port_refresh(station->net.port[1]);
	shift(world, -station->base);
	for (unsigned i = 0; i < world->flows; i++)
		tell_flow(station, i);
	fprintf(station->out, "done\n");
	fflush(station->out);
}

static void on_over(void *arg)
{
	tell(arg);
}

static void on_error(void *arg, const char *sentence)
{
	wt_fail(WT_EXIT_CONNECTION, "%s", sentence);
}

/* The loop counts from when it last looked at the clock: what is missing is waited for. */
static void on_end(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct station *station = watcher->data;
	wt_time now = wt_rloop_catch_up(station->rloop), left = station->end - now;

	if (left <= 0) {
		tell(station);
		return;
	}
	ev_now_update(ev);
	ev_timer_set(watcher, (double)left / 1e9, 0.);
	ev_timer_start(ev, watcher);
}

/* The run was interrupted: its end is now. */
static void on_cut(struct ev_loop *ev, ev_signal *watcher, int events)
{
	struct station *station = watcher->data;

	wt_rloop_catch_up(station->rloop);
	tell(station);
}

static int start(struct station *station, struct wt_world *world, const struct wt_app_flow *flow, int64_t at, char *err, size_t err_len)
{
	struct wt_host **host = calloc(world->hosts, sizeof(*host));
	wt_time now = wt_rloop_clock(station->rloop);
	int error;

	if (!host)
		return -ENOMEM;
	station->base = (wt_time)(at - wt_rloop_epoch(station->rloop));
	if (station->base < now) {
		free(host);
		snprintf(err, err_len, "host %s was not ready in time", world->host[station->host].name);
		return -ETIMEDOUT;
	}
	shift(world, station->base);
	station->end = station->base + (world->time ? world->time : world->limit);
	host[station->host] = station->net.host[0];
	station->flows = (struct wt_flow_run){.world = world, .flow = flow, .host = host, .seed = world->seed,
					      .epoch = wt_rloop_epoch(station->rloop), .on_over = on_over,
					      .on_error = on_error, .arg = station};
	error = wt_flow_run_start(&station->flows, now, err, err_len);
	wt_graph_touch(station->net.graph, wt_host_node(station->net.host[0]));
	wt_rloop_kick(station->rloop);
	if (!error && !station->flows.senders && !station->flows.receivers)
		tell(station);
	return error;
}

int wt_world_host_run(struct wt_world *world, const struct wt_app_flow *flow, unsigned host, int talk, int out)
{
	struct station station = {.world = world, .host = host, .out = fdopen(out, "w")};
	char err[400] = "out of memory";
	int error = station.out ? open_station(&station, err, sizeof(err)) : -ENOMEM;
	int64_t at = 0;

	if (!error && (error = wt_world_host_await(talk, &at)) != 0)
		snprintf(err, sizeof(err), "the program that started this host ended before the run began");
	if (!error)
		error = start(&station, world, flow, at, err, sizeof(err));
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	ev_timer_init(&station.at_end, on_end, (double)(station.end - wt_rloop_clock(station.rloop)) / 1e9, 0.);
	station.at_end.data = &station;
	ev_timer_start(station.ev, &station.at_end);
	ev_signal_init(&station.on_cut, on_cut, SIGUSR1);
	station.on_cut.data = &station;
	ev_signal_start(station.ev, &station.on_cut);
	ev_run(station.ev, 0); /* until it is ended from outside */
	return WT_EXIT_OK;
}
