/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/notifier.h - answer system calls of the container that a
 * filter passes to the supervisor (seccomp user notification).
 *
 * 	notifier_open()		in the `open` of a service
 * 	notifier_handle()		one handler for each call number
 * 	notifier_filter()		the program for the processes of the container
 * 	notifier_listen()		each listener: of init, and of each `exec`
 *
 * A handler gets the numbers of a call. What they point to is in memory that
 * other threads of the process can change, so it works on a copy: of memory by
 * notifier_read, of a descriptor by notifier_fd. Then it does the work itself, and
 * answers with the result. There is no way to have the kernel make the call
 * after it was judged by what a pointer leads to: the kernel would read that
 * again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct confine_filter;
struct loop;
struct oci_seccomp;

#define NOTIFIER_HANDLERS 64
#define NOTIFIER_LISTENERS 32

/* A call that waits for its answer. */
struct notifier_call {
	int number;	  /* SYS_… of this architecture */
	uint64_t args[6]; /* numbers; addresses are not to be trusted */
	pid_t tid;	  /* as this process sees it */
	int listener;
	uint64_t id;
};

/* Made by the functions below only. */
struct notifier_answer {
	enum notifier_kind {
		NOTIFIER_ERROR,
		NOTIFIER_VALUE,
		NOTIFIER_FD,
		NOTIFIER_KERNEL,
	} kind;
	int64_t value; /* the result, errno or descriptor */
	bool cloexec;
};

struct notifier_handler {
	int number;
	struct notifier_answer (*answer)(void *ctx,
					 const struct notifier_call *call);
	void *ctx;
};

struct notifier_listener {
	struct notifier *notifier;
	int fd;	    /* -1: free */
	int source; /* of the loop */
};

struct notifier {
	struct loop *loop;
	struct notifier_handler handlers[NOTIFIER_HANDLERS];
	size_t nhandlers;
	struct notifier_listener listeners[NOTIFIER_LISTENERS];
	size_t request_size, answer_size; /* of this kernel */
	void *request, *answer;
};

/* *ret must not move until it is closed. */
int notifier_open(struct arena *arena, struct loop *loop, struct notifier *ret);
void notifier_close(struct notifier *notifier);

/* Register the handler of a call number; -EEXIST if it has one. */
int notifier_handle(struct notifier *notifier, int number,
		    struct notifier_answer (*answer)(
			    void *ctx, const struct notifier_call *call),
		    void *ctx);
/*
 * Compile the filter that passes these calls on, and allows all others. A
 * signal that is not fatal cannot interrupt a call once a handler has it, so no
 * effect happens twice.
 */
int notifier_filter(struct arena *arena, const struct notifier *notifier,
		    struct confine_filter *ret);
/*
 * A process can have only one listener: fail, naming both, if linux.seccomp of
 * the bundle has one and this key needs one.
 */
int notifier_check(const struct oci_seccomp *profile, const char *key);
/*
 * Serve a listener until its last process has ended; takes the descriptor, also
 * on failure. -EINVAL if it is no listener.
 */
int notifier_listen(struct notifier *notifier, int listener);

/* ---- for handlers ---- */

/*
 * Copy memory of the caller. 0, or a negative errno for the answer: -EFAULT, or
 * -ESRCH if the caller is gone, and then the copy is not to be used.
 */
int notifier_read(const struct notifier_call *call, uint64_t address, void *ret,
		  size_t size);
/* Copy a string; -ENAMETOOLONG if it does not end within size bytes. */
int notifier_read_text(const struct notifier_call *call, uint64_t address,
		       char *ret, size_t size);
/* Copy a descriptor of the caller, close-on-exec; or a negative errno. */
int notifier_fd(const struct notifier_call *call, int fd);

/* The call fails with this errno, given as a positive or negative number. */
struct notifier_answer notifier_error(int error);
/* The call succeeds with this result. */
struct notifier_answer notifier_value(int64_t value);
/* The caller gets a copy of fd as its result; fd is closed here. */
struct notifier_answer notifier_install(int fd, bool cloexec);
/*
 * Have the kernel make the call with what its arguments are then. Only for
 * calls that take numbers alone, in the table of notifier_answer.c; for any other
 * the answer is EPERM, and a warning tells the reason that was given.
 */
struct notifier_answer
notifier_kernel_makes_call_without_pointers(const struct notifier_call *call,
					    const char *reason);
