/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_blocklist.c - the blocklist against what the manual says of
 * it, call by call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/msdos_fs.h>
#include <sched.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/confine.h"
#include "policy/syscalls.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/blocklist_asked.h"

#define NAMES(...)                                               \
	{                                                        \
		(const char *[]){ __VA_ARGS__, NULL },           \
			COUNT(((const char *[]){ __VA_ARGS__ })) \
	}

/* As the manual has it; "~" before those that depend on their arguments. */
static const struct {
	const char *name;
	const char *calls;
} groups[] = {
	{ "sysv_ipc",
	  "shmget shmat shmdt shmctl msgget msgsnd msgrcv msgctl semget semop "
	  "semctl semtimedop" },
	{ "mount",
	  "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount "
	  "fsopen fsconfig fsmount fspick mount_setattr statmount listmount" },
	{ "namespaces", "unshare setns clone3 ~clone" },
	{ "module", "init_module finit_module delete_module" },
	{ "kexec", "kexec_load kexec_file_load" },
	{ "reboot", "reboot" },
	{ "swap", "swapon swapoff" },
	{ "ptrace",
	  "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp "
	  "process_madvise" },
	{ "keyring", "keyctl add_key request_key" },
	{ "bpf", "bpf" },
	{ "perf", "perf_event_open" },
	{ "userfaultfd", "userfaultfd" },
	{ "io_uring", "io_uring_setup io_uring_enter io_uring_register" },
	{ "handle", "open_by_handle_at name_to_handle_at" },
	{ "clock", "settimeofday clock_settime clock_adjtime adjtimex" },
	{ "io", "ioperm iopl modify_ldt" },
	{ "admin",
	  "sethostname setdomainname quotactl quotactl_fd acct syslog vhangup "
	  "fanotify_init lookup_dcookie nfsservctl uselib ustat move_pages "
	  "migrate_pages ~personality ~seccomp" },
	{ "raw_sockets", "~socket ~socketpair" },
	{ "terminal", "~ioctl" },
	{ "suid",
	  "openat2 ~chmod ~fchmod ~fchmodat ~fchmodat2 ~mknod ~mknodat ~open "
	  "~openat ~creat" },
};

/* Arguments that are refused, and some that are not, by default. */
static const struct {
	const char *call;
	uint64_t bad[4], good[4];
} filtered[] = {
	{ "clone", { CLONE_NEWUSER | 17 }, { CLONE_VM | CLONE_THREAD } },
	{ "personality", { READ_IMPLIES_EXEC }, { 0xffffffff } },
	{ "seccomp", { 1, 1 << 3 }, { 1, 0 } },
	{ "socket", { AF_PACKET, SOCK_RAW, 3 }, { AF_UNIX, SOCK_STREAM, 0 } },
	{ "socketpair", { AF_TIPC, SOCK_STREAM }, { AF_UNIX, SOCK_DGRAM } },
	{ "ioctl", { 0, TIOCSTI }, { 0, TCGETS } },
	{ "chmod", { 0, 04755 }, { 0, 01755 } },
	{ "fchmod", { 0, 02755 }, { 04755, 0755 } },
	{ "fchmodat", { 0, 0, 04755 }, { 0, 04755, 0755 } },
	{ "fchmodat2", { 0, 0, 02000 }, { 0, 04755, 0755, 04755 } },
	{ "mknod", { 0, 0104755 }, { 0, 0100755, 04755 } },
	{ "mknodat", { 0, 0, 0102755 }, { 0, 0, 0100755, 04755 } },
	{ "creat", { 0, 06755 }, { 0, 0755 } },
	{ "open", { 0, O_CREAT, 04755 }, { 0, O_RDWR, 04755 } },
	{ "openat", { 0, 0, O_TMPFILE, 02755 }, { 0, O_CREAT, 0, 04755 } },
};

/* ---- groups ---- */

/* Which numbers a group refuses, and which it only filters. */
static void mark(uint32_t arch, const char *calls, bool *refused,
		 bool *is_filtered)
{
	char text[256], *save = NULL;

	snprintf(text, sizeof text, "%s", calls);
	for (char *name = strtok_r(text, " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		bool filter = *name == '~';
		int number = number_of(arch, name + filter);

		if (number >= 0)
			*(filter ? &is_filtered[number] : &refused[number]) =
				true;
	}
}

static void check_filtered(const struct confine_filter *filter, uint32_t arch,
			   const bool *is_filtered)
{
	for (size_t i = 0; i < COUNT(filtered); i++) {
		uint32_t number = (uint32_t)number_of(arch, filtered[i].call);

		if (number >= NEWER)
			continue;
		expect(ask(filter, arch, number, filtered[i].good), ALLOW,
		       "good arguments", number);
		expect(ask(filter, arch, number, filtered[i].bad),
		       is_filtered[number] ? REFUSE : ALLOW, "bad arguments",
		       number);
	}
}

/* lifted: a bit for each group in extra_allow. */
static void check_groups(void **state, uint32_t arch, uint32_t lifted)
{
	bool refused[NEWER] = { false }, is_filtered[NEWER] = { false };
	const char *names[COUNT(groups)];
	struct confine_blocklist list = plain;
	struct confine_filter filter;

	list.extra_allow.items = names;
	for (size_t i = 0; i < COUNT(groups); i++) {
		if (lifted & 1U << i)
			names[list.extra_allow.n++] = groups[i].name;
		else
			mark(arch, groups[i].calls, refused, is_filtered);
	}
	filter = build(state, arch, &list);
	check_filtered(&filter, arch, is_filtered);
	for (uint32_t number = 0; number < COUNT(refused); number++) {
		uint32_t expected = number == 435 || number == 437 ? ABSENT :
								     REFUSE;

		if (!is_filtered[number])
			expect(ask(&filter, arch, number, NULL),
			       refused[number] ? expected : ALLOW, "group",
			       number);
	}
}

static void every_group_is_refused_and_can_be_lifted(void **state)
{
	assert_int_equal(COUNT(groups), SYSCALLS_GROUPS);
	for (size_t i = 0; i < COUNT(archs); i++) {
		check_groups(state, archs[i], 0);
		check_groups(state, archs[i], (1U << COUNT(groups)) - 1);
		for (size_t j = 0; j < COUNT(groups); j++)
			check_groups(state, archs[i], 1U << j);
	}
}

static const struct {
	struct strings allow, deny;
	const char *call;
	uint32_t expected;
} combinations[] = {
	{ { 0 }, { 0 }, "memfd_create", ALLOW },
	{ { 0 }, NAMES("memfd_create"), "memfd_create", REFUSE },
	{ { 0 }, NAMES("memfd_create", "listen"), "listen", REFUSE },
	{ { 0 }, NAMES("fchmodat2"), "fchmodat2", REFUSE },
	{ NAMES("ptrace"), { 0 }, "kcmp", ALLOW },
	{ NAMES("ptrace"), NAMES("kcmp"), "kcmp", REFUSE },
	{ NAMES("ptrace"), NAMES("kcmp"), "pidfd_getfd", ALLOW },
	/* A group, not only the call of that name. */
	{ NAMES("ptrace"), NAMES("ptrace"), "kcmp", REFUSE },
	{ NAMES("mount", "bpf"), NAMES("mount"), "fsopen", REFUSE },
	{ NAMES("mount", "bpf"), NAMES("mount"), "bpf", ALLOW },
	{ NAMES("namespaces"), { 0 }, "clone3", ALLOW },
	{ NAMES("namespaces"), NAMES("clone3"), "clone3", ABSENT },
	{ { 0 }, { 0 }, "openat2", ABSENT },
	{ NAMES("suid"), { 0 }, "openat2", ALLOW },
	{ NAMES("suid"), NAMES("suid"), "openat2", ABSENT },
	{ NAMES("suid"), NAMES("openat2"), "openat2", ABSENT },
	/* All of a call that is filtered otherwise. */
	{ { 0 }, { 0 }, "clone", ALLOW },
	{ { 0 }, NAMES("clone"), "clone", REFUSE },
	{ { 0 }, NAMES("ioctl"), "ioctl", REFUSE },
	{ NAMES("terminal"), NAMES("ioctl"), "ioctl", REFUSE },
};

static void deny_wins_over_allow(void **state)
{
	for (size_t i = 0; i < COUNT(combinations) * COUNT(archs); i++) {
		size_t row = i / COUNT(archs);
		uint32_t arch = archs[i % COUNT(archs)];
		struct confine_blocklist list = plain;
		struct confine_filter filter;
		const char *call = combinations[row].call;
		int number = number_of(arch, call);

		list.extra_allow = combinations[row].allow;
		list.extra_deny = combinations[row].deny;
		filter = build(state, arch, &list);
		expect(ask(&filter, arch, (uint32_t)number, NULL),
		       combinations[row].expected, call, (uint32_t)number);
	}
}

static const struct {
	struct strings allow, deny;
	const char *text; /* NULL: no error */
} names[] = {
	{ NAMES("swap", "mounts"), { 0 }, "syscalls.extra_allow: 'mounts'" },
	{ NAMES("unshare"), { 0 }, "'unshare' is not a group" },
	{ NAMES(""), { 0 }, "'' is not a group" },
	{ { 0 }, NAMES("bpf", "openn"), "syscalls.extra_deny: 'openn'" },
	{ { 0 }, NAMES("Swap"), "'Swap' is not a system call" },
	{ { 0 }, NAMES(""), "'' is not a system call" },
	/* One that another architecture has. */
	{ { 0 }, NAMES("ioperm", "arch_prctl", "socketcall", "rtas"), NULL },
};

static void unknown_names_are_errors(void **state)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		struct confine_blocklist list = {
			.extra_allow = names[i].allow,
			.extra_deny = names[i].deny,
		};
		struct confine_filter filter = { 0 };
		int r;

		err_clear();
		r = confine_blocklist(*state, ARM, &list, &filter);
		if (names[i].text && !strstr(err_text(), names[i].text))
			print_error("%s: %s\n", names[i].text, err_text());
		assert_int_equal(r, names[i].text ? -EINVAL : 0);
		if (names[i].text)
			assert_non_null(strstr(err_text(), names[i].text));
		assert_int_equal(filter.len == 0, r < 0);
	}
}

static void other_architectures_are_errors(void **state)
{
	struct confine_filter filter;

	assert_int_equal(confine_blocklist(*state, AUDIT_ARCH_S390X, &plain,
					   &filter),
			 -ENOTSUP);
}

/* ---- arguments ---- */

struct arguments {
	const char *call;
	uint64_t args[4];
	uint32_t expected;
};

static const struct arguments arguments[] = {
	{ "clone", { 17 }, ALLOW },
	{ "clone", { 0x003d0f00 }, ALLOW }, /* of pthread_create */
	{ "clone", { CLONE_NEWNS }, REFUSE },
	{ "clone", { CLONE_NEWCGROUP }, REFUSE },
	{ "clone", { CLONE_NEWUTS }, REFUSE },
	{ "clone", { CLONE_NEWIPC }, REFUSE },
	{ "clone", { CLONE_NEWUSER }, REFUSE },
	{ "clone", { CLONE_NEWPID }, REFUSE },
	{ "clone", { CLONE_NEWNET }, REFUSE },
	{ "clone", { CLONE_VM | CLONE_NEWUSER | 17 }, REFUSE },
	{ "clone", { 0x80000000 }, ALLOW }, /* CLONE_IO */
	{ "clone", { 0x80 }, ALLOW },	    /* a signal, not a namespace */
	{ "clone", { 0, CLONE_NEWUSER }, ALLOW },
	{ "ioctl", { 0, TIOCSTI }, REFUSE },
	{ "ioctl", { 0, TIOCLINUX }, REFUSE },
	{ "ioctl", { 0, TIOCSETD }, REFUSE },
	{ "ioctl", { 0, TIOCEXCL }, REFUSE },
	{ "ioctl", { 0, TIOCCONS }, REFUSE },
	{ "ioctl", { 0, TIOCVHANGUP }, REFUSE },
	{ "ioctl", { 0, TIOCSLCKTRMIOS }, REFUSE },
	{ "ioctl", { 0, TIOCNXCL }, ALLOW },
	{ "ioctl", { 0, TIOCSCTTY, 1 }, ALLOW },
	{ "ioctl", { TIOCSTI, TIOCSTI - 1 }, ALLOW },
	{ "ioctl", { 0, TIOCSTI + 1 }, ALLOW },
	{ "ioctl", { 0, TIOCLINUX - 1 }, ALLOW },
	{ "ioctl", { 0, TIOCSETD + 1, TIOCSTI }, ALLOW },
	{ "ioctl", { 0, 0x80000000 | TIOCSTI }, ALLOW },
	{ "personality", { 0xffffffff }, ALLOW },
	{ "personality", { 0xfffffffe }, REFUSE },
	{ "personality", { 0 }, REFUSE },
	{ "personality", { ADDR_NO_RANDOMIZE }, REFUSE },
	{ "seccomp", { 0, 0 }, ALLOW },
	{ "seccomp", { 1, 0 }, ALLOW },
	{ "seccomp", { 1, 7 }, ALLOW },
	{ "seccomp", { 1, 8 }, REFUSE },
	{ "seccomp", { 1, 0x1f }, REFUSE },
	{ "seccomp", { 2, 0, 8 }, ALLOW },
	{ "socketpair", { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC }, ALLOW },
	{ "socketpair", { AF_UNIX, SOCK_SEQPACKET }, ALLOW },
	{ "socketpair", { AF_INET, SOCK_STREAM }, REFUSE },
	{ "socketpair", { AF_TIPC, SOCK_STREAM }, REFUSE },
};

/* Of the group suid, where both architectures have the call. */
static const struct arguments modes[] = {
	{ "fchmod", { 0, 0777 }, ALLOW },
	{ "fchmod", { 0, 01777 }, ALLOW },
	{ "fchmod", { 0, 04000 }, REFUSE },
	{ "fchmod", { 0, 02000 }, REFUSE },
	{ "fchmod", { 0, 07777 }, REFUSE },
	{ "fchmod", { 04755, 0755, 04755 }, ALLOW },
	{ "fchmodat", { 0, 04755, 0755 }, ALLOW },
	{ "fchmodat", { 0, 0, 02755 }, REFUSE },
	{ "mknodat", { 0, 0, 0100644 }, ALLOW },
	{ "mknodat", { 0, 0, 0104644 }, REFUSE },
	{ "openat", { 0, 0, O_CREAT, 0666 }, ALLOW },
	{ "openat", { 0, 0, O_CREAT, 01666 }, ALLOW },
	{ "openat", { 0, 0, O_CREAT, 04666 }, REFUSE },
	{ "openat", { 0, 0, O_CREAT | O_WRONLY | O_CLOEXEC, 02666 }, REFUSE },
	{ "openat", { 0, 0, O_TMPFILE | O_RDWR, 06666 }, REFUSE },
	{ "openat", { 0, 0, O_TMPFILE | O_RDWR, 0666 }, ALLOW },
	{ "openat", { 0, 0, O_DIRECTORY, 06666 }, ALLOW },
	{ "openat", { 0, 0, O_RDONLY, 06666 }, ALLOW },
	{ "mkdirat", { 0, 0, 06777 }, ALLOW },
};

/* With no_randomize and listener_follows. */
static const struct arguments when_asked[] = {
	{ "personality", { 0xffffffff }, ALLOW },
	{ "personality", { ADDR_NO_RANDOMIZE }, ALLOW },
	{ "personality", { ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC }, REFUSE },
	{ "personality", { 0 }, REFUSE },
	{ "seccomp", { 1, 8 }, ALLOW },
	{ "ioctl", { 0, TIOCSTI }, REFUSE },
};

/* Where others can be seen: the caller is 0, and each may read. */
static const struct arguments of_itself[] = {
	{ "prlimit64", { 0, 7, 1 }, ALLOW },
	{ "prlimit64", { 1, 7, 1 }, REFUSE },
	{ "setpriority", { PRIO_PROCESS, 0, 5 }, ALLOW },
	{ "setpriority", { PRIO_PROCESS, 1, 5 }, REFUSE },
	{ "setpriority", { PRIO_PGRP, 0, 5 }, REFUSE },
	{ "setpriority", { PRIO_USER, 0, 5 }, REFUSE },
	{ "getpriority", { PRIO_USER, 1 }, ALLOW },
	{ "ioprio_set", { 1, 0, 3 }, ALLOW },
	{ "ioprio_set", { 1, 1, 3 }, REFUSE },
	{ "ioprio_set", { 2, 0, 3 }, REFUSE },
	{ "ioprio_set", { 3, 0, 3 }, REFUSE },
	{ "sched_setscheduler", { 0, 5 }, ALLOW },
	{ "sched_setscheduler", { 1, 5 }, REFUSE },
	{ "sched_setparam", { 0 }, ALLOW },
	{ "sched_setparam", { 1 }, REFUSE },
	{ "sched_setattr", { 0 }, ALLOW },
	{ "sched_setattr", { 1 }, REFUSE },
	/* By the C libraries, of their own threads. */
	{ "sched_setaffinity", { 1 }, ALLOW },
};

/* Of files that may only be read; with and without the terminal's. */
static const struct arguments of_files[] = {
	{ "ioctl", { 0, FS_IOC_SETFLAGS }, REFUSE },
	{ "ioctl", { 0, FS_IOC32_SETFLAGS }, REFUSE },
	{ "ioctl", { 0, FS_IOC_GETFLAGS }, ALLOW },
	{ "ioctl", { 0, FS_IOC_FSSETXATTR }, REFUSE },
	{ "ioctl", { 0, FS_IOC_FSGETXATTR }, ALLOW },
	{ "ioctl", { 0, FS_IOC_SETVERSION }, REFUSE },
	{ "ioctl", { 0, FS_IOC_FIEMAP }, ALLOW },
	{ "ioctl", { 0, FS_IOC_ENABLE_VERITY }, REFUSE },
	{ "ioctl", { 0, FS_IOC_SET_ENCRYPTION_POLICY }, REFUSE },
	{ "ioctl", { 0, FAT_IOCTL_SET_ATTRIBUTES }, REFUSE },
	{ "ioctl", { 0, FICLONE }, ALLOW },
	{ "ioctl", { 0, FICLONERANGE }, ALLOW },
	{ "ioctl", { 0, FIDEDUPERANGE }, ALLOW },
	{ "ioctl", { 0, BTRFS_IOC_SUBVOL_CREATE }, REFUSE },
	{ "ioctl", { 0, TCGETS }, ALLOW },
	{ "ioctl", { 0, FIONREAD }, ALLOW },
	{ "ioctl", { FS_IOC_SETFLAGS, TCGETS, FS_IOC_SETFLAGS }, ALLOW },
};

static void check_arguments(void **state, uint32_t arch,
			    const struct confine_blocklist *list,
			    const struct arguments *rows, size_t n)
{
	struct confine_filter filter = build(state, arch, list);

	for (size_t i = 0; i < n; i++) {
		uint32_t number = (uint32_t)number_of(arch, rows[i].call);
		uint64_t args[4];

		for (size_t j = 0; j < COUNT(args); j++)
			args[j] = rows[i].args[j] | GARBAGE;
		expect(ask(&filter, arch, number, rows[i].args),
		       rows[i].expected, rows[i].call, (uint32_t)i);
		expect(ask(&filter, arch, number, args), rows[i].expected,
		       "with garbage", (uint32_t)i);
	}
}

static void arguments_are_compared_on_32_bits(void **state)
{
	struct confine_blocklist asked = plain;

	asked.no_randomize = true;
	asked.listener_follows = true;
	for (size_t i = 0; i < COUNT(archs); i++) {
		check_arguments(state, archs[i], &plain, arguments,
				COUNT(arguments));
		check_arguments(state, archs[i], &plain, modes, COUNT(modes));
		check_arguments(state, archs[i], &asked, when_asked,
				COUNT(when_asked));
	}
}

/* A pointer is compared whole: half of one may be zero. */
static void check_limits(void **state, uint32_t arch,
			 const struct confine_blocklist *list)
{
	static const struct {
		uint64_t limit;
		uint32_t expected;
	} rows[] = { { 0, ALLOW }, { 1ULL << 32, REFUSE }, { 16, REFUSE } };
	uint32_t number = (uint32_t)number_of(arch, "prlimit64");
	struct confine_filter filter = build(state, arch, list);

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t args[] = { 1, 7, rows[i].limit, 0 };

		expect(ask(&filter, arch, number, args), rows[i].expected,
		       "a limit of another", (uint32_t)i);
	}
}

static void what_is_outside_is_refused_where_asked(void **state)
{
	static const char *terminal[] = { "terminal" };
	struct confine_blocklist list = plain, lifted;

	list.only_itself = true;
	list.no_flags = true;
	lifted = list;
	lifted.extra_allow = (struct strings){ terminal, 1 };
	for (size_t i = 0; i < COUNT(archs); i++) {
		check_arguments(state, archs[i], &list, of_itself,
				COUNT(of_itself));
		check_limits(state, archs[i], &list);
		check_arguments(state, archs[i], &list, arguments,
				COUNT(arguments));
		check_arguments(state, archs[i], &list, of_files,
				COUNT(of_files));
		check_arguments(state, archs[i], &lifted, of_files,
				COUNT(of_files));
	}
	assert_string_equal(confine_process_call(X86, 302), "prlimit64");
	assert_null(confine_process_call(X86, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_group_is_refused_and_can_be_lifted),
		cmocka_unit_test(deny_wins_over_allow),
		cmocka_unit_test(unknown_names_are_errors),
		cmocka_unit_test(other_architectures_are_errors),
		cmocka_unit_test(arguments_are_compared_on_32_bits),
		cmocka_unit_test(what_is_outside_is_refused_where_asked),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
