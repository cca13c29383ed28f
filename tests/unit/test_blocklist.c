/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_blocklist.c - the blocklist against what the manual says of
 * it, call by call.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/msdos_fs.h>
#include <linux/netlink.h>
#include <netinet/in.h>
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
#include "tests/unit/bpf_interpreter.h"

#include <cmocka.h>	/* late: its fail() is a macro */

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)
#define CLOSED SECCOMP_RET_KILL_PROCESS
#define X86 AUDIT_ARCH_X86_64
#define ARM AUDIT_ARCH_AARCH64
#define X32_BIT 0x40000000U
#define NEWER 470 /* than file_setattr, the last that is known */
#define GARBAGE 0xdeadbeef00000000ULL

#define NAMES(...) \
	{ (const char *[]){ __VA_ARGS__ }, \
	  COUNT(((const char *[]){ __VA_ARGS__ })) }

static const uint32_t archs[] = { X86, ARM };

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
};

/* Arguments that are refused, and some that are not, by default. */
static const struct {
	const char *call;
	uint64_t bad[3], good[3];
} filtered[] = {
	{ "clone", { CLONE_NEWUSER | 17 }, { CLONE_VM | CLONE_THREAD } },
	{ "personality", { READ_IMPLIES_EXEC }, { 0xffffffff } },
	{ "seccomp", { 1, 1 << 3 }, { 1, 0 } },
	{ "socket", { AF_PACKET, SOCK_RAW, 3 }, { AF_UNIX, SOCK_STREAM, 0 } },
	{ "socketpair", { AF_TIPC, SOCK_STREAM }, { AF_UNIX, SOCK_DGRAM } },
	{ "ioctl", { 0, TIOCSTI }, { 0, TCGETS } },
};

static const struct confine_blocklist plain = {
	.inet = true, .udp = true, .icmp = true,
};

/* What an earlier program took is given back: there is one at a time. */
static struct confine_filter build(void **state, uint32_t arch,
				   const struct confine_blocklist *list)
{
	struct arena *arena = *state;
	struct confine_filter filter;

	memset(arena->memory, 0, arena->used);
	arena->used = 0;
	assert_int_equal(confine_blocklist(arena, arch, list, &filter), 0);
	return filter;
}

/* The number, or -1 where there is no such call. */
static int number_of(uint32_t arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch, name);

	if (streq(name, "open_tree_attr"))
		return 467;
	if (streq(name, "statmount"))
		return 457;
	if (streq(name, "listmount"))
		return 458;
	assert_int_not_equal(number, __NR_SCMP_ERROR);
	return number < 0 ? -1 : number;
}

static uint32_t ask(const struct confine_filter *filter, uint32_t arch,
		    uint32_t number, const uint64_t *args)
{
	struct seccomp_data call = { .arch = arch, .nr = (int)number };

	if (args)
		memcpy(call.args, args, 3 * sizeof *args);
	return bpf_run(filter->code, filter->len, &call);
}

static void expect(uint32_t action, uint32_t expected, const char *what,
		   uint32_t number)
{
	if (action != expected)
		print_error("%s, call %u: %#x, not %#x\n", what, number, action,
			    expected);
	assert_int_equal(action, expected);
}

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
		uint32_t expected = number == 435 ? ABSENT : REFUSE;

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
	struct oci_strings allow, deny;
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
		int number = streq(call, "fchmodat2") ? 452 :
							number_of(arch, call);

		list.extra_allow = combinations[row].allow;
		list.extra_deny = combinations[row].deny;
		filter = build(state, arch, &list);
		expect(ask(&filter, arch, (uint32_t)number, NULL),
		       combinations[row].expected, call, (uint32_t)number);
	}
}

static const struct {
	struct oci_strings allow, deny;
	const char *text;	/* NULL: no error */
} names[] = {
	{ NAMES("swap", "mounts"), { 0 }, "syscalls.extra_allow: 'mounts'" },
	{ NAMES("unshare"), { 0 }, "'unshare' is no group" },
	{ NAMES(""), { 0 }, "'' is no group" },
	{ { 0 }, NAMES("bpf", "openn"), "syscalls.extra_deny: 'openn'" },
	{ { 0 }, NAMES("Swap"), "'Swap' is no system call" },
	{ { 0 }, NAMES(""), "'' is no system call" },
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
					   &filter), -ENOTSUP);
}

/* ---- arguments ---- */

struct arguments {
	const char *call;
	uint64_t args[3];
	uint32_t expected;
};

static const struct arguments arguments[] = {
	{ "clone", { 17 }, ALLOW },
	{ "clone", { 0x003d0f00 }, ALLOW },	/* of pthread_create */
	{ "clone", { CLONE_NEWNS }, REFUSE },
	{ "clone", { CLONE_NEWCGROUP }, REFUSE },
	{ "clone", { CLONE_NEWUTS }, REFUSE },
	{ "clone", { CLONE_NEWIPC }, REFUSE },
	{ "clone", { CLONE_NEWUSER }, REFUSE },
	{ "clone", { CLONE_NEWPID }, REFUSE },
	{ "clone", { CLONE_NEWNET }, REFUSE },
	{ "clone", { CLONE_VM | CLONE_NEWUSER | 17 }, REFUSE },
	{ "clone", { 0x80000000 }, ALLOW },	/* CLONE_IO */
	{ "clone", { 0x80 }, ALLOW },		/* a signal, not a namespace */
	{ "clone", { 0, CLONE_NEWUSER }, ALLOW },
	{ "ioctl", { 0, TIOCSTI }, REFUSE },
	{ "ioctl", { 0, TIOCLINUX }, REFUSE },
	{ "ioctl", { 0, TIOCSETD }, REFUSE },
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
		uint64_t args[3];

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
		uint64_t args[] = { 1, 7, rows[i].limit };

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
	lifted.extra_allow = (struct oci_strings){ terminal, 1 };
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

/* ---- sockets ---- */

static bool is_socket(const struct confine_blocklist *list, bool raw,
		      uint32_t family, uint32_t type, uint32_t protocol)
{
	bool inet = family == AF_INET || family == AF_INET6;
	uint32_t icmp = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;

	type &= ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (raw && list->inet) {
		if (!inet || type != SOCK_DGRAM)
			return true;
		return protocol == icmp ? list->icmp : list->udp;
	}
	if (family == AF_UNIX)
		return type == SOCK_STREAM || type == SOCK_DGRAM ||
		       type == SOCK_SEQPACKET;
	if (family == AF_NETLINK)
		return (type == SOCK_RAW || type == SOCK_DGRAM) &&
		       protocol == NETLINK_ROUTE;
	if (!inet || !list->inet)
		return false;
	if (type == SOCK_STREAM)
		return protocol == 0 || protocol == IPPROTO_TCP;
	if (type != SOCK_DGRAM)
		return false;
	if (protocol == icmp)
		return list->icmp;
	return list->udp && (protocol == 0 || protocol == IPPROTO_UDP);
}

static void check_sockets(const struct confine_filter *filter, uint32_t arch,
			  const struct confine_blocklist *list)
{
	static const uint32_t protocols[] = {
		0, 1, 2, 6, 9, 16, 17, 58, 132, 136, 255, 262, 0xffffffff,
		0x80000006,
	};
	static const uint32_t flags[] = {
		0, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK,
		0x10, 0x80000000,
	};
	uint32_t number = (uint32_t)number_of(arch, "socket");

	for (uint32_t family = 0; family < 64; family++)
		for (uint32_t type = 0; type < 16 * COUNT(flags); type++)
			for (size_t i = 0; i < COUNT(protocols); i++) {
				uint64_t args[] = {
					family | (i % 2 ? GARBAGE : 0),
					type % 16 | flags[type / 16] |
						(type % 3 ? GARBAGE : 0),
					protocols[i] |
						(type % 2 ? GARBAGE : 0),
				};
				bool is = is_socket(list, list->extra_allow.n,
						    family, (uint32_t)args[1],
						    protocols[i]);

				expect(ask(filter, arch, number, args),
				       is ? ALLOW : REFUSE, "socket", family);
			}
}

/* Raw sockets are no way around the families, either. */
static void check_pairs(const struct confine_filter *filter, uint32_t arch,
			const struct confine_blocklist *list)
{
	uint32_t number = (uint32_t)number_of(arch, "socketpair");
	bool raw = list->extra_allow.n && list->inet;

	for (uint32_t family = 0; family < 64; family++) {
		uint64_t args[] = { family, SOCK_STREAM, 0 };

		expect(ask(filter, arch, number, args),
		       raw || family == AF_UNIX ? ALLOW : REFUSE, "socketpair",
		       family);
	}
}

static void sockets_are_those_of_the_rules(void **state)
{
	static const char *raw[] = { "raw_sockets" };

	for (unsigned int bits = 0; bits < 16; bits++) {
		struct confine_blocklist list = {
			.extra_allow = { raw, bits & 1 }, .inet = bits & 2,
			.udp = bits & 4, .icmp = bits & 8,
		};
		uint32_t arch = archs[bits / 2 % 2];
		struct confine_filter filter = build(state, arch, &list);

		check_sockets(&filter, arch, &list);
		check_pairs(&filter, arch, &list);
	}
}

/* Data that opens a connection, and the bit alone. */
static void fast_open_is_refused_where_asked(void **state)
{
	static const struct {
		const char *call;
		size_t flags;
	} rows[] = { { "sendto", 3 }, { "sendmsg", 2 }, { "sendmmsg", 3 } };
	struct confine_blocklist list = plain;

	for (unsigned int i = 0; i < 2 * COUNT(rows); i++) {
		uint32_t arch = archs[i % 2];
		struct seccomp_data call = {
			.arch = arch, .nr = number_of(arch, rows[i / 2].call),
		};
		struct confine_filter filter;

		call.args[rows[i / 2].flags] =
			GARBAGE | MSG_FASTOPEN | MSG_NOSIGNAL;
		list.no_fast_open = true;
		filter = build(state, arch, &list);
		expect(bpf_run(filter.code, filter.len, &call), REFUSE,
		       rows[i / 2].call, 1);
		call.args[rows[i / 2].flags] = GARBAGE | MSG_NOSIGNAL;
		expect(bpf_run(filter.code, filter.len, &call), ALLOW,
		       rows[i / 2].call, 2);
		list.no_fast_open = false;
		call.args[rows[i / 2].flags] = MSG_FASTOPEN;
		filter = build(state, arch, &list);
		expect(bpf_run(filter.code, filter.len, &call), ALLOW,
		       rows[i / 2].call, 3);
	}
}

/* ---- other ABIs ---- */

static void other_abis_are_closed(void **state)
{
	static const uint32_t odd[] = {
		AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0,
	};

	for (size_t i = 0; i < COUNT(archs); i++) {
		struct confine_filter filter = build(state, archs[i], &plain);

		for (uint32_t number = 0; number < 1024; number++) {
			for (size_t j = 0; j < COUNT(odd); j++)
				expect(ask(&filter, odd[j], number, NULL),
				       CLOSED, "architecture", odd[j]);
			expect(ask(&filter, archs[1 - i], number, NULL),
			       CLOSED, "the other one", number);
		}
		expect(ask(&filter, archs[i], UINT32_MAX, NULL), ALLOW,
		       "no call", UINT32_MAX);
		for (uint32_t number = NEWER; number < 1024; number++)
			expect(ask(&filter, archs[i], number, NULL),
			       archs[i] == X86 && number >= 512 &&
					       number < 548 ?
				       CLOSED :
				       ABSENT,
			       "of a newer kernel", number);
	}
}

static void x32_is_closed(void **state)
{
	struct confine_filter filter = build(state, X86, &plain);

	for (uint32_t number = 0; number < 1024; number++)
		expect(ask(&filter, X86, X32_BIT | number, NULL), CLOSED, "x32",
		       number);
	expect(ask(&filter, X86, X32_BIT - 1, NULL), ABSENT, "before", 0);
	expect(ask(&filter, X86, UINT32_MAX - 1, NULL), CLOSED, "after", 0);
	expect(ask(&filter, X86, 0x80000000, NULL), CLOSED, "negative", 0);
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
		cmocka_unit_test(sockets_are_those_of_the_rules),
		cmocka_unit_test(fast_open_is_refused_where_asked),
		cmocka_unit_test(other_abis_are_closed),
		cmocka_unit_test(x32_is_closed),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
