/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slow start, congestion avoidance and the halved threshold (RFC 5681 3.1), for the sender modules that share them.
 *
 * ACK division (Savage et al. 1999) gains nothing: slow start adds what was acknowledged, congestion avoidance
 * counts acknowledged bytes, not ACKs.
 */
#ifndef WT_CC_SHARED_AIMD_H
#define WT_CC_SHARED_AIMD_H

#include "cc/cc.h"

enum wt_aimd_growth {
	WT_AIMD_BYTES, /* one MSS per cwnd bytes acknowledged (RFC 5681 3.1, RFC 3465) */
	WT_AIMD_ACKS,  /* MSS*MSS/cwnd per ACK of at least one MSS (RFC 5681 equation 3) */
	WT_AIMD_EVERY, /* MSS*MSS/cwnd, or MSS in slow start, per ACK of new data, whatever it covers and whatever is in flight (4.3BSD) */
};

enum wt_aimd_halve {
	WT_AIMD_FLIGHT, /* half of FlightSize, once per loss (RFC 5681 equation 4) */
	WT_AIMD_WINDOW, /* half of min(cwnd, peer's window), at every timeout again (4.3BSD) */
};

enum wt_aimd_unit {
	WT_AIMD_UNIT_BYTES,
	WT_AIMD_UNIT_SEGMENTS, /* ssthresh is rounded down to whole segments (ns-2, whose windows count packets) */
};

enum wt_aimd_equal {
	WT_AIMD_EQUAL_AVOIDANCE,
	WT_AIMD_EQUAL_SLOW_START, /* RFC 5681 3.1 allows either; Linux up to 3.x, and so ns-2's Linux agents */
};

/*
 * ns2 is that of ns-2's own agents. Its Linux agents differ in where slow start ends; modules that have no profile follow them if the
 * stack's setting `packets` says so.
 */
enum wt_aimd_profile { WT_AIMD_RFC5681, WT_AIMD_XKERNEL, WT_AIMD_NS2 };

struct wt_aimd_params {
	uint64_t growth, slow_start_limit, halve, unit, equal, cwnd_max;
	uint64_t profile, deflate; /* of the modules that have WT_AIMD_PROFILE_ROW, and of reno alone */
};

/* Growth that is not yet a step. */
struct wt_aimd_part {
	uint32_t counted; /* bytes acknowledged towards the next step */
	uint64_t rest;    /* growth by ACKs: what division by cwnd left over of MSS*MSS */
	double carry;     /* wt_aimd_add(): bytes of growth that are not yet a whole byte */
};

struct wt_aimd {
	struct wt_aimd_params params;
	uint32_t mss, limit; /* limit: segments that an ACK may add in slow start */
	bool mss8;
	struct wt_aimd_part part, prior_part;
	uint32_t prior_cwnd, prior_ssthresh; /* these three are of before the last loss; 0: nothing to undo */
};

extern const struct wt_aimd_params wt_aimd_default;
/* The presets of reno and tahoe: "rfc5681", which is the default, "xkernel", the 4.3BSD TCP of the x-kernel 3.2 and 3.3, and "ns2". */
extern const struct wt_cc_preset wt_aimd_presets[], wt_tahoe_presets[];

extern const char *const wt_aimd_growth_words[];
extern const char *const wt_aimd_halve_words[];
extern const char *const wt_aimd_unit_words[];
extern const char *const wt_aimd_equal_words[];
extern const char *const wt_aimd_profile_words[];

/* Rows of a parameter table; `base` is the offset of the struct wt_aimd_params in the module's own struct. */
#define WT_AIMD_PARAM_ROWS(base)                                                                   \
	{"growth", WT_PARAM_WORD, (base) + offsetof(struct wt_aimd_params, growth),                \
	 "congestion avoidance counts bytes (RFC 3465), ACKs (RFC 5681 equation 3), or every ACK as one (4.3BSD)", 0, 0, \
	 wt_aimd_growth_words},                                                                    \
	{"slow_start_limit", WT_PARAM_COUNT,                                                       \
	 (base) + offsetof(struct wt_aimd_params, slow_start_limit),                               \
	 "most segments one ACK adds in slow start (L of RFC 3465); 0: as the stack's setting", 0, \
	 64, NULL},                                                                                \
	{"halve", WT_PARAM_WORD, (base) + offsetof(struct wt_aimd_params, halve),                  \
	 "ssthresh from the data in flight (RFC 5681) or from the window (4.3BSD)", 0, 0,          \
	 wt_aimd_halve_words},                                                                     \
	{"ssthresh_unit", WT_PARAM_WORD, (base) + offsetof(struct wt_aimd_params, unit),           \
	 "ssthresh in bytes, or rounded down to whole segments (ns-2)", 0, 0, wt_aimd_unit_words}, \
	{"at_ssthresh", WT_PARAM_WORD, (base) + offsetof(struct wt_aimd_params, equal),            \
	 "how cwnd = ssthresh grows: by congestion avoidance, or in slow start (Linux 2.6)", 0, 0, \
	 wt_aimd_equal_words},                                                                     \
	{"cwnd_max", WT_PARAM_SIZE, (base) + offsetof(struct wt_aimd_params, cwnd_max),            \
	 "largest congestion window (4.3BSD: 65535B); 0B: none", 0, WT_SSTHRESH_INFINITE, NULL}

#define WT_AIMD_PROFILE_ROW(base)                                                                  \
	{"profile", WT_PARAM_WORD, (base) + offsetof(struct wt_aimd_params, profile),              \
	 "set of all parameters; others given go on top", 0, 0, wt_aimd_profile_words}

void wt_aimd_init(struct wt_aimd *reno, const struct wt_aimd_params *params,
		  const struct wt_cc_env *env, struct wt_sender_out *out);
/* New values of the stack; the window starts again from the initial one. */
void wt_aimd_established(struct wt_aimd *reno, const struct wt_cc_env *env, struct wt_sender_out *out);
/* Whether this ACK may widen the window: new data, outside recovery, no mark (RFC 3168 6.1.2), and the window was full (RFC 7661). */
static inline bool wt_aimd_may_grow(const struct wt_ack *ack)
{
	return ack->acked && !(ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE)) && ack->flags & WT_ACK_CWND_LIMITED;
}
/* The window in segments; of a window of whole segments with what it has towards the next one. */
static inline double wt_aimd_segs(const struct wt_aimd *reno, const struct wt_sender_out *out)
{
	double bytes = out->cwnd;

	if (reno->params.unit == WT_AIMD_UNIT_SEGMENTS)
		bytes += reno->part.carry;
	return bytes / reno->mss;
}
/* The window grows for an ACK of new data outside recovery. */
void wt_aimd_grow(struct wt_aimd *reno, const struct wt_ack *ack, struct wt_sender_out *out);
/* The slow start part of it alone. False, and nothing done, if the window is at or above ssthresh. For ACKs that may grow. */
bool wt_aimd_slow_start(const struct wt_aimd *reno, const struct wt_ack *ack, struct wt_sender_out *out);
/* `bytes` more, of which a fraction is carried to the next call. */
void wt_aimd_add(struct wt_aimd *reno, double bytes, struct wt_sender_out *out);
/* `segs` segments more for each window of data acknowledged; one ACK adds at most what it acknowledges (never faster than slow start). */
void wt_aimd_climb(struct wt_aimd *reno, const struct wt_ack *ack, double segs, struct wt_sender_out *out);
/* The window becomes `segs`, at least two segments, and slow start is over: of modules that lower their window without a loss. */
void wt_aimd_set(struct wt_aimd *reno, double segs, struct wt_sender_out *out);
/* `step` more, up to cwnd_max. */
void wt_aimd_widen(const struct wt_aimd *reno, uint32_t step, struct wt_sender_out *out);
/* The data of which a share is kept after a loss: the flight, at most the window. */
uint32_t wt_aimd_base(const struct wt_aimd *reno, const struct wt_loss *loss, const struct wt_sender_out *out);
/* The answer to a loss with another threshold than half: ssthresh becomes `target` bytes, cwnd that or, after a timeout, one segment. */
void wt_aimd_lower(struct wt_aimd *reno, const struct wt_loss *loss, uint32_t target, struct wt_sender_out *out);
/* That with the share `keep` of the data in flight; after a timeout half of it (RFC 5681 equation 4). */
void wt_aimd_keep(struct wt_aimd *reno, const struct wt_loss *loss, double keep, struct wt_sender_out *out);
/* Reno's whole answer: half the window after duplicate ACKs or ECN, one segment after a timeout. */
void wt_aimd_loss(struct wt_aimd *reno, const struct wt_loss *loss, struct wt_sender_out *out);
/* ESTABLISHED, IDLE and UNDO; the others do nothing. */
void wt_aimd_event(struct wt_aimd *reno, enum wt_cc_event event, const struct wt_cc_env *env,
		   struct wt_sender_out *out);

#endif
