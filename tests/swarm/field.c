/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A field of stations on the air: places or ways, an air of some kind, a routing module, flows. Watched by oracles on the air and in the
 * tables of routes, which share no code with the modules:
 *
 *   books   every node after every step, and those of each station of the air at the end
 *   loops   after every frame, of DSDV and AODV: who follows the ways of all stations to a destination comes to no station twice
 *   hops    a station sends a packet of others with fewer hops to live than it had when it came there: none lives longer than its TTL
 *   twins   the same run without audits has the same digest, and with ties reversed it keeps the same rules
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/daemon/options.h"
#include "stack/mesh/mesh.h"
#include "stack/mesh/routing.h"
#include "stack/wire/ethernet.h"
#include "tests/swarm/swarm.h"
#include "tools/app/simulation.h"

enum { STATIONS = 16, TRACKS = 1 << 17, FLOWS = 5 };
/* Elements that a cut leaves out: a word of the air, the parameters of the routing, movement, three quarters of the time, a flow each. */
enum { MORE, PARAMETERS, MOVEMENT, TIME, FLOW, ELEMENTS = FLOW + FLOWS };

/* A packet as a station has seen it: the most hops it had left when it came. */
struct track {
	uint32_t src, dst;
	uint16_t id;
	uint8_t station, ttl;
	bool used;
};

static struct field {
	struct wt_air_sink sink; /* first */
	struct wt_network *net;
	unsigned stations;
	bool ordered;
	uint64_t written; /* routes, when loops were looked for */
	uint64_t hops;    /* of packets that were sent on */
	struct track *track;
	char words[2048], wrong[400];
} field;

/* ---- what is drawn ------------------------------------------------------------------------------------------- */

static bool left_out(uint64_t without, unsigned element)
{
	return without >> element & 1;
}

static void draw_air(struct draw *draw, uint64_t without, bool *walk)
{
	char *words = field.words;
	const char *rate = PICK(draw, "rate = 1Mbit", "rate = 2Mbit", "rate = 11Mbit", "rate = 54Mbit\nbasic = 24Mbit");
	const char *more = PICK(draw, "", "", "", "rts = never", "capture = off", "eifs = no", "purge = yes", "queue = 5", "retries = 2 1");
	const char *routing = PICK(draw, "aodv", "aodv:hello=on", "aodv:weight=on", "aodv:again-threshold=on,requeue=on", "aodv:repair=off", "dsdv:period=2s,settling=500ms",
				   "dsdv:period=3s,feedback=on", "dsr", "dsr:overhear=off", "olsr:hello=500ms,tc=1s,jitter=100ms,neighbour-hold=2s",
				   "olsr:feedback=on");
	const char *place = PICK(draw, "place = string 240m", "place = grid 4 240m", "place = field 900m 600m", "move = waypoint 700m 500m 1m/s 30m/s 1s",
				 "move = waypoint 1200m 300m 10m/s 40m/s 0s", "move = waypoint 600m 600m 20m/s 60m/s 500ms");
	uint64_t stations = 3 + below(draw, STATIONS - 2);
	int word = (int)(left_out(without, PARAMETERS) ? strcspn(routing, ":") : strlen(routing));

	if (left_out(without, MORE))
		more = "";
	*walk = !strncmp(place, "move", 4);
	if (*walk && left_out(without, MOVEMENT))
		place = "place = grid 4 240m";
	field.stations = (unsigned)stations;
	field.ordered = !strncmp(routing, "aodv", 4) || !strncmp(routing, "dsdv", 4);
	append(words, sizeof(field.words), "[air]\n%s\n%s\nrouting = %.*s\n[stations n]\ncount = %" PRIu64 "\n%s\n", rate, more, word, routing, stations,
	       place);
}

static void draw_field(uint64_t seed, uint64_t without)
{
	struct draw draw = {wt_key_derive(seed, "field"), 0};
	char *words = field.words;
	uint64_t flows, time;
	bool walk;

	memset(&field, 0, sizeof(field));
	draw_air(&draw, without, &walk);
	time = (walk ? 20 : 8) / (left_out(without, TIME) ? 4 : 1);
	flows = 1 + below(&draw, FLOWS);
	append(words, sizeof(field.words), "[run]\ntime = %" PRIu64 "s\nseed = %" PRIu64 "\n", time, seed);
	for (uint64_t i = 0; i < flows; i++) {
		uint64_t from = below(&draw, field.stations), to = (from + 1 + below(&draw, field.stations - 1)) % field.stations;
		uint64_t start = below(&draw, 3000);
		const char *app = PICK(&draw, "bulk", "bulk", "cbr:rate=100Kbit,size=512B", "onoff:on=500ms,off=500ms");

		if (left_out(without, FLOW + (unsigned)i))
			continue;
		append(words, sizeof(field.words), "[flow f%" PRIu64 "]\nbetween = n%" PRIu64 " n%" PRIu64 "\nstart = %" PRIu64 "ms\napp = %s\n", i, from, to,
		       start, app);
	}
}

void field_words(uint64_t seed, char *out, size_t len)
{
	draw_field(seed, 0);
	append(out, len, "%s", field.words);
}

/* ---- oracles -------------------------------------------------------------------------------------------------- */

static void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void wrong(const char *format, ...)
{
	va_list ap;

	if (*field.wrong)
		return;
	va_start(ap, format);
	vsnprintf(field.wrong, sizeof(field.wrong), format, ap);
	va_end(ap);
}

static uint32_t number(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Stations have the addresses 10.128.0.1 and so on, in their order, and so have hosts here: there are no others. */
static unsigned station_of(uint32_t address)
{
	return address - number((const uint8_t[]){10, 128, 0, 1});
}

static void look_for_loops(wt_time now)
{
	uint64_t written = 0;

	for (unsigned i = 0; i < field.stations; i++)
		written += wt_mesh_counts(wt_mesh_of(field.net->mesh[i]))->routes_written;
	if (!field.ordered || written == field.written)
		return;
	field.written = written;
	for (unsigned to = 0; to < field.stations; to++)
		for (unsigned from = 0; from < field.stations; from++) {
			const struct wt_mesh_route *route;
			unsigned at = from, steps = 0;

			while (at != to && at < field.stations &&
			       (route = wt_mesh_valid_route(wt_mesh_of(field.net->mesh[at]), now, number((const uint8_t[]){10, 128, 0, 1}) + to))) {
				at = station_of(route->next);
				if (++steps > field.stations) {
					wrong("at %" PRId64 " ns the ways from n%u to n%u lead in a circle, by n%u", now, from, to, at);
					return;
				}
			}
		}
}

static struct track *track_of(const uint8_t *ip, unsigned station)
{
	uint32_t src = number(ip + 12), dst = number(ip + 16), at;
	uint16_t id = (uint16_t)(ip[4] << 8 | ip[5]);

	at = (uint32_t)((src * 2654435761u ^ dst * 40503u ^ id * 2246822519u ^ station * 3266489917u) >> 3) % TRACKS;
	for (unsigned tries = 0; tries < TRACKS; tries++, at = (at + 1) % TRACKS) {
		struct track *track = &field.track[at];

		if (!track->used)
			*track = (struct track){src, dst, id, (uint8_t)station, 0, true};
		if (track->src == src && track->dst == dst && track->id == id && track->station == station)
			return track;
	}
	return NULL;
}

/* The IP header of a packet between two stations, or NULL: messages to all are new ones at each station. */
static const uint8_t *packet_of(const struct wt_air_sending *sending)
{
	const uint8_t *head = sending->frame ? wt_frame_look(sending->frame) : NULL;

	if (!head || (head[0] & 1) || head[12] != 8 || head[13] != 0)
		return NULL;
	return number(head + 14 + 16) == UINT32_MAX ? NULL : head + 14;
}

static void sent(struct wt_air_sink *sink, const struct wt_node *air, const struct wt_air_sending *sending)
{
	const uint8_t *ip = packet_of(sending);
	struct track *track;

	(void)sink;
	(void)air;
	look_for_loops(sending->start);
	if (!ip || station_of(number(ip + 12)) == sending->from)
		return;
	field.hops++;
	track = track_of(ip, sending->from);
	if (track && ip[8] >= track->ttl)
		wrong("at %" PRId64 " ns n%u sends a packet of n%u with %u hops to live, and it came there with %u", sending->start, sending->from,
		      station_of(number(ip + 12)), ip[8], track->ttl);
}

static void heard(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station, const struct wt_air_sending *sending,
		  bool for_it, enum wt_air_end end)
{
	const uint8_t *ip = for_it && end == WT_AIR_RECEIVED ? packet_of(sending) : NULL;
	struct track *track = ip ? track_of(ip, station) : NULL;

	(void)sink;
	(void)air;
	look_for_loops(now);
	if (track && ip[8] > track->ttl)
		track->ttl = ip[8];
}

static void turned(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station, const struct wt_frame *frame,
		   enum wt_air_turn turn)
{
	(void)sink;
	(void)air;
	(void)now;
	(void)station;
	(void)frame;
	(void)turn;
}

static void on_built(void *arg, struct wt_network *net)
{
	(void)arg;
	field.net = net;
	field.written = 0;
	field.sink = (struct wt_air_sink){.sent = sent, .heard = heard, .turned = turned};
	wt_air_set_sink(net->air, &field.sink);
	memset(field.track, 0, TRACKS * sizeof(*field.track));
}

/* ---- a run ---------------------------------------------------------------------------------------------------- */

static int read_field(struct wt_simulation *simulation)
{
	struct wt_options options;
	const struct wt_world_keys keys = {wt_options_of_file, &options};
	char path[] = "/tmp/swarm_field_XXXXXX", err[300] = "";
	int fd = mkstemp(path), error;

	wt_simulation_init(simulation);
	if (fd < 0 || write(fd, field.words, strlen(field.words)) != (ssize_t)strlen(field.words)) {
		wrong("%s is not written", path);
		return -1;
	}
	close(fd);
	wt_options_init(&options, &simulation->world);
	error = wt_world_read(&simulation->world, path, &keys, err, sizeof(err));
	if (!error)
		error = wt_simulation_resolve(simulation, err, sizeof(err));
	if (error)
		wrong("refused: %s", err);
	wt_options_finish(&options);
	unlink(path);
	return error;
}

/* Its digest. */
static uint64_t run_field(enum how how)
{
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	uint64_t digest = 0;
	char err[300];

	if (read_field(&simulation)) {
		wt_simulation_finish(&simulation);
		return 0;
	}
	simulation.digest = true;
	simulation.checked = how == CHECKED;
	simulation.ties_reversed = how == REVERSED;
	simulation.on_built = on_built;
	if (wt_simulation_run(&simulation, &result, err, sizeof(err))) {
		wrong("%s", err);
	} else {
		digest = result.digest;
		if (!wt_air_holds(&simulation.world, result.air))
			wrong("the books of a station do not hold");
		if (result.fail == WT_BULK_MISMATCH)
			wrong("a flow delivered other bytes than were sent");
		wt_simulation_result_finish(&result);
	}
	wt_simulation_finish(&simulation);
	return digest;
}

/* NULL, or what is wrong with it. */
static const char *try(uint64_t seed, uint64_t without, bool verbose)
{
	uint64_t digest;

	draw_field(seed, without);
	if (!strstr(field.words, "[flow"))
		return NULL; /* a world of no flows is refused */
	if (verbose)
		printf("%s", field.words);
	field.track = calloc(TRACKS, sizeof(*field.track));
	if (!field.track)
		return "no memory";
	digest = run_field(CHECKED);
	if (verbose)
		printf("  digest %016" PRIx64 ", %" PRIu64 " sendings of packets of others\n", digest, field.hops);
	if (digest != run_field(PLAIN))
		wrong("the same run without audits differs");
	run_field(REVERSED);
	free(field.track);
	return *field.wrong ? field.wrong : NULL;
}

const char *field_run(uint64_t seed, uint64_t *without, bool cut, bool verbose)
{
	const char *wrong = try(seed, *without, verbose);

	if (!wrong || !cut)
		return wrong;
	for (unsigned i = 0; i < ELEMENTS; i++)
		if (try(seed, *without | (uint64_t)1 << i, false))
			*without |= (uint64_t)1 << i;
	return try(seed, *without, true);
}
