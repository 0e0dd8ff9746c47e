/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adapter as packetdrill uses it, without packetdrill: loaded by name, its members called in the order of the contract, packets made
 * and read here. What it says of time, blocking calls and TCP_INFO is compared with arithmetic.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "adapter.h"

#define LOCAL 0xc0a80001u  /* 192.168.0.1 */
#define REMOTE 0xc0000201u /* 192.0.2.1 */
#define FIN 1
#define SYN 2
#define RST 4
#define PSH 8
#define ACK 16

static struct pd_interface pdi;
static const char *module; /* path of the adapter */
static void *handle;

/* A segment, as far as this test says and reads it. */
struct segment {
	uint16_t from, to, window;
	uint32_t seq, ack;
	unsigned flags, len;
	long long us; /* when it left */
};

/* ---- packets ------------------------------------------------------------------------------------------------ */

static uint32_t add(uint32_t sum, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : (uint32_t)data[i] << 8;
	return sum;
}

static uint16_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htonl(value);
	memcpy(at, &value, 4);
}

static void put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint16_t tcp_sum(const uint8_t *packet, size_t len)
{
	return folded(add(add(6 + (uint32_t)(len - 20), packet + 12, 8), packet + 20, len - 20));
}

/* From the peer; a SYN has an MSS of 1000. */
static void give(const struct segment *segment)
{
	uint8_t packet[2000] = {0x45, [8] = 64, [9] = 6};
	size_t head = segment->flags & SYN ? 24 : 20, len = 20 + head + segment->len;

	put16(packet + 2, (uint16_t)len);
	put32(packet + 12, REMOTE);
	put32(packet + 16, LOCAL);
	put16(packet + 10, folded(add(0, packet, 20)));
	put16(packet + 20, segment->from);
	put16(packet + 22, segment->to);
	put32(packet + 24, segment->seq);
	put32(packet + 28, segment->ack);
	packet[32] = (uint8_t)(head << 2);
	packet[33] = (uint8_t)segment->flags;
	put16(packet + 34, 20000);
	if (segment->flags & SYN)
		put32(packet + 40, 0x02040000u | 1000);
	put16(packet + 36, tcp_sum(packet, len));
	assert_int_equal(pdi.netdev_send(pdi.userdata, packet, len), 0);
}

/* The next that leaves; its checksums are looked at. len 0 and no flags: none came. */
static struct segment take(void)
{
	uint8_t packet[65536];
	struct segment segment = {0};
	size_t len = sizeof(packet);

	assert_int_equal(pdi.netdev_receive(pdi.userdata, packet, &len, &segment.us), 0);
	if (!len)
		return segment;
	assert_int_equal(packet[0], 0x45);
	assert_int_equal(folded(add(0, packet, 20)), 0);
	assert_int_equal(tcp_sum(packet, len), 0);
	assert_int_equal(get32(packet + 12), LOCAL);
	assert_int_equal(get32(packet + 16), REMOTE);
	segment.from = (uint16_t)(get32(packet + 20) >> 16);
	segment.to = (uint16_t)get32(packet + 20);
	segment.seq = get32(packet + 24);
	segment.ack = get32(packet + 28);
	segment.flags = packet[33];
	segment.len = (unsigned)(len - 20 - (packet[32] >> 4) * 4u);
	return segment;
}

static void expect(unsigned flags, uint32_t seq, unsigned len, uint32_t ack)
{
	struct segment got = take();

	assert_int_equal(got.flags, flags);
	assert_int_equal(got.seq, seq);
	assert_int_equal(got.len, len);
	assert_int_equal(got.ack, ack);
}

static long long now_us(void)
{
	struct timeval tv;

	assert_int_equal(pdi.gettimeofday(pdi.userdata, &tv, NULL), 0);
	return (long long)tv.tv_sec * 1000000 + tv.tv_usec;
}

/* ---- connections ---------------------------------------------------------------------------------------------- */

static int listener(void)
{
	struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = htonl(LOCAL)};
	int fd = pdi.socket(pdi.userdata, AF_INET, SOCK_STREAM, IPPROTO_TCP), one = 1;

	assert_true(fd >= 0);
	assert_int_equal(pdi.setsockopt(pdi.userdata, fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), 0);
	assert_int_equal(pdi.bind(pdi.userdata, fd, (struct sockaddr *)&local, sizeof(local)), 0);
	assert_int_equal(pdi.listen(pdi.userdata, fd, 1), 0);
	return fd;
}

/* Three segments; our initial number. */
static uint32_t shake(uint16_t port)
{
	struct segment got;

	give(&(struct segment){.from = port, .to = 8080, .flags = SYN, .seq = 0});
	got = take();
	assert_int_equal(got.flags, SYN | ACK);
	assert_int_equal(got.ack, 1);
	assert_int_equal(got.from, 8080);
	assert_int_equal(got.to, port);
	give(&(struct segment){.from = port, .to = 8080, .flags = ACK, .seq = 1, .ack = got.seq + 1});
	return got.seq;
}

static int accept_one(int fd)
{
	struct sockaddr_in peer = {0};
	socklen_t len = sizeof(peer);
	int got = pdi.accept(pdi.userdata, fd, (struct sockaddr *)&peer, &len);

	assert_true(got >= 0);
	assert_int_equal(len, sizeof(peer));
	assert_int_equal(peer.sin_family, AF_INET);
	assert_int_equal(ntohl(peer.sin_addr.s_addr), REMOTE);
	return got;
}

static int begin(void **state)
{
	void (*init)(const char *flags, struct pd_interface *out);

	*(void **)&init = dlsym(handle, "packetdrill_interface_init");
	assert_non_null(init);
	memset(&pdi, 0, sizeof(pdi));
	init("local=192.168.0.1,sysctls=off,set=timestamps=off", &pdi);
	return 0;
}

static int end(void **state)
{
	pdi.free(pdi.userdata);
	return 0;
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

static void no_member_is_missing(void **state)
{
	void *all[sizeof(pdi) / sizeof(void *)];

	assert_int_equal(sizeof(pdi), 33 * sizeof(void *));
	memcpy(all, &pdi, sizeof(pdi));
	for (unsigned i = 0; i < 33; i++)
		assert_non_null(all[i]);
}

static void a_connection_carries_data_both_ways_and_closes(void **state)
{
	int fd = listener(), one;
	uint32_t iss = shake(40000);
	char data[100] = "";

	one = accept_one(fd);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = ACK | PSH, .seq = 1, .ack = iss + 1, .len = 100});
	assert_int_equal(pdi.read(pdi.userdata, one, data, sizeof(data)), 100);
	assert_int_equal(pdi.write(pdi.userdata, one, data, 50), 50);
	expect(ACK | PSH, iss + 1, 50, 101);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = ACK, .seq = 101, .ack = iss + 51});
	assert_int_equal(pdi.close(pdi.userdata, one), 0);
	expect(FIN | ACK, iss + 51, 0, 101);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = FIN | ACK, .seq = 101, .ack = iss + 52});
	expect(ACK, iss + 52, 0, 102);
	assert_int_equal(pdi.read(pdi.userdata, one, data, 1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(pdi.close(pdi.userdata, fd), 0);
}

static void every_call_that_reads_and_writes_does(void **state)
{
	int fd = listener(), one, waiting = 0;
	uint32_t iss = shake(40000), sent = iss + 1;
	char data[20];
	struct iovec piece[2] = {{data, 5}, {data + 5, 5}};
	struct msghdr message = {.msg_iov = piece, .msg_iovlen = 2};
	struct pollfd set = {.events = POLLIN | POLLOUT};

	one = accept_one(fd);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = ACK, .seq = 1, .ack = iss + 1, .len = 50});
	set.fd = one;
	assert_int_equal(pdi.poll(pdi.userdata, &set, 1, 0), 1);
	assert_int_equal(set.revents, POLLIN | POLLOUT);
	assert_int_equal(pdi.ioctl(pdi.userdata, one, SIOCINQ, &waiting), 0);
	assert_int_equal(waiting, 50);
	assert_int_equal(pdi.recv(pdi.userdata, one, data, 10, MSG_PEEK), 10);
	assert_int_equal(pdi.recv(pdi.userdata, one, data, 10, 0), 10);
	assert_int_equal(pdi.readv(pdi.userdata, one, piece, 2), 10);
	assert_int_equal(pdi.recvfrom(pdi.userdata, one, data, 10, 0, NULL, NULL), 10);
	assert_int_equal(pdi.recvmsg(pdi.userdata, one, &message, 0), 10);
	assert_int_equal(pdi.read(pdi.userdata, one, data, 20), 10);
	assert_int_equal(pdi.fcntl(pdi.userdata, one, F_SETFL, O_RDWR | O_NONBLOCK), 0);
	assert_int_equal(pdi.fcntl(pdi.userdata, one, F_GETFL), O_RDWR | O_NONBLOCK);
	assert_int_equal(pdi.read(pdi.userdata, one, data, 20), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(pdi.setsockopt(pdi.userdata, one, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
	assert_int_equal(pdi.send(pdi.userdata, one, data, 10, 0), 10);
	expect(ACK | PSH, sent, 10, 51);
	assert_int_equal(pdi.sendto(pdi.userdata, one, data, 10, 0, NULL, 0), 10);
	expect(ACK | PSH, sent + 10, 10, 51);
	assert_int_equal(pdi.writev(pdi.userdata, one, piece, 2), 10);
	assert_int_equal(pdi.sendmsg(pdi.userdata, one, &message, 0), 10);
	assert_int_equal(pdi.shutdown(pdi.userdata, one, SHUT_WR), 0);
	assert_int_equal(pdi.write(pdi.userdata, one, data, 1), -1);
	assert_int_equal(errno, EPIPE);
}

static void an_active_open_begins_with_a_syn_and_tells_its_end(void **state)
{
	struct sockaddr_in remote = {.sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = htonl(REMOTE)};
	int fd = pdi.socket(pdi.userdata, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP), error = -1;
	socklen_t len = sizeof(error);
	struct segment got;

	assert_int_equal(pdi.connect(pdi.userdata, fd, (struct sockaddr *)&remote, sizeof(remote)), -1);
	assert_int_equal(errno, EINPROGRESS);
	got = take();
	assert_int_equal(got.flags, SYN);
	give(&(struct segment){.from = 8080, .to = got.from, .flags = RST | ACK, .seq = 0, .ack = got.seq + 1});
	assert_int_equal(pdi.getsockopt(pdi.userdata, fd, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, ECONNREFUSED);
	assert_int_equal(pdi.getsockopt(pdi.userdata, fd, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, 0); /* an error is told once */
}

/* RFC 6298 2.1 and 5.5: the SYN-ACK goes again after 1 s, then 2 s. */
static void timers_run_in_virtual_time_and_packets_say_when_they_left(void **state)
{
	struct segment first, second, third;

	listener();
	give(&(struct segment){.from = 40000, .to = 8080, .flags = SYN, .seq = 0});
	first = take();
	second = take();
	third = take();
	assert_int_equal(second.flags, SYN | ACK);
	assert_int_equal(second.us - first.us, 1000000);
	assert_int_equal(third.us - second.us, 2000000);
	assert_true(now_us() - third.us < 10);
	pdi.usleep(pdi.userdata, 500);
	assert_in_range(now_us() - third.us, 500, 510);
}

static void without_a_timer_no_packet_comes_and_the_length_says_so(void **state)
{
	struct segment none = take();

	assert_int_equal(none.flags, 0);
}

struct blocking {
	int fd, result;
	long long us;
};

static void *accept_and_look(void *arg)
{
	struct blocking *blocking = arg;
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);

	blocking->result = pdi.accept(pdi.userdata, blocking->fd, (struct sockaddr *)&peer, &len);
	blocking->us = now_us();
	return NULL;
}

/* It returns at the moment at which the third segment comes, however long the thread takes to wake up. */
static void a_call_that_blocks_returns_when_its_packet_came(void **state)
{
	struct blocking blocking = {.fd = listener(), .result = -1};
	struct segment got;
	pthread_t thread;
	long long came;

	assert_int_equal(pthread_create(&thread, NULL, accept_and_look, &blocking), 0);
	usleep(20000); /* it sleeps by then; if not, it returns at once later, which is no failure */
	pdi.usleep(pdi.userdata, 100000);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = SYN, .seq = 0});
	got = take();
	pdi.usleep(pdi.userdata, 100000);
	came = now_us();
	give(&(struct segment){.from = 40000, .to = 8080, .flags = ACK, .seq = 1, .ack = got.seq + 1});
	pdi.usleep(pdi.userdata, 5000000);
	pthread_join(thread, NULL);
	assert_true(blocking.result >= 0);
	assert_in_range(blocking.us, came, came + 10);
}

/* packetdrill asks by the C library's name. Ten segments are out, the third and fourth are SACKed by nobody, the first is acknowledged. */
static void tcp_info_counts_segments_as_linux_does(void **state)
{
	int (*ask)(int fd, int level, int name, void *value, socklen_t *len), fd = listener(), one;
	uint32_t iss = shake(40000);
	struct tcp_info info;
	socklen_t len = sizeof(info);
	static char data[20000];

	*(void **)&ask = dlsym(handle, "getsockopt");
	one = accept_one(fd);
	assert_int_equal(pdi.write(pdi.userdata, one, data, sizeof(data)), sizeof(data));
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(take().len, 1000);
	assert_int_equal(ask(one, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
	assert_int_equal(len, sizeof(info));
	assert_int_equal(info.tcpi_state, 1);
	assert_int_equal(info.tcpi_ca_state, 0);
	assert_int_equal(info.tcpi_snd_cwnd, 10);
	assert_int_equal(info.tcpi_snd_ssthresh, 0x7fffffff);
	assert_int_equal(info.tcpi_unacked, 10);
	assert_int_equal(info.tcpi_snd_mss, 1000);
	pdi.usleep(pdi.userdata, 10000);
	give(&(struct segment){.from = 40000, .to = 8080, .flags = ACK, .seq = 1, .ack = iss + 1001});
	assert_int_equal(ask(one, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
	assert_int_equal(info.tcpi_snd_cwnd, 11);
	assert_int_equal(info.tcpi_unacked, 11);
	assert_int_equal(info.tcpi_bytes_acked, 1000);
	len = sizeof(int);
	assert_int_equal(ask(0, SOL_SOCKET, SO_TYPE, &fd, &len), -1); /* not ours: the C library answers */
	assert_int_equal(errno, ENOTSOCK);
}

static void what_the_engine_has_not_got_says_so(void **state)
{
	int fds[2];

	assert_int_equal(pdi.epoll_create(pdi.userdata, 1), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(pdi.epoll_ctl(pdi.userdata, 0, 0, 0, NULL), -1);
	assert_int_equal(pdi.epoll_wait(pdi.userdata, 0, NULL, 0, 0), -1);
	assert_int_equal(pdi.pipe(pdi.userdata, fds), -1);
	assert_int_equal(pdi.splice(pdi.userdata, 0, NULL, 0, NULL, 0, 0), -1);
	assert_int_equal(errno, ENOSYS);
}

static void a_second_script_finds_a_new_host(void **state)
{
	int fd = listener();

	shake(40000);
	begin(state);
	assert_int_equal(pdi.listen(pdi.userdata, fd, 1), -1);
	assert_int_equal(errno, EBADF);
	listener();
	shake(40000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(no_member_is_missing),
		TEST(a_connection_carries_data_both_ways_and_closes),
		TEST(every_call_that_reads_and_writes_does),
		TEST(an_active_open_begins_with_a_syn_and_tells_its_end),
		TEST(timers_run_in_virtual_time_and_packets_say_when_they_left),
		TEST(without_a_timer_no_packet_comes_and_the_length_says_so),
		TEST(a_call_that_blocks_returns_when_its_packet_came),
		TEST(tcp_info_counts_segments_as_linux_does),
		TEST(what_the_engine_has_not_got_says_so),
		TEST(a_second_script_finds_a_new_host),
	};

	module = argc > 1 ? argv[1] : "";
	handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		print_error("%s\n", dlerror());
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
