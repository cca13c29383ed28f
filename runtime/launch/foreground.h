/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/foreground.h - wait for a container: forward signals, return
 * the exit status.
 *
 * 	foreground_prepare()	before the child exists: no signal is lost
 * 	… the child restores old_mask before it executes the program …
 * 	foreground_wait()
 * 	foreground_end()	also after a failure in between
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct console;
struct loop;
struct sd_notify;

struct foreground {
	int signals;	   /* signalfd of the blocked signals; -1: none */
	sigset_t old_mask; /* the caller's mask, for the program */
};

#define FOREGROUND_NONE       \
	{                     \
		.signals = -1 \
	}

struct foreground_job {
	pid_t pid; /* a child of this process */
	int pidfd;
	struct console *console;	/* to relay; NULL: none */
	const struct sd_notify *notify; /* to forward; NULL: none */
	uint64_t timeout_ms;		/* until the job is killed; 0: none */
	bool forward_tstp;		/* stop this process, too, at SIGTSTP */
	bool in_our_group; /* it gets the terminal's signals directly */
	int *signal; /* set to the signal that killed it, if any; or NULL */
	/* Called when a traced process stops or ends. */
	void (*traced)(void *user, const siginfo_t *info);
	void *user;
	struct loop *loop; /* what else to wait for meanwhile; NULL: nothing */
};

/* Block the signals to forward. */
int foreground_prepare(struct foreground *ret);
/* As shells do: the file cannot be executed, or there is none. */
#define FOREGROUND_CANNOT_EXECUTE 126
#define FOREGROUND_NOT_FOUND 127

/*
 * Forward signals, relay the console and reap children until the job ends.
 * ret_status is its exit status, 128+N if signal N killed it, or
 * FOREGROUND_TIMEOUT, more than any status, if the timeout ended it.
 */
#define FOREGROUND_TIMEOUT 1024
int foreground_wait(const struct foreground *foreground,
		    const struct foreground_job *job, int *ret_status);
/* Unblock the signals; discard those that came too late for the job. */
void foreground_end(struct foreground *foreground);
