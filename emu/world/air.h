/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wireless part of a world: one air, and stations, which are hosts whose node stands on it.
 *
 *   [air]                       [stations n]                    [station gw]                  [flow one]
 *   rate = 2Mbit                count = 8                       at = 0m 250m                  between = n0 n7
 *   routing = aodv              place = string 250m             go = 10s 250m 250m 3m/s
 *
 * A station is a host (of flows, captures, digests) behind a node of routing, which has a port on the air and one for each link of the
 * station. Its address is 10.128.0.0 plus its number from 1.
 */
#ifndef WT_EMU_WORLD_AIR_H
#define WT_EMU_WORLD_AIR_H

#include "emu/air/air.h"
#include "emu/mobility/pattern.h"
#include "stack/text/addr.h"

struct wt_world;
struct wt_world_host;
struct wt_world_file;

#define WT_WORLD_ROUTING "aodv" /* where nothing else is said */
#define WT_AIR_LAB_MOST 100 /* stations in a lab: fewer than that */
#define WT_AIR_PREFIX 9 /* of the network of all stations */

/* Who is behind the mesh node of each station, to its host: everybody. */
static inline struct wt_addr wt_world_air_gateway(void)
{
	return wt_addr_ipv4(10, 255, 255, 254);
}

/* The address of an engine beside the kernel of a station that stands behind a device: a hundred behind it. */
static inline struct wt_addr wt_world_air_engine(const struct wt_addr *kernel)
{
	return wt_addr_ipv4(kernel->bytes[0], kernel->bytes[1], kernel->bytes[2], (uint8_t)(kernel->bytes[3] + WT_AIR_LAB_MOST));
}

/* How the stations of a [stations] section move, if not as their own section says. */
struct wt_world_group {
	unsigned first, count; /* hosts */
	bool walks;
	struct wt_waypoint waypoint;
	struct wt_point field; /* random places in it; 0: they have places */
	unsigned line;
};

struct wt_world_air {
	bool there;
	struct wt_air_config config;
	uint32_t data_kbps, basic_kbps;
	bool short_preamble;
	double range, sense; /* m; 0: as the powers of config.radio say */
	char *routing;       /* words of a routing module */
	unsigned routing_line;
	uint32_t mtu;        /* of all stations; 0: 1500 */
	char *movement;      /* a file of all stations */
	unsigned movement_line;
	unsigned stations, groups, group_room;
	struct wt_world_group *group;
	unsigned line;
};

void wt_world_air_init(struct wt_world_air *air);
void wt_world_air_finish(struct wt_world_air *air);

/* file_air.c: sections begin, and their keys. Each 0 or -EINVAL. */
int wt_file_open_air(struct wt_world_file *file, const char *name);
int wt_file_open_stations(struct wt_world_file *file, const char *name);
void wt_file_close_stations(struct wt_world_file *file);
int wt_file_air_key(struct wt_world_file *file, const char *key, const char *value);
int wt_file_station_key(struct wt_world_file *file, const char *key, const char *value);
int wt_file_stations_key(struct wt_world_file *file, const char *key, const char *value);

/* air.c: numbers, addresses, tracks and words of all stations. 0, or -EINVAL with a sentence, -ENOMEM. */
int wt_world_check_air(struct wt_world *world, char *err, size_t err_len);
/* The words of a station's routing; are they none, so that its kernel is on the air as it is? */
const char *wt_world_routing(const struct wt_world *world, const struct wt_world_host *host);
bool wt_world_is_bare(const struct wt_world *world, const struct wt_world_host *host);
/* "250m", "3m/s": a number of a unit, "m" or "m/s". 0, or -EINVAL with a sentence. */
int wt_world_measure(const char *word, const char *unit, double least, double *to, char *err, size_t err_len);
/* Reads a movement file of any kind. 0, -ENOMEM, or -EINVAL with "FILE:LINE: ..." */
int wt_world_read_pattern(struct wt_movement *pattern, const char *name, char *err, size_t err_len);

#endif
