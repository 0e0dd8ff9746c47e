/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/labs.h"
#include "tools/app/station.h"

static char folder[] = "/tmp/wavetank-unit-XXXXXX";
static char err[300];

static int setup(void **state)
{
	return mkdtemp(folder) && setenv("XDG_RUNTIME_DIR", folder, 1) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	char path[WT_LAB_PATH];

	wt_lab_path(path, "x", NULL);
	path[strlen(path) - 2] = 0; /* LABS, without "/x" */
	rmdir(path);
	snprintf(path, sizeof(path), "%s/wavetank", folder);
	rmdir(path);
	return rmdir(folder);
}

static struct wt_lab example(const char *name, pid_t keeper)
{
	struct wt_lab lab = {.backend = "tap", .fwd = "delay 15ms", .rev = "loss 1%", .seed = 1ull << 62, .created = 12345};
	char path[WT_LAB_PATH];

	strcpy(lab.name, name);
	lab.keeper = (struct wt_lab_process){keeper, wt_process_start(keeper)};
	lab.emulator.pid = 7;
	wt_lab_path(path, name, NULL);
	assert_int_equal(mkdir(path, 0700), 0);
	return lab;
}

static void a_stored_lab_is_loaded_as_it_was(void **state)
{
	int lock = wt_labs_lock(err, sizeof(err));
	struct wt_lab lab, loaded;

	assert_true(lock >= 0);
	lab = example("one", getpid());
	for (unsigned i = 0; i < 3; i++) {
		struct wt_lab_place *host = wt_lab_add_host(&lab, i == 2 ? "far" : i ? "b" : "a");

		host->addr = wt_lab_kernel_addr(i);
		host->process = (struct wt_lab_process){100 + (pid_t)i, 7};
	}
	assert_true(wt_addr_parse("10.0.3.1", &lab.host[2].gateway) && wt_mac_parse("02:77:74:10:01:ff", &lab.host[2].gateway_mac));
	assert_int_equal(wt_lab_store(&lab), 0);
	assert_int_equal(wt_lab_load("one", &loaded), 0);
	assert_int_equal(loaded.hosts, 3);
	assert_memory_equal(lab.host, loaded.host, 3 * sizeof(*lab.host));
	wt_lab_finish(&loaded);
	assert_true(wt_lab_find("one", &loaded));
	assert_int_equal(wt_lab_host(&loaded, "far")->gateway_mac.bytes[5], 255);
	assert_null(wt_lab_host(&loaded, "fa"));
	wt_lab_finish(&loaded);
	wt_lab_finish(&lab);
	lab = loaded = example("two", getpid());
	assert_int_equal(wt_lab_store(&lab), 0);
	assert_int_equal(wt_lab_load("two", &loaded), 0);
	assert_memory_equal(&lab, &loaded, sizeof(lab));
	assert_false(wt_lab_find("three", &loaded));
	wt_lab_remove("one");
	wt_lab_remove("two");
	assert_int_equal(wt_lab_load("one", &loaded), -ENOENT);
	close(lock);
}

static void a_lab_whose_keeper_is_gone_is_removed_by_the_next_scan(void **state)
{
	int lock = wt_labs_lock(err, sizeof(err));
	struct wt_lab lab, reused, loaded;
	pid_t child = fork();

	assert_true(lock >= 0);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	lab = example("gone", child);
	lab.keeper.start = 1;
	assert_int_equal(wt_lab_store(&lab), 0);
	reused = example("reused", getpid());
	reused.keeper.start++; /* the pid lives, but it is somebody else's now */
	assert_int_equal(wt_lab_store(&reused), 0);
	assert_int_equal(wt_labs_scan(NULL, NULL), 0);
	assert_int_equal(wt_lab_load("gone", &loaded), -ENOENT);
	assert_int_equal(wt_lab_load("reused", &loaded), -ENOENT);
	close(lock);
}

static void a_damaged_state_is_removed_and_not_believed(void **state)
{
	int lock = wt_labs_lock(err, sizeof(err));
	struct wt_lab lab = {0};
	char path[WT_LAB_PATH];
	FILE *file;

	assert_true(lock >= 0);
	example("damaged", getpid());
	wt_lab_path(path, "damaged", "state.json");
	file = fopen(path, "w");
	fputs("{\"backend\": 3}", file);
	fclose(file);
	assert_int_equal(wt_lab_load("damaged", &lab), -EINVAL);
	assert_int_equal(wt_labs_scan(NULL, NULL), 0);
	assert_int_equal(wt_lab_load("damaged", &lab), -ENOENT);
	close(lock);
}

static void names_of_labs_cannot_leave_their_folder(void **state)
{
	assert_true(wt_lab_name_ok("demo-1_a"));
	assert_false(wt_lab_name_ok(""));
	assert_false(wt_lab_name_ok(".."));
	assert_false(wt_lab_name_ok("a/b"));
	assert_false(wt_lab_name_ok("-x"));
	assert_false(wt_lab_name_ok("a23456789012345678901234567890123"));
}

static void host_names_are_known_inside_a_lab_only(void **state)
{
	struct wt_addr addr, kernel = wt_lab_kernel_addr(1), engine = wt_lab_engine_addr(&kernel, 0);
	char path[] = "/tmp/test_lab_hosts_XXXXXX";
	static const char hosts[] = "127.0.0.1 localhost\n10.77.0.1 a a.kernel\n10.77.0.101 a.engine\n10.77.0.2 b b.kernel\n10.77.0.102 b.engine\n";
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, hosts, sizeof(hosts) - 1) == (ssize_t)sizeof(hosts) - 1);
	close(fd);
	unsetenv("WAVETANK_LAB");
	assert_int_equal(wt_station_resolve("b", &addr, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_station_resolve("10.1.2.3", &addr, err, sizeof(err)), 0);
	setenv("WAVETANK_LAB", "demo", 1);
	setenv("WAVETANK_HOST", "a", 1);
	setenv("WAVETANK_ADDRESS", "10.77.0.101/24", 1);
	setenv("WAVETANK_HOSTS", path, 1);
	assert_int_equal(wt_station_resolve("b", &addr, err, sizeof(err)), 0);
	assert_true(wt_addr_eq(&addr, &engine));
	assert_int_equal(wt_station_resolve("b.engine", &addr, err, sizeof(err)), 0);
	assert_true(wt_addr_eq(&addr, &engine));
	assert_int_equal(wt_station_resolve("b.kernel", &addr, err, sizeof(err)), 0);
	assert_true(wt_addr_eq(&addr, &kernel));
	assert_int_equal(wt_station_resolve("c", &addr, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_station_resolve("b.", &addr, err, sizeof(err)), -EINVAL);
	unsetenv("WAVETANK_LAB");
	unsetenv("WAVETANK_HOST");
	unsetenv("WAVETANK_ADDRESS");
	unsetenv("WAVETANK_HOSTS");
	unlink(path);
}

static void the_addresses_of_a_lab_never_meet(void **state)
{
	struct wt_addr all[2 * (WT_LAB_ENGINES + 1)];
	unsigned count = 0;

	for (unsigned host = 0; host < 2; host++) {
		struct wt_addr kernel = wt_lab_kernel_addr(host);

		all[count++] = kernel;
		for (unsigned i = 0; i < WT_LAB_ENGINES; i++)
			all[count++] = wt_lab_engine_addr(&kernel, i);
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < i; j++) {
			struct wt_mac a = wt_addr_mac(&all[i]), b = wt_addr_mac(&all[j]);

			assert_false(wt_addr_eq(&all[i], &all[j]));
			assert_memory_not_equal(&a, &b, sizeof(a));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stored_lab_is_loaded_as_it_was),
		cmocka_unit_test(a_lab_whose_keeper_is_gone_is_removed_by_the_next_scan),
		cmocka_unit_test(a_damaged_state_is_removed_and_not_believed),
		cmocka_unit_test(names_of_labs_cannot_leave_their_folder),
		cmocka_unit_test(host_names_are_known_inside_a_lab_only),
		cmocka_unit_test(the_addresses_of_a_lab_never_meet),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
