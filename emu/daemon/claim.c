/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int stay_on(int cpu, char *err, size_t err_len)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	if (cpu >= CPU_SETSIZE || sched_setaffinity(0, sizeof(set), &set)) {
		snprintf(err, err_len, "processor %d: %s", cpu, cpu >= CPU_SETSIZE ? "there is none of that number" : strerror(errno));
		return -EINVAL;
	}
	return 0;
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
static int stay_awake(struct wt_claim *claim, char *err, size_t err_len)
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

int wt_claim(struct wt_claim *claim, const struct wt_plan *plan, char *err, size_t err_len)
{
	int error = stay_on(plan->cpu, err, err_len);

	if (!error && plan->realtime)
		error = go_before_others(plan->release == WT_RELEASE_SPIN, err, err_len);
	if (!error && plan->awake)
		error = stay_awake(claim, err, err_len);
	return error;
}

void wt_claim_finish(struct wt_claim *claim)
{
	if (claim->awake)
		close(claim->awake);
	claim->awake = 0;
}
