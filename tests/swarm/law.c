/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path alone: one or two stages, some thousand frames of no host at random times, and arithmetic of our own that says when each has to
 * leave, or how many may be missing. What docs/emulation-model.md promises to the nanosecond is compared to the nanosecond; shares within
 * six standard deviations.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/world/link.h"
#include "stack/wire/ipv4.h"
#include "tests/end_node.h"
#include "tests/swarm/swarm.h"

__extension__ typedef __int128 wide; /* tokens of an hour do not fit into 64 bits */

enum { FRAMES = 1500, ETH = 14, UDP = 17, TTL = 40 };

enum kind { DELAY, RATE, BUCKET, LOSS, LIST, ELLIOTT, GILBERT, OUTAGE, CORRUPT, DUPLICATE, REORDER, HOPS, MTU, JITTER, CODEL, MARKS, CHANGE, KINDS };

struct sent {
	wt_time at, left; /* left: of the first copy; 0: not */
	uint32_t len;
	unsigned copies;
	bool damaged;
	unsigned pieces;
	uint32_t bytes; /* of all pieces */
};

struct law {
	struct wt_node source, end; /* of the graph */
	struct wt_pool *pool;
	struct draw draw;
	enum kind kind;
	char words[200], other[200];
	uint64_t a, b, c; /* values of the words */
	unsigned next, order;
	wt_time when;
	bool disorder, answered;
	uint64_t marked;
	struct sent sent[FRAMES];
	char wrong[240];
};

static struct law law;

static void wrong(const char *format, uint64_t a, uint64_t b, uint64_t c)
{
	if (!*law.wrong)
		snprintf(law.wrong, sizeof(law.wrong), format, a, b, c);
}

/* ---- frames --------------------------------------------------------------------------------------------------- */

/* What stands in a packet from its IP header on: another text for each number, but for the first 28 bytes. */
static const uint8_t *text(unsigned number)
{
	static uint8_t bytes[4096];

	for (unsigned i = 0; i < sizeof(bytes) && !bytes[1]; i++)
		bytes[sizeof(bytes) - 1 - i] = octet(0, 0, i) | 1u;
	return bytes + number % 2000;
}

/* Bytes that say which frame it is, and a checksum of nothing: UDP over IPv4, without a checksum of its own. */
static struct wt_frame *make(unsigned number, uint32_t len)
{
	struct wt_frame *frame = wt_frame_new(law.pool);
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 0, 0, 1), .dst = wt_addr_ipv4(10, 0, 0, 2), .id = (uint16_t)number,
			     .total_len = (uint16_t)(len - ETH), .ttl = TTL, .protocol = UDP, .tos = law.kind == MARKS ? 2 : 0};

	memset(wt_frame_own_bytes(frame), 0, len);
	wt_frame_own_bytes(frame)[12] = 8;
	wt_ipv4_emit(wt_frame_own_bytes(frame) + ETH, &ip);
	memcpy(wt_frame_own_bytes(frame) + ETH + 28, text(number) + 28, len - ETH - 28);
	frame->len = len;
	frame->csum = WT_CSUM_VALID;
	return frame;
}

static wt_time source_deadline(const struct wt_node *node)
{
	(void)node;
	return law.next < FRAMES ? law.when : WT_NEVER;
}

static struct wt_frame *source_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct sent *sent = &law.sent[law.next];
	uint64_t gap = law.kind == RATE || law.kind == BUCKET || law.kind == CODEL || law.kind == MARKS ? 2200000 : 400000;

	if (law.next == FRAMES || law.when > now)
		return NULL;
	*sent = (struct sent){.at = now, .len = (uint32_t)(64 + below(&law.draw, 1450))};
	law.when = now + (wt_time)(chance(&law.draw, 20) ? 0 : below(&law.draw, chance(&law.draw, 1) ? 60 * gap : gap));
	if (law.kind == OUTAGE) /* at edges, too */
		law.when += (1000000 - law.when % 1000000) % 1000000;
	node->audit.made++;
	node->audit.out++;
	*port = 0;
	return make(law.next++, sent->len);
}

static void source_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	(void)port;
	(void)now;
	law.answered = true;
	end_node_take(node, frame);
}

static bool header_holds(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static void look(const struct wt_frame *frame, wt_time now)
{
	const uint8_t *ip = wt_frame_look(frame) + ETH;
	unsigned number = (unsigned)ip[4] << 8 | ip[5], fragment = ((unsigned)ip[6] << 8 | ip[7]) & 0x1fff, differ = 0;
	struct sent *sent;

	if (law.kind == CORRUPT && (number >= law.next || !header_holds(ip))) { /* whose it was is not to be known */
		law.marked++;
		return;
	}
	if (number >= law.next) {
		wrong("frame %" PRIu64 " was never sent", number, 0, 0);
		return;
	}
	sent = &law.sent[number];
	if (!header_holds(ip))
		wrong("the IP header of frame %" PRIu64 " has a wrong checksum", number, 0, 0);
	if (law.kind != MTU && memcmp(ip + 28, text(number) + 28, frame->len - ETH - 28))
		for (uint32_t i = 28; i < frame->len - ETH; i++)
			for (unsigned bits = ip[i] ^ text(number)[i]; bits; bits &= bits - 1)
				differ++;
	sent->damaged |= differ != 0;
	law.marked += (ip[1] & 3) == 3;
	sent->pieces++;
	sent->bytes += frame->len - ETH - 20;
	if (law.kind == MTU) {
		if (frame->len - ETH > law.a)
			wrong("a packet of %" PRIu64 " passes an MTU of %" PRIu64, frame->len - ETH, law.a, 0);
		for (uint32_t i = 28; i < frame->len - ETH; i++)
			if (ip[i] != text(number)[8 * fragment + i]) {
				wrong("fragment of %" PRIu64 ": a wrong byte at %" PRIu64, number, i, 0);
				break;
			}
		if ((frame->len - ETH - 20 + 8 * fragment == sent->len - ETH - 20) == !!(ip[6] & 0x20))
			wrong("fragment of %" PRIu64 ": whether more follow is said wrongly", number, 0, 0);
		if (!sent->left)
			sent->left = now;
		sent->copies = 1;
		return;
	}
	if (differ && law.kind != CORRUPT)
		wrong("frame %" PRIu64 " has %" PRIu64 " wrong bits", number, differ, 0);
	if (ip[8] != TTL - (law.kind == HOPS ? law.a : 0))
		wrong("TTL %" PRIu64 " of frame %" PRIu64, ip[8], number, 0);
	if (frame->len != sent->len)
		wrong("frame %" PRIu64 " is %" PRIu64 " bytes long", number, frame->len, 0);
	law.disorder |= number < law.order;
	law.order = number > law.order ? number : law.order;
	if (!sent->copies++)
		sent->left = now;
	else if (sent->left != now)
		wrong("the copy of %" PRIu64 " comes %" PRIu64 " ns later", number, (uint64_t)(now - sent->left), 0);
}

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	(void)port;
	look(frame, now);
	end_node_take(node, frame);
}

/* ---- what must hold ------------------------------------------------------------------------------------------- */

static void near(const char *what, uint64_t found, double share, uint64_t of)
{
	double mean = share * (double)of, room = 6 * sqrt(mean * (1 - share)) + 2;

	if ((double)found > mean + room || (double)found + room < mean)
		if (!*law.wrong)
			snprintf(law.wrong, sizeof(law.wrong), "%s: %" PRIu64 " of %" PRIu64 ", and %.1f +- %.1f were expected", what, found, of, mean, room);
}

static uint64_t missing(void)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < FRAMES; i++)
		count += !law.sent[i].copies;
	return count;
}

/* Each that came was under way for so long. */
static void all_take(wt_time time)
{
	for (unsigned i = 0; i < FRAMES; i++)
		if (law.sent[i].copies && law.sent[i].left - law.sent[i].at != time)
			wrong("frame %" PRIu64 " was under way for %" PRIu64 " ns, not %" PRIu64, i, (uint64_t)(law.sent[i].left - law.sent[i].at), (uint64_t)time);
}

static void all_come(void)
{
	if (missing())
		wrong("%" PRIu64 " frames are missing", missing(), 0, 0);
}

/*
 * A token bucket with a queue: `a` bits a second, `b` bytes deep, `c` bytes of queue, 8 bytes of overhead each. Tokens in units of 1e-9 bit.
 */
static void check_bucket(void)
{
	wide level = (wide)law.b * 8000000000, cost;
	wt_time free_at = 0, last = 0, due;
	unsigned waiting[FRAMES], head = 0, tail = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		struct sent *sent = &law.sent[i];
		bool open;

		while (head < tail && law.sent[waiting[head]].left <= sent->at)
			bytes -= law.sent[waiting[head++]].len;
		cost = (wide)(sent->len + 8) * 8000000000;
		if (head == tail) { /* idle: up to the depth */
			level += (wide)(sent->at - last) * (wide)law.a;
			if (level > (wide)law.b * 8000000000)
				level = (wide)law.b * 8000000000;
			last = sent->at;
		}
		open = head == tail && level >= cost;
		if (!open && bytes + sent->len > law.c) {
			if (sent->copies)
				wrong("frame %" PRIu64 " finds %" PRIu64 " bytes in a queue of %" PRIu64 ", and is not dropped", i, bytes, law.c);
			continue;
		}
		if (!sent->copies) {
			wrong("frame %" PRIu64 " finds %" PRIu64 " bytes in a queue of %" PRIu64 ", and is dropped", i, bytes, law.c);
			return;
		}
		/* its transmission begins when the one before has gone */
		due = head == tail ? sent->at : free_at;
		if (due > last) {
			level += (wide)(due - last) * (wide)law.a;
			last = due;
		}
		if (level < cost) {
			wide wait = (cost - level + (wide)law.a - 1) / (wide)law.a;

			level += wait * (wide)law.a;
			last += (wt_time)wait;
		}
		level -= cost;
		free_at = last;
		if (sent->left != free_at)
			wrong("frame %" PRIu64 " leaves at %" PRIu64 ", and its tokens are complete at %" PRIu64, i, (uint64_t)sent->left, (uint64_t)free_at);
		waiting[tail++] = i;
		bytes += sent->len;
	}
}

static void check_outage(void)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		wt_time into = law.sent[i].at - (wt_time)law.c;
		bool out = into >= 0 && into % (wt_time)law.a < (wt_time)law.b;

		if (out == !!law.sent[i].copies)
			wrong("frame %" PRIu64 " came at %" PRIu64 ", an outage is on: %" PRIu64, i, (uint64_t)law.sent[i].at, out);
	}
}

static void check_copies(void)
{
	uint64_t twice = 0, held = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		twice += law.sent[i].copies == 2;
		held += law.sent[i].left - law.sent[i].at == (wt_time)law.b;
		if (law.kind == REORDER && law.sent[i].left != law.sent[i].at && law.sent[i].left - law.sent[i].at != (wt_time)law.b)
			wrong("frame %" PRIu64 " is held for %" PRIu64 " ns, not %" PRIu64, i, (uint64_t)(law.sent[i].left - law.sent[i].at), law.b);
	}
	all_come();
	if (law.kind == DUPLICATE)
		near("frames that came twice", twice, (double)law.a / 100, FRAMES);
	else
		near("frames that were held", held, (double)law.a / 100, FRAMES);
}

/* The link may be idle for no longer than it takes to give a frame; and drops are the discipline's, never of a queue that is short. */
static void check_codel(bool marks)
{
	wt_time busy = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		struct sent *sent = &law.sent[i];
		wt_time wait, own = (wt_time)(sent->len * 8000000000 / law.a);

		if (!sent->copies) {
			if (busy - sent->at < 5 * WT_MS)
				wrong("frame %" PRIu64 " would have waited %" PRIu64 " ns, and is dropped", i, (uint64_t)(busy > sent->at ? busy - sent->at : 0), 0);
			continue;
		}
		wait = sent->left - sent->at;
		if (wait < own || wait > (busy > sent->at ? busy - sent->at : 0) + own + 1000)
			wrong("frame %" PRIu64 " takes %" PRIu64 " ns, by itself %" PRIu64, i, (uint64_t)wait, (uint64_t)own);
		busy = sent->left;
	}
	if (marks && missing())
		wrong("%" PRIu64 " frames are dropped that could have been marked", missing(), 0, 0);
	if (!marks && law.marked)
		wrong("%" PRIu64 " frames are marked, and nobody asked for it", law.marked, 0, 0);
}

static void check_pieces(void)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		uint32_t payload = law.sent[i].len - ETH - 20, each = ((uint32_t)law.a - 20) & ~7u;
		unsigned pieces = law.sent[i].len - ETH > law.a ? (payload + each - 1) / each : 1;

		if (law.sent[i].pieces != pieces || law.sent[i].bytes != payload)
			wrong("frame %" PRIu64 " came in %" PRIu64 " pieces of %" PRIu64 " bytes", i, law.sent[i].pieces, law.sent[i].bytes);
	}
}

static void check_jitter(void)
{
	double sum = 0;

	all_come();
	if (law.disorder)
		wrong("jitter has reordered frames, and the words do not say so", 0, 0, 0);
	for (unsigned i = 0; i < FRAMES; i++)
		sum += (double)(law.sent[i].left - law.sent[i].at);
	if (sum / FRAMES < (double)law.a * 0.99)
		wrong("the mean delay is below %" PRIu64 " ns", law.a, 0, 0);
}

static void check_change(void)
{
	const wt_time change = (wt_time)law.c;
	wt_time free_at = 0, start;
	wide need, rest = 0, portion; /* rest: what flowed in beyond the last frame's cost within its last nanosecond */

	/* the serial line of rate a has another rate, b, from c on: bits that went before then went at the old one */
	for (unsigned i = 0; i < FRAMES; i++) {
		start = law.sent[i].at > free_at ? law.sent[i].at : free_at;
		need = (wide)law.sent[i].len * 8000000000 - (law.sent[i].at > free_at ? 0 : rest);
		portion = (wide)(start < change ? law.a : law.b);
		if (start < change && (wide)(change - start) * portion < need) {
			need -= (wide)(change - start) * portion;
			start = change;
			portion = (wide)law.b;
		}
		free_at = start + (wt_time)((need + portion - 1) / portion);
		rest = (wide)(free_at - start) * portion - need;
		if (law.sent[i].copies && law.sent[i].left != free_at)
			wrong("frame %" PRIu64 " leaves at %" PRIu64 ", by arithmetic at %" PRIu64, i, (uint64_t)law.sent[i].left, (uint64_t)free_at);
	}
	all_come();
}

static void judge(void)
{
	uint64_t damaged = law.marked;

	switch (law.kind) {
	case DELAY: case HOPS:
		all_come();
		all_take(law.kind == DELAY ? (wt_time)law.a : 1000);
		break;
	case RATE: case BUCKET:
		check_bucket();
		break;
	case LOSS:
		near("frames lost", missing(), (double)law.a / 100, FRAMES);
		break;
	case LIST:
		if (missing() != 2 || law.sent[law.a - 1].copies || law.sent[law.b - 1].copies)
			wrong("of the list %" PRIu64 ",%" PRIu64 " other frames are lost (%" PRIu64 ")", law.a, law.b, missing());
		break;
	case ELLIOTT: /* bursts widen the spread: by the mean of one, each way */
		near("frames lost in bursts", missing() / law.b, (double)law.a / 100, FRAMES / law.b);
		break;
	case GILBERT:
		near("frames lost in the only state", missing(), (double)law.a / 100, FRAMES);
		break;
	case OUTAGE:
		check_outage();
		break;
	case CORRUPT:
		for (unsigned i = 0; i < FRAMES; i++)
			damaged += law.sent[i].damaged;
		near("frames damaged", damaged, (double)law.a / 100, FRAMES);
		break;
	case DUPLICATE: case REORDER:
		check_copies();
		break;
	case MTU:
		check_pieces();
		break;
	case JITTER:
		check_jitter();
		break;
	case CODEL: case MARKS:
		check_codel(law.kind == MARKS);
		break;
	case CHANGE:
		check_change();
		break;
	case KINDS:
		break;
	}
}

/* ---- a run ---------------------------------------------------------------------------------------------------- */

static void draw_words(void)
{
	struct draw *draw = &law.draw;
	uint64_t *a = &law.a, *b = &law.b, *c = &law.c;

	*a = 1 + below(draw, 40);
	switch (law.kind) {
	case DELAY:
		append(law.words, sizeof(law.words), "delay %" PRIu64 "ns", *a = below(draw, 50000000));
		break;
	case RATE: case BUCKET: case CODEL: case MARKS: case CHANGE:
		*a = 3000000 + below(draw, 9000000);
		*b = law.kind == BUCKET ? below(draw, 20000) : 0;
		*c = law.kind == CODEL || law.kind == MARKS || law.kind == CHANGE ? 9000000 : 1514 + below(draw, 30000);
		append(law.words, sizeof(law.words), "rate %" PRIu64 "bit burst %" PRIu64 "B limit %" PRIu64 "B%s", *a, *b, *c,
		       law.kind == CODEL ? " queue codel" : law.kind == MARKS ? " queue codel ecn" : law.kind == CHANGE ? "" : " overhead 8B");
		if (law.kind == CHANGE) {
			*b = 3000000 + below(draw, 9000000);
			*c = 1000000 + below(draw, 500000000);
			append(law.other, sizeof(law.other), "rate %" PRIu64 "bit burst 0B limit 9000000B", *b);
		}
		break;
	case LOSS:
		append(law.words, sizeof(law.words), "loss %" PRIu64 "%%", *a);
		break;
	case LIST:
		*b = *a + 2 + below(draw, 1000);
		append(law.words, sizeof(law.words), "loss list %" PRIu64 ",%" PRIu64, *a, *b);
		break;
	case ELLIOTT:
		*b = 2 + below(draw, 3);
		*a = 2 + below(draw, 20);
		append(law.words, sizeof(law.words), "loss elliott mean %" PRIu64 "%% burst %" PRIu64 "packets", *a, *b);
		break;
	case GILBERT: /* it starts in a state that outlasts the run */
		append(law.words, sizeof(law.words), "loss gilbert on 9000h %" PRIu64 "%% off 1ms 100%% start on", *a);
		break;
	case OUTAGE: /* edges where frames are: at whole milliseconds */
		*a = (20 + below(draw, 40)) * 1000000;
		*b = (1 + below(draw, 9)) * 1000000;
		*c = below(draw, 30) * 1000000;
		append(law.words, sizeof(law.words), "outage every %" PRIu64 "ns for %" PRIu64 "ns at %" PRIu64 "ns", *a, *b, *c);
		break;
	case CORRUPT:
		append(law.words, sizeof(law.words), "corrupt %" PRIu64 "%%", *a);
		break;
	case DUPLICATE:
		append(law.words, sizeof(law.words), "duplicate %" PRIu64 "%%", *a);
		break;
	case REORDER:
		*b = 1 + below(draw, 5000000);
		append(law.words, sizeof(law.words), "reorder %" PRIu64 "%% delay %" PRIu64 "ns", *a, *b);
		break;
	case HOPS:
		*a = chance(draw, 30) ? TTL - 1 : 1 + below(draw, TTL - 1);
		if (chance(draw, 20))
			*a = TTL;
		append(law.words, sizeof(law.words), "hops %" PRIu64 " delay 1us", *a);
		break;
	case MTU:
		*a = 300 + below(draw, 1000);
		append(law.words, sizeof(law.words), "mtu %" PRIu64 "B", *a);
		break;
	case JITTER:
		*a = 3000000;
		append(law.words, sizeof(law.words), "delay 3ms jitter pareto 2ms shape 4");
		break;
	default:
		break;
	}
}

static void draw_law(uint64_t seed)
{
	memset(&law, 0, sizeof(law));
	law.draw.key = wt_key_derive(seed, "law");
	law.kind = (enum kind)(seed / 3 % KINDS);
	draw_words();
}

void law_words(uint64_t seed, char *out, size_t len)
{
	draw_law(seed);
	append(out, len, "%d %s|%s|%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", law.kind, law.words, law.other, law.a, law.b, law.c);
}

static void walk(struct wt_link *span, struct wt_graph *graph)
{
	const char *both[2] = {law.other, NULL};
	char err[200];

	if (law.kind == CHANGE) {
		wt_graph_run(graph, (wt_time)law.c);
		if (wt_link_change(span, both, (wt_time)law.c, false, err, sizeof(err)))
			snprintf(law.wrong, sizeof(law.wrong), "the change is refused: %s", err);
	}
	wt_graph_run(graph, 3600 * WT_S);
	if (law.kind == HOPS && law.a == TTL) {
		if (missing() != FRAMES || !law.answered)
			wrong("frames outlive as many routers as they have hops, or nobody is told", 0, 0, 0);
		return;
	}
	judge();
}

const char *law_run(uint64_t seed, bool verbose)
{
	static const struct wt_node_ops source_ops = {.input = source_input, .output = source_output, .deadline = source_deadline};
	static const struct wt_node_ops end_ops = END_NODE_OPS(end_input);
	const char *words[2];
	struct wt_graph *graph = wt_graph_create();
	struct wt_link span;
	char err[200];

	draw_law(seed);
	words[0] = law.words;
	words[1] = "";
	if (verbose)
		printf("  a path alone: %s %s\n", law.words, law.other);
	law.pool = wt_pool_create(20000, 1600);
	law.source = (struct wt_node){.ops = &source_ops, .name = "source", .ports = 1};
	law.end = (struct wt_node){.ops = &end_ops, .name = "end", .ports = 1};
	wt_graph_set_checked(graph, true);
	wt_graph_add(graph, &law.source);
	wt_graph_add(graph, &law.end);
	if (wt_link_init(&span, "main", true, words, seed, NULL, err, sizeof(err)) || wt_link_add(&span, graph)) {
		snprintf(law.wrong, sizeof(law.wrong), "refused: %s", err);
	} else {
		wt_direction_join(&span.way[0], graph, &law.source, 0, &law.end, 0);
		wt_direction_join(&span.way[1], graph, &law.end, 0, &law.source, 0);
		walk(&span, graph);
	}
	wt_graph_destroy(graph);
	wt_link_finish(&span);
	wt_pool_destroy(law.pool);
	return *law.wrong ? law.wrong : NULL;
}
