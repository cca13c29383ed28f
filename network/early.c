/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/early.c - make a network namespace in a thread, while the caller
 * decides what else the container needs.
 *
 * It is the longest single call of a start. The C library does not know of the
 * thread, which shares the caller's errno and so makes its calls directly. It
 * blocks every signal: they are the caller's.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "network/network.h"

#define STACK_SIZE 16384

enum state { WAITING, BEGUN, DONE };

/*
 * Nobody waits for a thread that is not needed any more, so its memory stays
 * until the process ends, and there is one of them.
 */
static struct network_early {
	bool used;
	int proc;
	int thread;
	int netns; /* -1: the thread could not make it */
	uint32_t state;
	_Alignas(16) char stack[STACK_SIZE];
} only;

#if defined(__x86_64__)
static inline long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}
#define HAS_CALL 1
#elif defined(__aarch64__)
static inline long call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory");
	return x0;
}
#define HAS_CALL 1
#else
static inline long call(long number, long a, long b, long c, long d)
{
	(void)number, (void)a, (void)b, (void)c, (void)d;
	return -1;
}
#define HAS_CALL 0
#endif

/* Like network_loopback_up. */
static bool set_lo_up(void)
{
	struct ifreq request = {
		.ifr_name = "lo",
		.ifr_flags = IFF_UP | IFF_LOOPBACK,
	};
	long sock = call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0);
	long r;

	if (sock < 0)
		return false;
	r = call(SYS_ioctl, sock, SIOCSIFFLAGS, (long)&request, 0);
	(void)call(SYS_close, sock, 0, 0, 0);
	return r == 0;
}

static int work(void *arg)
{
	struct network_early *early = arg;
	uint32_t state = WAITING;
	long fd = -1;

	if (!__atomic_compare_exchange_n(&early->state, &state, BEGUN, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		call(SYS_exit, 0, 0, 0, 0);
	/* If anything fails, the child does it again and reports the error. */
	if (call(SYS_unshare, CLONE_NEWNET, 0, 0, 0) == 0 && set_lo_up())
		fd = call(SYS_openat, early->proc, (long)"thread-self/ns/net",
			  O_RDONLY | O_CLOEXEC, 0);
	early->netns = (int)fd;
	__atomic_store_n(&early->state, DONE, __ATOMIC_RELEASE);
	(void)call(SYS_futex, (long)&early->state, FUTEX_WAKE_PRIVATE, INT_MAX,
		   0);
	(void)call(SYS_exit, 0, 0, 0, 0);
	return 0;
}

struct network_early *network_begin(int proc)
{
	struct network_early *early = &only;
	sigset_t all, before;
	int pid;

	if (!HAS_CALL || early->used)
		return NULL;
	early->used = true;
	early->proc = proc;
	early->netns = -1;
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &before) < 0)
		return NULL;
	pid = clone(work, early->stack + STACK_SIZE,
		    CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			    CLONE_SYSVSEM,
		    early);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	early->thread = pid;
	return pid < 0 ? NULL : early;
}

/* False in a process that was forked meanwhile: it has no copy of the thread. */
static bool has_thread(const struct network_early *early)
{
	return syscall(SYS_tgkill, getpid(), early->thread, 0) == 0;
}

int network_wait(struct network_early *early)
{
	/* Should the thread fail to wake us, look again. */
	const struct timespec again = { .tv_nsec = 10000000 };
	uint32_t state = WAITING;

	/* On a busy machine the thread may wait for a processor: do without. */
	if (!early ||
	    __atomic_compare_exchange_n(&early->state, &state, DONE, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return -1;
	while (__atomic_load_n(&early->state, __ATOMIC_ACQUIRE) != DONE) {
		if (syscall(SYS_futex, &early->state, FUTEX_WAIT_PRIVATE, BEGUN,
			    &again) == 0 ||
		    errno != ETIMEDOUT || has_thread(early))
			continue;
		/* It may have ended well since the state was read. */
		if (__atomic_load_n(&early->state, __ATOMIC_ACQUIRE) != DONE)
			return -1;
	}
	return take_fd(&early->netns);
}
