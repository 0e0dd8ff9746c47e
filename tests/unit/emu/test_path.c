/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

#include <errno.h>
#include <stdio.h>

#include "emu/path.h"

static const struct {
	const char *words, *normal, *names;
} good_words[] = {
	{"", "", ""},
	{"  \t\n ", "", ""},
	{"delay 15ms", "delay 15ms", "fwd.delay "},
	{"delay 0", "delay 0", "fwd.delay "},
	{"rate 10Mbit burst 20KB limit 64KB delay 15ms loss gilbert on 1s 20% off 1s 0%",
	 "rate 10Mbit burst 20KB limit 64KB loss gilbert on 1s 20% off 1s 0% delay 15ms",
	 "fwd.rate fwd.gilbert fwd.delay "},
	{"delay 15ms reorder 1% delay 5ms duplicate 0.5% loss 2% loss gilbert off 5s 0 on 500ms .99e0 ", NULL, NULL},
	{"delay 15ms reorder 1% delay 5ms duplicate 0.5% loss 2% loss gilbert off 5s 0% on 500ms 99% start off "
	 "shared outage every 5s for 500ms outage at 1min for 2s rate 1Gbit limit 1MiB overhead 24B burst 0B",
	 "rate 1Gbit burst 0B limit 1MiB overhead 24B outage every 5s for 500ms outage at 60s for 2s loss 2% "
	 "loss gilbert on 500ms 99% off 5s 0% shared start off duplicate 0.5% reorder 1% delay 5ms delay 15ms",
	 "fwd.rate fwd.outage fwd.loss fwd.gilbert fwd.duplicate fwd.reorder fwd.delay "},
	{"loss 1%|rate 2Mbit burst 0B limit 64KB|loss 1% delay 1ms", "loss 1% | rate 2Mbit burst 0B limit 64KB | loss 1% delay 1ms",
	 "fwd.loss fwd.rate fwd.loss.2 fwd.delay "},
	{"outage at 1s every 10s for 1s", "outage at 1s every 10s for 1s", "fwd.outage "},
	{"outage at 10s every 10s for 1s", "outage every 10s for 1s", "fwd.outage "},
	{"loss 33.33333333333333%", NULL, "fwd.loss "},
	{"loss 7%", "loss 7%", "fwd.loss "},
	{"loss 0.00005%", "loss 0.00005%", "fwd.loss "},
	{"corrupt 100e-12%", "corrupt 1e-10%", "fwd.corrupt "},
	{"loss elliott mean 0.001% burst 7packets", NULL, "fwd.elliott "},
	{"loss elliott mean 0.0000000000000000001% burst 99999999999999999999999packets", NULL, "fwd.elliott "},
	{"loss 0.7e1%", "loss 7%", "fwd.loss "},
	{"loss gilbert on 1s 20% off 1s 0% start on", "loss gilbert on 1s 20% off 1s 0% start on", "fwd.gilbert "},
	{"loss twice 20%", "loss twice 20%", "fwd.loss "},
	{"delay 5ms corrupt 1% mtu 1400B silent rate 1Mbit burst 0B limit 64KB handoff mean 5s for 500ms drop 99%",
	 "mtu 1.4KB silent rate 1Mbit burst 0B limit 64KB handoff mean 5s for 500ms drop 99% corrupt 1% delay 5ms",
	 "fwd.mtu fwd.rate fwd.handoff fwd.corrupt fwd.delay "},
	{"mtu 576B drop corrupt 1% bits 3", "mtu 576B drop corrupt 1% bits 3", "fwd.mtu fwd.corrupt "},
	{"outage every 5s for 500ms unreachable drop 99%", "outage every 5s for 500ms drop 99% unreachable", "fwd.outage "},
	{"handoff at 1s every 5s for 0s keep to-rate 1Mbit to-loss 1% then to-delay 1ms rate 2Mbit burst 0B limit 64KB loss 0% delay 5ms",
	 "rate 2Mbit burst 0B limit 64KB handoff every 5s for 0 at 1s to-rate 1Mbit to-loss 1% then to-delay 1ms loss 0% delay 5ms",
	 "fwd.rate fwd.handoff fwd.loss fwd.delay "},
	{"delay 15ms jitter normal 3ms reordering", "delay 15ms jitter normal 3ms reordering", "fwd.delay "},
	{"delay 15ms jitter pareto 3ms shape 2.5 at 10s 40ms at 20s 5ms every 30s",
	 "delay 15ms at 10s 40ms at 20s 5ms every 30s jitter pareto 3ms shape 2.5", "fwd.delay "},
	{"loss gilbert twice on 1s 20% off 1s 0%", "loss gilbert on 1s 20% off 1s 0% twice", "fwd.gilbert "},
	{"loss elliott mean 50% burst 2packets", "loss elliott p 50% r 50% h 0% k 100%", "fwd.elliott "},
	{"loss elliott r 30% p 1% h 20%", "loss elliott p 1% r 30% h 20% k 100%", "fwd.elliott "},
	{"loss list 3,17,100-120 loss 1%", "loss 1% loss list 3,17,100-120", "fwd.loss fwd.list "},
	{"loss copy 3:2-2,3:4-5,17-18:1", "loss copy 3:2,3:4-5,17-18:1", "fwd.list "},
	{"loss markov state 1s 0% state 1s 5% state 500ms 80%", "loss markov state 1s 0% state 1s 5% state 500ms 80%", "fwd.markov "},
	{"loss markov state 1s 0% to 2 100% state 1s 5% to 1 100% start 2 shared",
	 "loss markov state 1s 0% to 2 100% state 1s 5% to 1 100% shared start 2", "fwd.markov "},
	{"rate 10Mbit burst 0B queue codel limit 64KB interval 100ms", "rate 10Mbit burst 0B limit 64KB queue codel target 5ms interval 100ms",
	 "fwd.rate "},
	{"rate 10Mbit burst 0B limit 1packet queue tail", "rate 10Mbit burst 0B limit 1packets", "fwd.rate "},
	{"rate 20KB every 30ms limit 64KB burst 20KB", "rate 20KB every 30ms burst 20KB limit 64KB", "fwd.rate "},
	{"rate 1Mbit burst 0B limit 64KB queue fq_codel ecn flows 16",
	 "rate 1Mbit burst 0B limit 64KB queue fq_codel target 5ms interval 100ms flows 16 quantum 1514B ecn", "fwd.rate "},
	{"rate 1Mbit burst 0B limit 64KB queue red max 45KB min 15KB gentle",
	 "rate 1Mbit burst 0B limit 64KB queue red min 15KB max 45KB prob 10% weight 0.002 gentle", "fwd.rate "},
	{"rate 1Mbit burst 0B limit 64KB queue pie allowance 0",
	 "rate 1Mbit burst 0B limit 64KB queue pie target 15ms update 15ms allowance 0 alpha 0.125 beta 1.25 mark 10%", "fwd.rate "},
	{"rate 1Mbit burst 0B limit 64KB queue dualpi2", NULL, "fwd.rate "},
	{"hops 3 from 2001:DB8:0::1 10.1.2.254 delay 1ms", "hops 3 from 10.1.2.254 2001:db8::1 delay 1ms", "fwd.hops fwd.delay "},
	{"hops 3 from 10.1.2.254 mtu 1400B from 2001:db8::1 drop", "hops 3 from 10.1.2.254 mtu 1.4KB drop from 2001:db8::1", "fwd.hops fwd.mtu "},
	{"outage from 10.1.2.3 at 1s for 1s unreachable outage at 5s for 1s unreachable",
	 "outage at 1s for 1s unreachable from 10.1.2.3 outage at 5s for 1s unreachable", "fwd.outage "},
	{"loss gilbert on 1s 20% off 1s 0% start random", "loss gilbert on 1s 20% off 1s 0%", "fwd.gilbert "},
};

static void words_give_stages_in_the_stated_order_whatever_their_own(void **state)
{
	for (size_t i = 0; i < sizeof(good_words) / sizeof(good_words[0]); i++) {
		struct wt_path path, again;
		char err[300] = "", names[300] = "";
		int error = wt_path_init(&path, good_words[i].words, "fwd", 1, err, sizeof(err));

		if (!good_words[i].normal && !good_words[i].names) {
			assert_int_equal(error, -EINVAL);
			continue;
		}
		if (error)
			fail_msg("%s: %s", good_words[i].words, err);
		for (unsigned s = 0; s < path.count; s++) {
			strcat(names, path.stage[s]->name);
			strcat(names, " ");
			assert_int_equal(path.stage[s]->ports, 2);
		}
		assert_string_equal(names, good_words[i].names);
		if (good_words[i].normal)
			assert_string_equal(path.text, good_words[i].normal);
		assert_int_equal(wt_path_init(&again, path.text, "fwd", 1, err, sizeof(err)), 0);
		assert_string_equal(again.text, path.text);
		wt_path_finish(&again);
		wt_path_finish(&path);
		assert_int_equal(path.count, 0);
	}
}

#define COPY(word) "word 3 \"" word "\": expected packets of a flow from 1, rising to 1000000, each with its copies, such as \"17:2,40-45:1-3\""

static const struct {
	const char *words, *error;
} bad_words[] = {
	{"delay 10ms 5ms 25%", "word 3 \"5ms\": expected the law of the jitter; packets keep their order unless \"reordering\" follows: \"delay 10ms jitter normal 5ms reordering\""},
	{"loss 1% 25%", "word 3 \"25%\": correlations are not supported; for losses in bursts write \"loss elliott mean 1% burst 4packets\", or loss gilbert"},
	{"corrupt 1% 25%", "word 3 \"25%\": correlations are not supported: each packet is drawn alone, \"corrupt 1%\""},
	{"loss random 1%", "word 2 \"random\": independent loss is plain here: \"loss 1%\""},
	{"loss gemodel 1% 10%", "word 2 \"gemodel\": netem's gemodel p r 1-h 1-k is \"loss elliott p P r P h P k P\" here"},
	{"delay 10ms jitter normal 5ms distribution normal", "word 6 \"distribution\": the law follows jitter here: \"jitter normal 5ms\", \"jitter pareto 5ms shape 3\" or \"jitter file FILE\""},
	{"delay 10ms limit 1000", "word 3 \"limit\": a queue belongs to a rate here: \"rate 10Mbit burst 20KB limit 50packets\""},
	{"loss 1% | 25%", "word 3 \"25%\": not known here; a stage is one of hops, mtu, rate, outage, handoff, loss, corrupt, duplicate, reorder, delay"},
	{"delai 15ms", "word 1 \"delai\": not known here; did you mean \"delay\"?"},
	{"loss 1% delai 15ms", "word 3 \"delai\": not known here; did you mean \"delay\"?"},
	{"loss 1% | los 1%", "word 3 \"los\": not known here; did you mean \"loss\"?"},
	{"hops many", "word 2 \"many\": expected a number of routers from 0 to 255"},
	{"hops 256", "word 2 \"256\": expected a number of routers from 0 to 255"},
	{"hops 3 from", "word 3 \"from\": an address must follow, such as \"from 10.77.0.11\", and one of IPv6 may"},
	{"hops 3 from silent", "word 3 \"from\": an address must follow, such as \"from 10.77.0.11\", and one of IPv6 may"},
	{"hops 3 from 10.0.0.256", "word 3 \"from\": an address must follow, such as \"from 10.77.0.11\", and one of IPv6 may"},
	{"hops 3 from 10.0.0.1 10.0.0.2", "word 5 \"10.0.0.2\": one address of IPv4 and one of IPv6 at most"},
	{"hops 3 from 10.0.0.1 from 10.0.0.2", "word 5 \"from\": given twice"},
	{"hops 3 from 10.0.0.1 silent", "word 1 \"hops\": \"from\" sets the address of answers, but nothing answers with \"silent\""},
	{"hops 9 from 223.255.255.250", "word 4 \"223.255.255.250\": expected the address of a host, with one behind it for each further "
					"router: no group's, loopback's or link's own"},
	{"mtu 1400B from 127.0.0.1", "word 4 \"127.0.0.1\": expected the address of a host: no group's, loopback's or link's own"},
	{"mtu 1400B from fe80::1", "word 4 \"fe80::1\": expected the address of a host: no group's, loopback's or link's own"},
	{"mtu 1400B from ::1", "word 4 \"::1\": expected the address of a host: no group's, loopback's or link's own"},
	{"mtu 1400B from ff02::1", "word 4 \"ff02::1\": expected the address of a host: no group's, loopback's or link's own"},
	{"mtu 1400B silent from 10.0.0.1", "word 1 \"mtu\": \"from\" sets the address of answers, but nothing answers with \"silent\""},
	{"outage at 1s for 1s from 10.0.0.1",
	 "word 1 \"outage\": \"from\" sets the address of answers, but nothing answers without \"unreachable\""},
	{"hops", "word 1 \"hops\": a number of routers such as \"3\" must follow"},
	{"blackhole", "word 1 \"blackhole\": not known here; a stage is one of hops, mtu, rate, outage, handoff, loss, corrupt, duplicate, reorder, delay"},
	{"delay", "word 1 \"delay\": a time such as \"15ms\" must follow"},
	{"delay | loss 1%", "word 1 \"delay\": a time such as \"15ms\" must follow"},
	{"delay 15", "word 2, after \"delay\": '15' has no unit: expected a time with its unit (ns us ms s min h), such as 15ms"},
	{"delay -1ms", "word 2, after \"delay\": '-1ms' is not a time with its unit (ns us ms s min h), such as 15ms"},
	{"delay loss 1%", "word 2, after \"delay\": 'loss' is not a time with its unit (ns us ms s min h), such as 15ms"},
	{"delay 1ms delay 2ms", "word 3 \"delay\": given twice; to pass such a stage twice, separate the two by \"|\""},
	{"rate 10Mbit", "word 1 \"rate\": burst is missing: the bytes that may pass at once, for example \"burst 3KB\", or "
			"\"burst 0B\" for a serial line"},
	{"rate 1Gbit limit 64KB", "word 1 \"rate\": burst is missing: the bytes that may pass at once, for example "
				  "\"burst 125KB\", or \"burst 0B\" for a serial line"},
	{"rate 10Mbit burst 20KB", "word 1 \"rate\": limit is missing: the bytes that may wait, for example \"limit 64KB\" "
				   "(50 ms of the rate, at least 64KB)"},
	{"rate 1Gbit burst 20KB", "word 1 \"rate\": limit is missing: the bytes that may wait, for example \"limit 6.25MB\" "
				  "(50 ms of the rate, at least 64KB)"},
	{"rate 10Mbit brust 20KB limit 64KB", "word 3 \"brust\": not known here; did you mean \"burst\"?"},
	{"rate 10Mbit burst 20KB burst 20KB limit 64KB", "word 5 \"burst\": given twice"},
	{"rate 10Mbps burst 20KB limit 64KB",
	 "word 2, after \"rate\": '10Mbps' could mean bits or bytes a second: write Kbit or kBps"},
	{"rate 10 burst 20KB limit 64KB", "word 2, after \"rate\": '10' has no unit: expected a rate with its unit "
					  "(bit Kbit Mbit Gbit, Bps kBps MBps), such as 10Mbit"},
	{"rate 0bit burst 20KB limit 64KB", "word 2 \"0bit\": a rate is from 1bit to 1000Gbit"},
	{"rate 1001Gbit burst 20KB limit 64KB", "word 2 \"1001Gbit\": a rate is from 1bit to 1000Gbit"},
	{"rate 1Mbit burst 2GB limit 64KB", "word 1 \"rate\": burst is at most 1GB"},
	{"rate 1Mbit burst 2KB limit 64KB overhead 2KB", "word 1 \"rate\": overhead is at most 1KB a frame"},
	{"rate 1Mbit burst 20000 limit 64KB", "word 4, after \"burst\": '20000' has no unit: expected a size with its unit "
					      "(B KB MB GB, KiB MiB GiB), such as 64KB"},
	{"rate 1Mbit burst 0B limit 1KB", "word 1 \"rate\": a full frame (1514B) fits neither the burst nor the limit and "
					  "would never pass; for example \"limit 64KB\""},
	{"rate 1Mbit limit", "word 3 \"limit\": a size such as \"20KB\" must follow"},
	{"loss", "word 1 \"loss\": a share such as \"20%\" must follow"},
	{"loss 20", "word 2, after \"loss\": '20' has no unit: write 20%"},
	{"loss 101%", "word 2, after \"loss\": '101%' is not between 0% and 100%"},
	{"loss gilbet on 1s 20% off 1s 0%", "word 2 \"gilbet\": not known here; did you mean \"gilbert\"?"},
	{"loss gilbert", "word 2 \"gilbert\": on is missing: mean sojourn and drop share, such as \"on 1s 20%\""},
	{"loss gilbert on 1s 20%", "word 2 \"gilbert\": off is missing: mean sojourn and drop share, such as \"off 1s 0%\""},
	{"loss gilbert on 1s off 1s 0%", "word 5, after \"1s\": 'off' is not a share: expected a percentage such as 20%"},
	{"loss gilbert on 1s", "word 4 \"1s\": a share such as \"20%\" must follow"},
	{"loss gilbert on 1us 20% off 1s 0%", "word 4 \"1us\": a mean sojourn is from 100us to 10000h"},
	{"loss gilbert on 10001h 20% off 1s 0%", "word 4 \"10001h\": a mean sojourn is from 100us to 10000h"},
	{"loss gilbert on 1s 20% off 1s 0% share", "word 9 \"share\": not known here; did you mean \"shared\"?"},
	{"loss gilbert on 1s 20% off 1s 0% start maybe", "word 9 \"start\": expected random, on or off"},
	{"loss gilbert on 1s 20% off 1s 0% start", "word 9 \"start\": expected random, on or off"},
	{"duplicate", "word 1 \"duplicate\": a share such as \"20%\" must follow"},
	{"reorder 1%", "word 1 \"reorder\": \"delay T\" must follow the share: how long a packet is held, such as \"delay 5ms\""},
	{"reorder 1% loss 1%",
	 "word 1 \"reorder\": \"delay T\" must follow the share: how long a packet is held, such as \"delay 5ms\""},
	{"reorder 1% delay", "word 3 \"delay\": a time such as \"15ms\" must follow"},
	{"outage at 1s", "word 1 \"outage\": for is missing: how long, such as \"for 500ms\""},
	{"outage for 1s", "word 1 \"outage\": when is missing: \"at 10s\" or \"every 5s\""},
	{"outage every 1s for 1s", "word 1 \"outage\": \"every\" must be longer than \"for\""},
	{"outage at 1s for 1s at 2s", "word 6 \"at\": given twice"},
	{"| loss 1%", "after word 0: a \"|\" stands between two stages"},
	{"loss 1% |", "after word 2: a \"|\" stands between two stages"},
	{"rate 1Mbit burst 0B limit 64KB queue", "word 7 \"queue\": one of the queues tail, head, red, codel, fq_codel, pie, dualpi2 must follow"},
	{"rate 1Mbit burst 0B limit 64KB queue codal", "word 8 \"codal\": expected one of the queues tail, head, red, codel, fq_codel, pie, dualpi2"},
	{"rate 1Mbit burst 0B limit 64KB target 5ms", "word 7 \"target\": not known here; a stage is one of hops, mtu, rate, outage, handoff, loss, corrupt, duplicate, reorder, delay"},
	{"rate 1Mbit burst 0B limit 64KB queue codel target 5", "word 10 \"5\": target: '5' has no unit: expected a time with its unit (ns us ms s min h), such as 15ms"},
	{"rate 1Mbit burst 0B limit 64KB queue red", "word 1 \"rate\": queue red needs min and max, such as \"min 15KB max 45KB\""},
	{"rate 1Mbit burst 0B limit 64KB queue red min 2KB max 1KB", "word 1 \"rate\": min must be below max"},
	{"rate 20KB burst 20KB limit 64KB", "word 1 \"rate\": \"every\" is missing: how often these bytes arrive, such as \"every 30ms\""},
	{"rate 1Mbit every 1ms burst 20KB limit 64KB", "word 1 \"rate\": every needs a size, such as \"rate 20KB every 30ms\""},
	{"rate 20KB every 0ms burst 20KB limit 64KB", "word 4 \"0ms\": expected a period of at least 1ns"},
	{"rate 0B every 1ms burst 20KB limit 64KB", "word 2 \"0B\": expected a size from 1B to 1GB"},
	{"rate 1Mbit burst 0B limit 0packets", "word 1 \"rate\": a full frame (1514B) does not fit the burst and no packet may wait"},
	{"loss elliott p 1%", "word 2 \"elliott\": either p and r (and h, k) must follow, such as \"p 1% r 30%\", or mean and burst, "
			      "such as \"mean 9% burst 3packets\""},
	{"loss elliott mean 90% burst 3packets", "word 2 \"elliott\": no channel loses so much in bursts so short: the mean is at "
						 "most burst / (burst + 1)"},
	{"loss elliott mean 9% burst 3", "word 6 \"3\": a mean burst is a number of packets from 1 on, such as \"3packets\""},
	{"loss list 3,2", "word 3 \"3,2\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list 0", "word 3 \"0\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list 3,", "word 3 \"3,\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list 5-", "word 3 \"5-\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list 5-3", "word 3 \"5-3\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list x", "word 3 \"x\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss list 99999999999999999999",
	 "word 3 \"99999999999999999999\": expected numbers of packets from 1, rising, such as \"3,17,100-120\""},
	{"loss copy 3", COPY("3")},
	{"loss copy 3:", COPY("3:")},
	{"loss copy 3:0", COPY("3:0")},
	{"loss copy 3:2-1", COPY("3:2-1")},
	{"loss copy 3:2,3:1", COPY("3:2,3:1")},
	{"loss copy 3-5:2,4:3", COPY("3-5:2,4:3")},
	{"loss copy 1000001:1", COPY("1000001:1")},
	{"loss markov state 1s 0%", "word 2 \"markov\": at least two states must follow, such as \"state 5s 0% state 500ms 99%\""},
	{"loss markov to 1 5%", "word 3 \"to\": a state must stand before"},
	{"loss markov state 1s 0% to 1 50%", "word 7 \"1\": a state is left for another one"},
	{"loss markov state 1s 0% to 2 50% state 1s 0%", "word 2 \"markov\": the shares of \"to\" of state 1 must make 100%"},
	{"loss markov state 1s 0% to 3 100% state 1s 0%", "word 2 \"markov\": there is no state 3"},
	{"loss markov state 1s 0% state 1s 0% start 3", "word 2 \"markov\": there is no state 3"},
	{"loss markov state 1s 0% to 2 100% state 1s 0% to 1 100% state 1s 0%",
	 "word 2 \"markov\": not every state can be reached from every other: say where it starts, such as \"start 1\""},
	{"mtu 60B", "word 2 \"60B\": an MTU is from 68B (RFC 791) to 65535B"},
	{"mtu 1400B slient", "word 3 \"slient\": not known here; did you mean \"silent\"?"},
	{"corrupt 1% bits 0", "word 4 \"0\": a number of bits from 1 to 1000"},
	{"delay 5ms jitter", "word 3 \"jitter\": one of normal, pareto, file must follow"},
	{"delay 5ms jitter uniform 1ms", "word 4 \"uniform\": jitter is one of normal, pareto, file"},
	{"delay 5ms jitter pareto 1ms", "word 5 \"1ms\": the shape of Pareto's law, a number above 1 such as \"shape 3\", must follow"},
	{"delay 5ms jitter normal 3601s", "word 5 \"3601s\": jitter is at most 1h"},
	{"delay 5ms jitter pareto 1ms shape 1", "word 7 \"1\": a shape is a number above 1, at most 1000"},
	{"delay 5ms at 2s 1ms at 1s 1ms", "word 7 \"1s\": expected a step later than the one before"},
	{"delay 5ms every 2s", "word 1 \"delay\": \"every\" repeats steps and must be longer than the last one's time, such as "
			       "\"at 10s 40ms every 20s\""},
	{"delay 5ms at 2s", "word 4 \"2s\": a time such as \"15ms\" must follow"},
	{"loss 1% || delay 1ms", "after word 2: a \"|\" stands between two stages"},
};

static void a_bad_word_gives_one_sentence_with_its_place_and_what_was_expected(void **state)
{
	for (size_t i = 0; i < sizeof(bad_words) / sizeof(bad_words[0]); i++) {
		struct wt_path path;
		char err[300] = "";

		assert_int_equal(wt_path_init(&path, bad_words[i].words, "fwd", 1, err, sizeof(err)), -EINVAL);
		assert_string_equal(err, bad_words[i].error);
		assert_int_equal(path.count, 0);
		assert_int_equal(wt_path_init(&path, bad_words[i].words, "fwd", 1, NULL, 0), -EINVAL);
	}
}

static void too_much_is_refused_and_not_cut(void **state)
{
	static char text[8192];
	struct wt_path path;
	char err[300];

	memset(text, ' ', 4096);
	text[4096] = 0;
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "the path has more than 4095 characters");
	memset(text, '|', 4095);
	text[4095] = 0;
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "after word 0: a \"|\" stands between two stages");
	text[0] = 0;
	for (int i = 0; i < 16; i++) { /* queues say more in normal form */
		strcat(text, i ? "|" : "");
		strcat(text, i > 4 ? "rate 1Mbit burst 1B limit 1MB queue dualpi2" : "");
		for (int n = 0; i <= 4 && n < 16; n++)
			strcat(text, "outage at 1.234567891s for 1.234567891s ");
	}
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "the path is too long: its normal form has more than 4095 characters");
	strcpy(text, "delay 1ms");
	for (int i = 0; i < 16; i++)
		strcat(text, "|delay 1ms");
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "word 33 \"delay\": a path has at most 16 stages");
	text[0] = 0;
	for (int i = 0; i < 17; i++)
		strcat(text, "outage at 1s for 1s ");
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "word 81 \"outage\": more than 16 outages in one stage");
	assert_int_equal(wt_path_init(&path, "delay 1ms", "northbound", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "the name of a direction has at most 8 characters: \"northbound\"");
}

static void whatever_begins_a_run_can_be_read_again_in_normal_form(void **state)
{
	struct wt_path path, again;
	char text[2048] = "", err[300];

	for (int i = 0; i < WT_PATH_STAGES; i++)
		strcat(text, i ? "|rate 1Mbit burst 0B limit 64KB queue pie" : "rate 1Mbit burst 0B limit 64KB queue pie");
	assert_int_equal(wt_path_init(&path, text, "fwd", 1, err, sizeof(err)), 0);
	assert_int_equal(wt_path_init(&again, path.text, "fwd", 1, err, sizeof(err)), 0);
	assert_string_equal(again.text, path.text);
	assert_int_equal(wt_path_change(&path, "delay 1ms", 0, err, sizeof(err)), 0);
	wt_path_finish(&path);
	wt_path_finish(&again);
}

static void a_shared_chain_needs_an_equal_partner(void **state)
{
	struct wt_path fwd, rev;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, "loss gilbert on 1s 20% off 1s 0% shared", &rev,
					   "delay 1ms loss gilbert off 1s 0% on 1s 50% shared", 1, err, sizeof(err)), 0);
	assert_int_equal(fwd.count, 1);
	assert_int_equal(rev.count, 2);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
	assert_int_equal(wt_path_init_pair(&fwd, "loss gilbert on 1s 20% off 1s 0% shared", &rev, "delay 1ms", 1, err,
					   sizeof(err)), -EINVAL);
	assert_string_equal(err, "fwd: \"loss gilbert ... shared\" needs its partner in rev");
	assert_int_equal(wt_path_init_pair(&fwd, "loss gilbert on 1s 20% off 1s 0% shared", &rev,
					   "loss gilbert on 2s 20% off 1s 0% shared", 1, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "rev: \"loss gilbert ... shared\" must have the sojourns and the start of its partner in fwd; "
				 "only the drop shares may differ");
	assert_int_equal(wt_path_init_pair(&fwd, "delay 1ms", &rev, "delay 1", 1, err, sizeof(err)), -EINVAL);
	assert_memory_equal(err, "rev: word 2", 11);
	assert_int_equal(wt_path_init_pair(&fwd, "delay 1", &rev, "delay 1ms", 1, err, sizeof(err)), -EINVAL);
	assert_memory_equal(err, "fwd: word 2", 11);
}

static void mutated_words_never_crash_and_never_fail_without_a_sentence(void **state)
{
	static const char *const good[] = {
		"rate 10Mbit burst 20KB limit 64KB delay 15ms loss gilbert on 1s 20% off 1s 0%",
		"loss 1% | rate 2Mbit burst 0B limit 64KB overhead 24B | duplicate 1% reorder 0.5% delay 5ms",
		"outage at 1s for 2s outage every 5s for 500ms at 1s loss gilbert on 5s 0.99 off 1s 0 shared start on",
		"loss markov state 1s 0% to 2 100% state 1s 5% to 1 100% start 2 shared loss elliott mean 9% burst 3packets loss list 3,9-12",
		"hops 3 from 10.1.2.3 2001:db8::1 mtu 1400B drop handoff every 5s for 1s drop 9% flush to-rate 4Mbit then to-delay 5ms rate 1Mbit burst 0B limit 64KB delay 1ms",
		"corrupt 1% bits 3 delay 15ms at 10s 40ms every 30s jitter pareto 3ms shape 2.5 reordering outage at 1s for 1s drop 5% unreachable",
		"rate 10Mbit burst 0B queue codel limit 64KB target 5ms ecn | rate 20KB every 30ms burst 2KB limit 50packets",
		"rate 1Mbit burst 0B limit 64KB queue red min 15KB max 45KB gentle | rate 1Mbit burst 0B limit 64KB queue pie mark 5%",
	};
	static const char alphabet[] = " |.%0123456789abcdefghlmnorstuvyKMGBit\t\n\377\1-+";
	struct wt_key key = wt_key_derive(2001, "path fuzz");
	uint64_t n = 0;
	unsigned accepted = 0;

	for (unsigned i = 0; i < 20000; i++) {
		char text[300], err[300] = "";
		struct wt_path path, again;
		size_t len;

		strcpy(text, good[i % (sizeof(good) / sizeof(good[0]))]);
		len = strlen(text);
		for (uint64_t edits = 1 + wt_random_below(&key, n++, 4); edits; edits--) {
			size_t at = wt_random_below(&key, n++, len);
			char c = alphabet[wt_random_below(&key, n++, sizeof(alphabet) - 1)];

			switch (wt_random_below(&key, n++, 3)) {
			case 0:
				text[at] = c;
				break;
			case 1:
				memmove(text + at, text + at + 1, len - at);
				len--;
				break;
			default:
				memmove(text + at + 1, text + at, len - at + 1);
				text[at] = c;
				len++;
			}
		}
		if (wt_path_init(&path, text, "fwd", i, err, sizeof(err))) {
			assert_true(err[0]);
			assert_null(strchr(err, '\n'));
			continue;
		}
		accepted++;
		if (wt_path_init(&again, path.text, "fwd", i, err, sizeof(err)))
			fail_msg("normal form \"%s\" of \"%s\": %s", path.text, text, err);
		assert_string_equal(again.text, path.text);
		wt_path_finish(&again);
		wt_path_finish(&path);
	}
	assert_true(accepted > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_give_stages_in_the_stated_order_whatever_their_own),
		cmocka_unit_test(a_bad_word_gives_one_sentence_with_its_place_and_what_was_expected),
		cmocka_unit_test(too_much_is_refused_and_not_cut),
		cmocka_unit_test(whatever_begins_a_run_can_be_read_again_in_normal_form),
		cmocka_unit_test(a_shared_chain_needs_an_equal_partner),
		cmocka_unit_test(mutated_words_never_crash_and_never_fail_without_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
