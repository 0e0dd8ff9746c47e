/* SPDX-License-Identifier: BSD-2-Clause */
/* Under the filter a process does what an emulator does, and is ended by what none does. Each call in a child of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emu/machine/seccomp.h"

/* The number of the call stands for a library function that makes it, whatever else that would do. */
static int make(long number, long a, long b, long c)
{
	return (int)syscall(number, a, b, c, 0, -1, 0);
}

/* How the child ended: 0, or the signal. */
static int in_a_child(long number, long a, long b, long c)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		prctl(PR_SET_DUMPABLE, 0);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || wt_seccomp())
			_exit(1);
		make(number, a, b, c);
		syscall(SYS_exit_group, 0); /* not _exit(): a sanitizer would make calls of its own */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void what_an_emulator_does_passes(void **state)
{
	long file = (long)"/proc/stat";

	assert_int_equal(in_a_child(SYS_read, -1, 0, 0), 0);
	assert_int_equal(in_a_child(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC), 0);
	assert_int_equal(in_a_child(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(in_a_child(SYS_mprotect, 0, 0, PROT_READ), 0);
	assert_int_equal(in_a_child(SYS_bind, -1, 0, 0), 0);
	assert_int_equal(in_a_child(SYS_accept4, -1, 0, 0), 0);
	assert_int_equal(in_a_child(SYS_getrusage, 0, 0, 0), 0);
	assert_int_equal(in_a_child(SYS_sysinfo, 0, 0, 0), 0);
}

static void what_none_does_ends_it(void **state)
{
	static const long calls[] = {SYS_execve, SYS_clone, SYS_connect, SYS_kill, SYS_ptrace, SYS_setns, SYS_unshare, SYS_mount,
				     SYS_prctl, SYS_bpf, SYS_chdir, SYS_memfd_create, SYS_renameat2, SYS_process_vm_readv, SYS_setuid, 5000, -1};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (in_a_child(calls[i], 0, 0, 0) != SIGSYS)
			fail_msg("call %ld did not end the process", calls[i]);
#ifdef __x86_64__
	assert_int_equal(in_a_child(0x40000000 | SYS_read, -1, 0, 0), SIGSYS);
#endif
}

/* To look up names libc tries to make one, and goes on if it cannot. */
static void a_socket_is_refused_and_ends_nothing(void **state)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		long made;

		prctl(PR_SET_DUMPABLE, 0);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || wt_seccomp())
			_exit(1);
		made = syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
		syscall(SYS_exit_group, made == -1 && errno == EACCES ? 7 : 8);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void files_are_read_only_and_memory_is_not_executed(void **state)
{
	static const int modes[] = {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		assert_int_equal(in_a_child(SYS_openat, AT_FDCWD, (long)"/nowhere", modes[i]), SIGSYS);
	assert_int_equal(in_a_child(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC), SIGSYS);
	assert_int_equal(in_a_child(SYS_mprotect, 0, 0, PROT_EXEC | PROT_WRITE), SIGSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_emulator_does_passes),
		cmocka_unit_test(what_none_does_ends_it),
		cmocka_unit_test(a_socket_is_refused_and_ends_nothing),
		cmocka_unit_test(files_are_read_only_and_memory_is_not_executed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
