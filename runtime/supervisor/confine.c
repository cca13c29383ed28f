/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/confine.c - capabilities, Landlock and a filter for the
 * supervisor.
 */
#include "runtime/supervisor/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/confine.h"
#include "confine/landlock.h"

#define ALLOWED_CAPS (1U << CAP_KILL | 1U << CAP_SYS_PTRACE)

static const uint32_t calls[] = {
	/* the loop */
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_clock_gettime,
	SYS_restart_syscall,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	/* descriptors */
	SYS_read,
	SYS_write,
	SYS_writev,
	SYS_close,
	SYS_fcntl,
	SYS_lseek,
	SYS_pread64,
	SYS_fstat,
	SYS_dup,
	SYS_dup3,
	/* files of the state directory */
	SYS_openat,
	SYS_openat2,
	SYS_newfstatat,
	SYS_statx,
	SYS_faccessat,
	SYS_unlinkat,
	SYS_renameat,
	SYS_renameat2,
	SYS_getdents64,
	SYS_ftruncate,
	SYS_fchmod,
	SYS_flock,
	/* connections to its socket */
	SYS_accept4,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_sendto,
	SYS_sendmsg,
	SYS_shutdown,
	SYS_getsockopt,
	/* processes of the container */
	SYS_waitid,
	SYS_pidfd_open,
	SYS_pidfd_send_signal,
	SYS_pidfd_getfd,
	SYS_process_vm_readv,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	/* names that are watched */
	SYS_inotify_add_watch,
	SYS_inotify_rm_watch,
	/* memory */
	SYS_brk,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_getrandom,
	SYS_exit,
	SYS_exit_group,
};

/* With a relay of network rules; socket() has a rule of its own. */
static const uint32_t network_calls[] = {
	SYS_connect,	SYS_bind,  SYS_getsockname, SYS_setsockopt,
	SYS_splice,	SYS_pipe2, SYS_epoll_ctl,   SYS_epoll_pwait,
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
};

static int drop_capabilities(uint32_t allowed)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return fail(errno, "read the supervisor's capabilities");
	data[0].permitted &= allowed;
	data[0].effective = data[0].permitted;
	data[0].inheritable = 0;
	data[1] = (struct __user_cap_data_struct){ 0 };
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, data) < 0)
		return fail(errno, "drop the supervisor's capabilities");
	return 0;
}

/* No scopes: the supervisor signals processes of the container. */
static int restrict_files(const struct landlock_host *host, int dir,
			  bool connects)
{
	struct kernel_landlock_ruleset handled = host->rights;
	struct landlock_access access = {
		.directory = handled.handled_fs,
	};
	autoclose int ruleset = -1;

	if (host->abi == 0)
		return 0;
	handled.scoped = 0;
	/* What it may reach are addresses, and Landlock knows ports. */
	if (connects)
		handled.handled_net &= LANDLOCK_ACCESS_NET_BIND_TCP;
	ruleset = landlock_create(&handled);
	if (ruleset < 0 || landlock_allow(ruleset, dir, &access) < 0 ||
	    landlock_restrict(ruleset, 0) < 0)
		return fail(errno, "restrict the supervisor's files");
	return 0;
}

/* ---- the filter ---- */

#define LOW_WORD (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)
#define ARGUMENT(n) \
	((uint32_t)offsetof(struct seccomp_data, args[n]) + LOW_WORD)
#define CALL ((uint32_t)offsetof(struct seccomp_data, nr))

struct filter {
	struct sock_filter code[2 * (COUNT(calls) + COUNT(network_calls)) + 24];
	size_t n;
};

static void put(struct filter *f, struct sock_filter statement)
{
	f->code[f->n++] = statement;
}

static void load(struct filter *f, uint32_t offset)
{
	put(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void give(struct filter *f, uint32_t result)
{
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

/* Skip so many statements unless the loaded value is this one. */
static void unless(struct filter *f, uint32_t value, uint8_t skip)
{
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0,
					    skip));
}

static void allow(struct filter *f, const uint32_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unless(f, list[i], 1);
		give(f, SECCOMP_RET_ALLOW);
	}
}

/* Those of a seccomp listener, not those that change an interface. */
static void allow_ioctl(struct filter *f)
{
	const uint32_t type = _IOC_TYPEMASK << _IOC_TYPESHIFT;

	unless(f, SYS_ioctl, 5);
	load(f, ARGUMENT(1));
	put(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, type));
	unless(f, SECCOMP_IOC_MAGIC << _IOC_TYPESHIFT, 1);
	give(f, SECCOMP_RET_ALLOW);
	give(f, SECCOMP_RET_ERRNO | EPERM);
}

static void allow_socket(struct filter *f)
{
	unless(f, SYS_socket, 6);
	load(f, ARGUMENT(0));
	unless(f, AF_INET, 1);
	give(f, SECCOMP_RET_ALLOW);
	unless(f, AF_INET6, 1);
	give(f, SECCOMP_RET_ALLOW);
	give(f, SECCOMP_RET_ERRNO | EPERM);
}

/* One comparison for each call; the kernel caches the results. */
static int install_filter(bool network)
{
	struct filter f = { .n = 0 };
	struct sock_fprog program = { .filter = f.code };

	load(&f, offsetof(struct seccomp_data, arch));
	put(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
					     confine_arch(), 1, 0));
	give(&f, SECCOMP_RET_KILL_PROCESS);
	load(&f, CALL);
	allow(&f, calls, COUNT(calls));
	if (network) {
		allow(&f, network_calls, COUNT(network_calls));
		allow_socket(&f);
	}
	allow_ioctl(&f);
	give(&f, SECCOMP_RET_ERRNO | EPERM);
	program.len = (unsigned short)f.n;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return fail(errno, "install the supervisor's filter");
	return 0;
}

int confine_supervisor(const struct landlock_host *host, int state_dir,
		       const struct confine_network *network)
{
	uint32_t caps = ALLOWED_CAPS | (network ? network->caps : 0);
	int r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(errno, "set no_new_privs for the supervisor");
	r = restrict_files(host, state_dir, /* connects= */ network != NULL);
	if (r >= 0)
		r = drop_capabilities(caps);
	return r < 0 ? r : install_filter(/* network= */ network != NULL);
}
