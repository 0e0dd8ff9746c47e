/* SPDX-License-Identifier: BSD-2-Clause */
/* What the watch shares: frames become segments of a connection; and the intervals it keeps. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/swarm/watch.h"

enum { ETH = 14, IP = 20, CLIENT_PORT = 20001, FRAMES_MOST = 400000, CHUNK = 4096, RECORD = 64, CONNECTION = 8192 };

void watch_fault(struct watch *watch, const struct conn *conn, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fault(watch->run, "%s of flow %d at %.9f s: %s", watch->side ? "server" : "client", (int)(conn - watch->conn), (double)watch->now / 1e9, text);
}

/* ---- intervals ------------------------------------------------------------------------------------------------ */

void spans_add(struct spans *spans, uint64_t from, uint64_t to)
{
	unsigned i = 0, k;

	if (from >= to)
		return;
	while (i < spans->n && spans->at[i].to < from)
		i++;
	for (k = i; k < spans->n && spans->at[k].from <= to; k++) {
		from = spans->at[k].from < from ? spans->at[k].from : from;
		to = spans->at[k].to > to ? spans->at[k].to : to;
	}
	if (k == i && spans->n == SPANS) {
		spans->full = true;
		return;
	}
	memmove(&spans->at[i + 1], &spans->at[k], (spans->n - k) * sizeof(spans->at[0]));
	spans->n = spans->n - (k - i) + 1;
	spans->at[i].from = from;
	spans->at[i].to = to;
}

void spans_trim(struct spans *spans, uint64_t below)
{
	unsigned gone = 0;

	while (gone < spans->n && spans->at[gone].to <= below)
		gone++;
	memmove(&spans->at[0], &spans->at[gone], (spans->n - gone) * sizeof(spans->at[0]));
	spans->n -= gone;
	if (spans->n && spans->at[0].from < below)
		spans->at[0].from = below;
}

bool spans_cover(const struct spans *spans, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < spans->n; i++)
		if (spans->at[i].from <= from && to <= spans->at[i].to)
			return true;
	return false;
}

bool spans_touch(const struct spans *spans, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < spans->n; i++)
		if (spans->at[i].from < to && from < spans->at[i].to)
			return true;
	return false;
}

uint64_t spans_bytes(const struct spans *spans)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < spans->n; i++)
		sum += spans->at[i].to - spans->at[i].from;
	return sum;
}

struct piece *watch_piece(struct conn *conn, unsigned i)
{
	return &conn->piece[(conn->first + i) % FLIGHT];
}

/* ---- frames --------------------------------------------------------------------------------------------------- */

static uint16_t sum(const uint8_t *data, uint32_t len, uint32_t start)
{
	for (uint32_t i = 0; i < len; i++)
		start += i % 2 ? data[i] : (uint32_t)data[i] << 8;
	while (start >> 16)
		start = (start & 0xffff) + (start >> 16);
	return (uint16_t)start;
}

/* Is it a whole, undamaged TCP segment in IPv4? */
static bool read_segment(const struct watch *watch, const struct wt_frame *frame, unsigned port, struct seen *seen)
{
	const uint8_t *ip = wt_frame_look(frame) + ETH, *tcp = ip + IP;
	uint32_t total, len, pseudo;

	if (frame->len < ETH + IP + 20 || wt_frame_look(frame)[12] != 8 || wt_frame_look(frame)[13] || ip[0] != 0x45 || ip[9] != 6 || (ip[6] & 0x3f) || ip[7])
		return false;
	total = (uint32_t)ip[2] << 8 | ip[3];
	if (total > frame->len - ETH || total < IP + 20)
		return false;
	len = total - IP;
	if (frame->csum == WT_CSUM_NONE) {
		pseudo = sum(ip + 12, 8, 6 + len);
		if (sum(ip, IP, 0) != 0xffff || sum(tcp, len, pseudo) != 0xffff)
			return false;
	}
	if (port && memcmp(ip + 16, watch->run->world.host[watch->side].address.bytes, 4))
		return false;
	if (!wt_tcp_parse(tcp, len, &seen->tcp))
		return false;
	seen->ecn = ip[1] & 3;
	seen->payload = tcp + seen->tcp.header_len;
	seen->len = len - seen->tcp.header_len;
	return true;
}

/* --log: a line of each segment. */
static void tell(const struct watch *watch, const struct conn *conn, unsigned port, const struct seen *seen)
{
	const struct wt_tcp_header *tcp = &seen->tcp;
	wt_seq seq = tcp->seq - (port ? conn->irs : conn->iss), ack = tcp->ack - (port ? conn->iss : conn->irs);
	char flags[12] = "";

	for (unsigned i = 0; i < 8; i++)
		append(flags, sizeof(flags), "%.*s", tcp->flags >> i & 1, &"FSRPAUEC"[i]);
	printf("%12.9f %s %d %s %-4s %u:%u ack %u win %u", (double)seen->now / 1e9, watch->side ? "server" : "client", (int)(conn - watch->conn),
	       port ? "<" : ">", flags, seq, seq + seen->len, ack, tcp->window);
	for (unsigned i = 0; i < tcp->sack_count; i++)
		printf(" sack %u-%u", tcp->sack[i].start - (port ? conn->iss : conn->irs), tcp->sack[i].end - (port ? conn->iss : conn->irs));
	if (tcp->has_ts)
		printf(" ts %u %u", tcp->tsval, tcp->tsecr);
	printf("\n");
}

/*
 * What a host may hold: its state before any connection, and for each a chunk for each 4 KiB of what is not acknowledged, not read or above
 * a hole, with what stands over at the ends of each interval; records of the flight and intervals, in tables that double.
 */
static void check_memory(struct watch *watch)
{
	struct run *run = watch->run;
	uint64_t most = run->memory[watch->side] + BLOCKS, held = wt_host_memory(run->net.host[watch->side]);

	for (unsigned i = 0; i < run->plan->flows; i++) {
		struct conn *conn = &watch->conn[i];
		const struct app *app = app_of(watch, conn);
		uint64_t bytes = spans_bytes(&conn->waiting);

		if (conn->off || app->over || conn->waiting.full)
			return;
		conn->count_most = conn->count > conn->count_most ? conn->count : conn->count_most;
		bytes += app->written + 1 > conn->una ? app->written + 1 - conn->una : 0;
		bytes += conn->next > 1 + app->got ? conn->next - 1 - app->got : 0;
		most += bytes + (uint64_t)CHUNK * 2 * (conn->waiting.n + 3) + RECORD * 2 * (uint64_t)conn->count_most + CONNECTION;
	}
	if (held > most)
		fault(run, "host %s holds %" PRIu64 " bytes, and has reason for %" PRIu64, run->world.host[watch->side].name, held, most);
}

static void see(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct watch *watch = (struct watch *)observer;
	struct seen seen = {.now = now};
	struct conn *conn;
	unsigned client;

	watch->now = now;
	if (++watch->frames > watch->frames_most)
		fault(watch->run, "%u frames at host %s: they go to and fro and bring nothing", watch->frames, watch->run->world.host[watch->side].name);
	for (unsigned i = 0; i < watch->run->plan->flows; i++)
		if (port || watch->conn[i].owed < now)
			watch_overdue(watch, &watch->conn[i], now);
	if (watch->frames % 16 == 0)
		check_memory(watch);
	if (!read_segment(watch, frame, port, &seen)) {
		if (port && frame->len > ETH + IP && wt_frame_own_bytes(frame)[ETH + 9] == 1)
			watch->repath = true;
		return;
	}
	client = ((watch->side == 0) == (port == 0) ? seen.tcp.src_port : seen.tcp.dst_port) - CLIENT_PORT;
	if (client >= watch->run->plan->flows)
		return;
	conn = watch->last = &watch->conn[client];
	if (watch->run->plan->log)
		tell(watch, conn, port, &seen);
	if (port)
		watch_in(watch, conn, &seen);
	else
		watch_out(watch, conn, &seen);
}

struct watch *watch_new(struct run *run, unsigned side)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	wt_observer_init(&watch->observer, side ? "watch.b" : "watch.a", see);
	watch->run = run;
	watch->side = side;
	watch->frames_most = FRAMES_MOST;
	for (unsigned i = 0; i < run->plan->flows; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct habits *habits = &run->plan->habits[i][k];

			watch->frames_most += habits->chunk ? (unsigned)(8 * habits->bytes / habits->chunk) : 0; /* of small writes one each */
		}
	for (unsigned i = 0; i < FLOWS_MAX; i++)
		watch->conn[i].owed = watch->conn[i].oldest = WT_NEVER;
	return watch;
}

struct wt_node *watch_node(struct watch *watch)
{
	return &watch->observer.node;
}

void watch_number(struct watch *watch, unsigned flow, uint32_t number)
{
	watch->conn[flow].number = number;
}

void watch_rest(struct watch *watch, wt_time now)
{
	watch->now = now;
	for (unsigned i = 0; i < watch->run->plan->flows; i++)
		watch_overdue(watch, &watch->conn[i], now);
}

bool watch_gave_up(const struct watch *watch)
{
	for (unsigned i = 0; i < watch->run->plan->flows; i++)
		if (watch->conn[i].rtos >= settings_of(watch)->data_retries)
			return true;
	return false;
}
