/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP of a host (RFC 768, RFC 1122 4.1): sockets by their local endpoint.
 *
 * Datagrams that arrive wait in their socket, in the frames they came in, until the application takes them. A socket's callback runs
 * from the host's output(), never from inside the processing of a packet; an application may call anything from it, wt_udp_close()
 * included. Time is an argument. After calls from outside a callback or timer of the host the driver must be told: wt_graph_touch().
 */
#ifndef WT_STACK_NET_UDP_H
#define WT_STACK_NET_UDP_H

#include "stack/net/icmp.h"
#include "stack/net/net.h"

#define WT_UDP_QUEUE 256 /* datagrams that wait in one socket; one more is dropped (WT_DROP_UDP_FULL) */
#define WT_UDP_CHAINS 256

struct wt_udp;

enum wt_udp_event {
	WT_UDP_EV_READABLE = 1, /* a datagram came */
	WT_UDP_EV_ERROR = 2,    /* ICMP told of an error: wt_udp_error() (RFC 1122 4.1.3.3) */
};

typedef void wt_udp_callback(void *arg, struct wt_udp *udp, unsigned events, wt_time now);

/* The first of those that wait. The bytes are valid until wt_udp_consume() or wt_udp_close(). */
struct wt_udp_datagram {
	struct wt_endpoint from, to;
	const uint8_t *data;
	uint32_t len;
	uint8_t ecn; /* of the IP header that it came in, enum wt_ecn */
	wt_time time; /* when it arrived */
};

struct wt_udp_table {
	struct wt_net *net;
	struct wt_udp *chain[WT_UDP_CHAINS]; /* by local port */
	struct wt_udp *ready_head, *ready_tail; /* whose callbacks are due */
	struct wt_udp *telling; /* whose callback runs */
	uint32_t port_counter;
};

void wt_udp_init(struct wt_udp_table *table, struct wt_net *net);
/* Closes every socket. */
void wt_udp_finish(struct wt_udp_table *table);

/*
 * A socket at a local endpoint: an address of family NONE is any of the host's, port 0 one that is free (RFC 6056 3.3.3). callback NULL:
 * the application polls. NULL with errno EADDRINUSE, EADDRNOTAVAIL (not the host's address, or no free port), ENOMEM.
 */
struct wt_udp *wt_udp_open(struct wt_udp_table *table, const struct wt_endpoint *local, wt_udp_callback *callback, void *arg);
/* The handle is given up; what waits is gone. Accepts NULL. */
void wt_udp_close(struct wt_udp *udp);
/* With the port it has. */
struct wt_endpoint wt_udp_local(const struct wt_udp *udp);
/*
 * Sends `len` bytes as one datagram. 0, or -EMSGSIZE (it does not fit the MTU: no fragments are sent), -ENETUNREACH, -ENOBUFS (no free
 * frame). 0 says that it left, not that it arrives; it may be dropped by ARP (WT_DROP_NEIGHBOUR).
 */
int wt_udp_send(struct wt_udp *udp, const struct wt_endpoint *to, const void *data, size_t len, wt_time now);
/* Would wt_udp_send() take `len` bytes for there? 0, -EMSGSIZE or -ENETUNREACH. */
int wt_udp_check(const struct wt_udp *udp, const struct wt_endpoint *to, size_t len);
/* False: none waits. */
bool wt_udp_peek(const struct wt_udp *udp, struct wt_udp_datagram *datagram);
/* Done with the first one. */
void wt_udp_consume(struct wt_udp *udp);
/* The last ICMP error about a datagram of this socket, and to whom that was; cleared. Negative errno; 0: none. remote may be NULL. */
int wt_udp_error(struct wt_udp *udp, struct wt_endpoint *remote);

/* ---- for the host --------------------------------------------------------------------------------------- */

/* Takes a packet that wt_net_input() found to be UDP. To a port without a socket: ICMP port unreachable. */
void wt_udp_input(struct wt_udp_table *table, wt_time now, const struct wt_ip_packet *packet);
/* An error that wt_icmp_input() found to be about a datagram of ours. */
void wt_udp_icmp(struct wt_udp_table *table, const struct wt_icmp_error *error);
/* Runs the callbacks that are due. */
void wt_udp_tell(struct wt_udp_table *table, wt_time now);

#endif
