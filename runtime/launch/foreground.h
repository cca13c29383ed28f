/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/foreground.h - stay in front of a container: signals in, status out.
 *
 *	foreground_prepare()	before the child exists: no signal is lost
 *	… the child restores old_mask before it executes the program …
 *	foreground_wait()
 *	foreground_end()	also after a failure in between
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct console;
struct sd_notify;

struct foreground {
	int signals;	   /* signalfd of what is blocked; -1: none */
	sigset_t old_mask; /* as the caller had it: for the program */
};

#define FOREGROUND_NONE       \
	{                     \
		.signals = -1 \
	}

struct foreground_job {
	pid_t pid; /* our own child */
	int pidfd;
	struct console *console;	/* relayed meanwhile; NULL: none */
	const struct sd_notify *notify; /* passed on meanwhile; NULL: none */
	uint64_t timeout_ms;		/* then it is ended; 0: none */
	bool stops_us;			/* SIGTSTP is for us, too */
	bool in_our_group; /* the terminal's signals reach it without us */
	int *signal; /* gets what ended it, if one did; NULL: not asked for */
	/* Called for every process we trace, when it stops; and at its end. */
	void (*traced)(void *user, const siginfo_t *info);
	void *user;
	/* Called when there is something to be read there; NULL: nothing. */
	void (*heard)(void *listener);
	void *listener;
	int ear;
};

/* Block the signals that are to be passed on. */
int foreground_prepare(struct foreground *ret);
/* As shells do: the file cannot be executed, or there is none. */
#define FOREGROUND_CANNOT_EXECUTE 126
#define FOREGROUND_NOT_FOUND 127

/*
 * Pass signals on, relay the console, reap every child, until the job ends:
 * its exit status, 128+N when it was killed by signal N. FOREGROUND_TIMEOUT,
 * more than any status, when it had to be ended.
 */
#define FOREGROUND_TIMEOUT 1024
int foreground_wait(const struct foreground *foreground,
		    const struct foreground_job *job, int *ret_status);
/* Unblock; signals that came too late for the job are forgotten. */
void foreground_end(struct foreground *foreground);
