/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP on a TAP as a reference: discard (port 9) and source (port 19) on 10.0.0.2, by its callback interface. What it sends lies in a static
 * buffer and is not copied for it.
 *
 *   serve_lwip TAP
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/tcp.h>
#include <lwip/timeouts.h>
#include <netif/ethernet.h>

enum { DISCARD = 9, SOURCE = 19, FRAME = 2048, PIECE = 32768, BATCH = 64 };

static int tap;

u32_t sys_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u32_t)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

static err_t give(struct netif *netif, struct pbuf *p)
{
	char frame[FRAME];

	(void)netif;
	if (write(tap, frame, pbuf_copy_partial(p, frame, sizeof(frame), 0)) < 0)
		return ERR_IF;
	return ERR_OK;
}

static err_t init(struct netif *netif)
{
	netif->name[0] = 't';
	netif->name[1] = 'p';
	netif->output = etharp_output;
	netif->linkoutput = give;
	netif->mtu = 1500;
	netif->hwaddr_len = 6;
	memcpy(netif->hwaddr, "\2WT\0\0\2", 6);
	netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_LINK_UP;
	return ERR_OK;
}

/* False: nothing is there. */
static int take(struct netif *netif)
{
	char frame[FRAME];
	ssize_t n = read(tap, frame, sizeof(frame));
	struct pbuf *p;

	if (n <= 0)
		return 0;
	p = pbuf_alloc(PBUF_RAW, (u16_t)n, PBUF_RAM);
	if (p && (pbuf_take(p, frame, (u16_t)n) != ERR_OK || netif->input(p, netif) != ERR_OK))
		pbuf_free(p);
	return 1;
}

static err_t fill(void *arg, struct tcp_pcb *pcb, u16_t len)
{
	static const char bytes[PIECE];
	u16_t piece;

	(void)arg;
	(void)len;
	do
		piece = (u16_t)LWIP_MIN(tcp_sndbuf(pcb), PIECE);
	while (piece && tcp_write(pcb, bytes, piece, 0) == ERR_OK);
	return tcp_output(pcb);
}

static err_t drop(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t error)
{
	(void)arg;
	(void)error;
	if (!p) {
		tcp_recv(pcb, NULL);
		tcp_sent(pcb, NULL);
		return tcp_close(pcb);
	}
	tcp_recved(pcb, p->tot_len);
	pbuf_free(p);
	return ERR_OK;
}

static err_t begin(void *arg, struct tcp_pcb *pcb, err_t error)
{
	if (error != ERR_OK || !pcb)
		return ERR_VAL;
	tcp_recv(pcb, drop);
	if (!arg)
		return ERR_OK;
	tcp_sent(pcb, fill);
	return fill(NULL, pcb, 0);
}

static void serve(u16_t port, void *source)
{
	struct tcp_pcb *pcb = tcp_new();

	tcp_bind(pcb, IP_ADDR_ANY, port);
	pcb = tcp_listen(pcb);
	tcp_arg(pcb, source);
	tcp_accept(pcb, begin);
}

int main(int argc, char **argv)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	struct netif netif;
	ip4_addr_t address, mask, gateway;

	tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	if (argc == 2)
		strncpy(request.ifr_name, argv[1], IFNAMSIZ - 1);
	if (argc != 2 || tap < 0 || ioctl(tap, TUNSETIFF, &request)) {
		fprintf(stderr, "serve_lwip TAP: %s\n", strerror(errno));
		return 1;
	}
	lwip_init();
	IP4_ADDR(&address, 10, 0, 0, 2);
	IP4_ADDR(&mask, 255, 255, 255, 0);
	IP4_ADDR(&gateway, 10, 0, 0, 1);
	netif_add(&netif, &address, &mask, &gateway, NULL, init, ethernet_input);
	netif_set_default(&netif);
	netif_set_up(&netif);
	serve(DISCARD, NULL);
	serve(SOURCE, &tap);
	fprintf(stderr, "serving: lwIP " LWIP_VERSION_STRING "\n");
	for (;;) {
		struct pollfd ready = {.fd = tap, .events = POLLIN};
		u32_t wait = sys_timeouts_sleeptime();

		poll(&ready, 1, wait > 1000 ? 1000 : (int)wait);
		for (int i = 0; i < BATCH && take(&netif); i++)
			;
		sys_check_timeouts();
	}
}
