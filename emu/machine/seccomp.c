/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define OTHER_TABLE 0x40000000u /* calls of the x32 ABI have this bit */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define OTHER_TABLE UINT32_MAX
#endif

/* The address sanitizer switches stacks before the end; its search for leaks there needs more, and is switched off (ASAN_OPTIONS). */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#ifdef ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW_IT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE_IT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define END_IT BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
/* The low half of an argument: flags fit, and both processors are little-endian. */
#define WITHOUT(number, argument, bits) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[argument]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), END_IT, \
	ALLOW_IT

int wt_seccomp(void)
{
	static struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		END_IT,
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_TABLE, 0, 1),
		END_IT,
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), ALLOW_IT,
#include "emu/machine/seccomp.def"
#ifdef SANITIZED
		ALLOW(sigaltstack)
#endif
#undef ALLOW
		/* libc asks for one when it looks up names (port http) of a file that is read again, and does without */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 1), REFUSE_IT,
		WITHOUT(__NR_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC),
		WITHOUT(__NR_mmap, 2, PROT_EXEC),
		WITHOUT(__NR_mprotect, 2, PROT_EXEC),
		END_IT,
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

#else

int wt_seccomp(void)
{
	return -ENOSYS;
}

#endif
