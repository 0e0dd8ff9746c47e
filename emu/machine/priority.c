/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/priority.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* "0-3, 6": the processors we may use. */
static const char *list_processors(char *text, size_t len)
{
	cpu_set_t set;
	size_t at = 0;

	*text = '\0';
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (int first = 0, last; first < CPU_SETSIZE && at < len; first = last + 1) {
		for (last = first; last < CPU_SETSIZE && CPU_ISSET(last, &set); last++)
			;
		if (last == first)
			continue;
		at += (size_t)snprintf(text + at, len - at, last - first > 1 ? "%s%d-%d" : "%s%d", at ? ", " : "", first, last - 1);
	}
	return text;
}

static int stay_on(int cpu, char *err, size_t err_len)
{
	char text[200];
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (cpu < CPU_SETSIZE && sched_setaffinity(0, sizeof(set), &set) == 0)
		return 0;
	snprintf(err, err_len, "cannot stay on processor %d; this machine gives us %s", cpu, list_processors(text, sizeof(text)));
	return -EINVAL;
}

static bool by_session(void)
{
	int fd = open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
	char on = '0';

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '0';
	close(fd);
	return on == '1';
}

bool wt_claim_wants_session(const struct wt_options *options)
{
	return options->realtime && options->release == WT_RELEASE_SPIN && getsid(0) != getpid() && by_session();
}

/* Of a session of ours alone the niceness counts, against those of others; a process's own counts within its session. */
static void raise_session(void)
{
	int fd = getsid(0) == getpid() && by_session() ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, "-20", 3); /* where that is forbidden, it waits for others as others do: the verdict says what becomes of it */
	close(fd);
}

/* One that never sleeps would be stopped for 50 ms in each second under SCHED_FIFO (sched_rt_runtime_us): it gets the least niceness instead. */
static int go_before_others(bool spins, char *err, size_t err_len)
{
	struct sched_param least = {.sched_priority = 1};

	if (spins ? !setpriority(PRIO_PROCESS, 0, -20) : !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least))
		return 0;
	snprintf(err, err_len, "real-time priority: %s (needs CAP_SYS_NICE or a limit RLIMIT_RTPRIO)", strerror(errno));
	return -errno;
}

/*
 * The kernel's power management lets a process state how long a wake-up may take (PM QoS); with 0 us idle processors poll. The
 * statement holds while the device is open.
 */
static int stay_awake(struct wt_priority *claim, char *err, size_t err_len)
{
	static const char device[] = "/dev/cpu_dma_latency";
	static const int32_t latency_us;
	int fd = open(device, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0 || write(fd, &latency_us, sizeof(latency_us)) != sizeof(latency_us))
		error = errno;
	if (!error) {
		claim->awake = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	snprintf(err, err_len, "cannot keep processors awake: %s: %s", device, strerror(error));
	return -error;
}

int wt_priority(struct wt_priority *claim, const struct wt_options *options, char *err, size_t err_len)
{
	int error = stay_on(options->cpu, err, err_len);

	if (!error && options->realtime)
		error = go_before_others(options->release == WT_RELEASE_SPIN, err, err_len);
	if (!error && options->realtime && options->release == WT_RELEASE_SPIN)
		raise_session();
	if (!error && options->awake)
		error = stay_awake(claim, err, err_len);
	return error;
}

void wt_claim_finish(struct wt_priority *claim)
{
	if (claim->awake)
		close(claim->awake);
	claim->awake = 0;
}
