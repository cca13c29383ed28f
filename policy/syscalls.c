/* SPDX-License-Identifier: Apache-2.0 */
/* policy/syscalls.c - the table of groups of system calls. */
#include "policy/syscalls.h"

#include <ctype.h>

#include "base/util.h"

#define MAX_NAME 64
#define CALLS(...)                     \
	.calls = (const char *const[]) \
	{                              \
		__VA_ARGS__, NULL      \
	}
#define FILTERED(...)                     \
	.filtered = (const char *const[]) \
	{                                 \
		__VA_ARGS__, NULL         \
	}

static const char *const none[] = { NULL };

static const struct syscall_group_info groups[SYSCALLS_GROUPS] = {
	[SYSCALLS_SYSV_IPC] = { "sysv_ipc",
				CALLS("shmget", "shmat", "shmdt", "shmctl",
				      "msgget", "msgsnd", "msgrcv", "msgctl",
				      "semget", "semop", "semctl",
				      "semtimedop"),
				.filtered = none },
	[SYSCALLS_MOUNT] = { "mount",
			     CALLS("mount", "umount2", "pivot_root", "chroot",
				   "open_tree", "open_tree_attr", "move_mount",
				   "fsopen", "fsconfig", "fsmount", "fspick",
				   "mount_setattr", "statmount", "listmount"),
			     .filtered = none },
	/*
	 * The flags of clone3 are behind a pointer, so a filter cannot see
	 * them.
	 */
	[SYSCALLS_NAMESPACES] = { "namespaces",
				  CALLS("unshare", "setns", "clone3"),
				  FILTERED("clone") },
	[SYSCALLS_MODULE] = { "module",
			      CALLS("init_module", "finit_module",
				    "delete_module"),
			      .filtered = none },
	[SYSCALLS_KEXEC] = { "kexec", CALLS("kexec_load", "kexec_file_load"),
			     .filtered = none },
	[SYSCALLS_REBOOT] = { "reboot", CALLS("reboot"), .filtered = none },
	[SYSCALLS_SWAP] = { "swap", CALLS("swapon", "swapoff"),
			    .filtered = none },
	[SYSCALLS_PTRACE] = { "ptrace",
			      CALLS("ptrace", "process_vm_readv",
				    "process_vm_writev", "pidfd_getfd", "kcmp",
				    "process_madvise"),
			      .filtered = none },
	[SYSCALLS_KEYRING] = { "keyring",
			       CALLS("keyctl", "add_key", "request_key"),
			       .filtered = none },
	[SYSCALLS_BPF] = { "bpf", CALLS("bpf"), .filtered = none },
	[SYSCALLS_PERF] = { "perf", CALLS("perf_event_open"),
			    .filtered = none },
	[SYSCALLS_USERFAULTFD] = { "userfaultfd", CALLS("userfaultfd"),
				   .filtered = none },
	[SYSCALLS_IO_URING] = { "io_uring",
				CALLS("io_uring_setup", "io_uring_enter",
				      "io_uring_register"),
				.filtered = none },
	[SYSCALLS_HANDLE] = { "handle",
			      CALLS("open_by_handle_at", "name_to_handle_at"),
			      .filtered = none },
	[SYSCALLS_CLOCK] = { "clock",
			     CALLS("settimeofday", "clock_settime",
				   "clock_adjtime", "adjtimex"),
			     .filtered = none },
	[SYSCALLS_IO] = { "io", CALLS("ioperm", "iopl", "modify_ldt"),
			  .filtered = none },
	[SYSCALLS_ADMIN] = { "admin",
			     CALLS("sethostname", "setdomainname", "quotactl",
				   "quotactl_fd", "acct", "syslog", "vhangup",
				   "fanotify_init", "lookup_dcookie",
				   "nfsservctl", "uselib", "ustat",
				   "move_pages", "migrate_pages"),
			     FILTERED("personality", "seccomp") },
	[SYSCALLS_RAW_SOCKETS] = { "raw_sockets", .calls = none,
				   FILTERED("socket", "socketpair") },
	[SYSCALLS_TERMINAL] = { "terminal", .calls = none, FILTERED("ioctl") },
	/*
	 * The mode of openat2 is behind a pointer, so a filter cannot see it.
	 */
	[SYSCALLS_SUID] = { "suid", CALLS("openat2"),
			    FILTERED("chmod", "fchmod", "fchmodat", "fchmodat2",
				     "mknod", "mknodat", "open", "openat",
				     "creat") },
};

const struct syscall_group_info *syscall_group_info(enum syscall_group group)
{
	return &groups[group];
}

int syscall_group_find(const char *name)
{
	for (int i = 0; i < SYSCALLS_GROUPS; i++)
		if (streq(groups[i].name, name))
			return i;
	return -1;
}

bool syscall_is_name(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!islower((unsigned char)text[i]) && text[i] != '_' &&
		    !isdigit((unsigned char)text[i]))
			return false;
	return len > 0 && len < MAX_NAME && !isdigit((unsigned char)text[0]);
}
