/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of lwIP for serve_lwip.c: one thread, memory by malloc(), windows of half a megabyte. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#include <stddef.h>

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_STATS 0
#define LWIP_NETIF_TX_SINGLE_PBUF 0
#define MEM_ALIGNMENT 8
#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define TCP_MSS 1460
#define LWIP_WND_SCALE 1
#define TCP_RCV_SCALE 4
#define TCP_WND (512 * 1024)
#define TCP_SND_BUF (512 * 1024)
#define TCP_SND_QUEUELEN (4 * TCP_SND_BUF / TCP_MSS)
#define TCP_SNDLOWAT 32768
#define TCP_SNDQUEUELOWAT (TCP_SND_QUEUELEN / 2)
#define LWIP_TCP_TIMESTAMPS 0
#define LWIP_DNS 0
#define LWIP_DHCP 0
#define CHECKSUM_CHECK_IP 1

#endif
