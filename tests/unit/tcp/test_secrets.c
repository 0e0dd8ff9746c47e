/* SPDX-License-Identifier: BSD-2-Clause */
/* Security rows 5 and 6: nothing that leaves the host lets a stranger guess the next number. */
#include "stack/host/internal.h"
#include "tests/unit/tcp/cmocka_head.h"

static struct wt_host *make_host(struct wt_pool *pool, uint64_t seed)
{
	struct wt_host_config config = {
		.name = "h",
		.addr = wt_addr_ipv4(10, 0, 0, 1),
		.prefix_len = 24,
		.secret = wt_key_derive(seed, "secret"),
		.pool = pool,
	};

	return wt_host_create(&config);
}

static void isns_of_one_tuple_only_grow_with_the_clock(void **state)
{
	struct wt_pool *pool = wt_pool_create(8, 2048);
	struct wt_host *host = make_host(pool, 1);
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 1000}, {wt_addr_ipv4(10, 0, 0, 2), 80}};
	wt_seq first = wt_secret_isn(&host->tcp, &tuple);

	host->tcp.now = 4 * WT_MS;
	assert_int_equal(wt_secret_isn(&host->tcp, &tuple) - first, 1000); /* 4 us a step */
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

/* 10^5 tuples: differences of neighbours fill the space evenly (chi-square over 256 bins, 99.9 % quantile 330.5) */
static void isns_of_different_tuples_have_no_common_step(void **state)
{
	struct wt_pool *pool = wt_pool_create(8, 2048);
	struct wt_host *host = make_host(pool, 2);
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 1000}, {wt_addr_ipv4(10, 0, 0, 2), 0}};
	uint32_t bins[256] = {0};
	wt_seq last = 0;
	double chi = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		wt_seq isn;

		tuple.local.port = (uint16_t)(1000 + i / 65536);
		tuple.remote.port = (uint16_t)i;
		isn = wt_secret_isn(&host->tcp, &tuple);
		bins[(isn - last) >> 24]++;
		last = isn;
	}
	for (unsigned i = 0; i < 256; i++)
		chi += (bins[i] - 390.625) * (bins[i] - 390.625) / 390.625;
	assert_true(chi < 330.5);
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

static void two_boots_give_different_numbers(void **state)
{
	struct wt_pool *pool = wt_pool_create(8, 2048);
	struct wt_host *one = make_host(pool, 3), *two = make_host(pool, 4);
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 1000}, {wt_addr_ipv4(10, 0, 0, 2), 80}};

	assert_int_not_equal(wt_secret_isn(&one->tcp, &tuple), wt_secret_isn(&two->tcp, &tuple));
	assert_int_not_equal(wt_secret_ts_offset(&one->tcp, &tuple.local.addr, &tuple.remote.addr),
			     wt_secret_ts_offset(&two->tcp, &tuple.local.addr, &tuple.remote.addr));
	wt_host_destroy(one);
	wt_host_destroy(two);
	wt_pool_destroy(pool);
}

static void timestamp_offsets_differ_per_peer(void **state)
{
	struct wt_pool *pool = wt_pool_create(8, 2048);
	struct wt_host *host = make_host(pool, 5);
	struct wt_addr us = wt_addr_ipv4(10, 0, 0, 1), b = wt_addr_ipv4(10, 0, 0, 2), c = wt_addr_ipv4(10, 0, 0, 3);

	assert_int_not_equal(wt_secret_ts_offset(&host->tcp, &us, &b), wt_secret_ts_offset(&host->tcp, &us, &c));
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

/* ports to many destinations: chi-square over 64 bins of the range, 99.9 % quantile 103.4 */
static void ports_to_different_peers_spread_over_the_range(void **state)
{
	struct wt_pool *pool = wt_pool_create(8, 2048);
	struct wt_host *host = make_host(pool, 6);
	uint32_t bins[64] = {0};
	double expected = 20000 / 64.0, chi = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		struct wt_endpoint to = {wt_addr_ipv4(10, 1, (uint8_t)(i >> 8), (uint8_t)i), 80};
		uint16_t port = wt_secret_port(&host->tcp, &host->config.addr, &to);

		assert_true(port >= 32768 && port <= 60999);
		bins[(port - 32768) * 64 / (60999 - 32768 + 1)]++;
	}
	for (unsigned i = 0; i < 64; i++)
		chi += (bins[i] - expected) * (bins[i] - expected) / expected;
	assert_true(chi < 103.4);
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(isns_of_one_tuple_only_grow_with_the_clock),
		cmocka_unit_test(isns_of_different_tuples_have_no_common_step),
		cmocka_unit_test(two_boots_give_different_numbers),
		cmocka_unit_test(timestamp_offsets_differ_per_peer),
		cmocka_unit_test(ports_to_different_peers_spread_over_the_range),
	};

	return cmocka_run_group_tests_name("host_secrets", tests, NULL, NULL);
}
