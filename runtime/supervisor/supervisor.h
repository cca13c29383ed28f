/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/supervisor/supervisor.h - the process of the runtime that lives as
 * long as a container, if a key of its policy needs one.
 *
 * 	create, run --detach			run, sandlock run
 *
 * 	create ---- fork			the command is the supervisor
 * 	  |           \
 * 	waits       supervisor, the creator	supervisor_attach(), of run
 * 	  |           /       \			waits with its own loop
 * 	exits      guard      init		/       \
 * 						guard      init
 *
 * The supervisor creates the container, so it is the parent of its init; then
 * the command exits, and the caller's subreaper adopts the supervisor. The
 * kernel kills init when its parent dies. A program can switch that off, so
 * there is also the guard, which kills init when the supervisor dies; and it
 * keeps the rights that the supervisor gives up.
 *
 * When init ends, the supervisor exits without reaping it: the subreaper gets
 * the zombie, with its true status.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/loop.h"

struct control_sandbox;
struct creation;
struct event;
struct network;
struct notifier;
struct prepared;

#define SUPERVISOR_TASKS 8
#define SUPERVISOR_KEPT 32

/*
 * Work that needs rights which the supervisor does not have: it runs in a new
 * child of the guard, with the guard's rights and a copy of its memory. Returns
 * 0 or a negative errno; records no error text.
 */
struct supervisor_task {
	int (*run)(void *ctx, uint32_t argument);
	void *ctx;
};

struct supervisor {
	struct loop own_loop;
	struct loop *loop;  /* for the services; own_loop, or the caller's */
	struct arena arena; /* for the services, as long as it lives */
	int ready;	    /* to the command that waits; -1: none */
	int caller_stderr;  /* until then, for errors */
	int dir;	    /* the container's state directory */
	int init;	    /* pidfd */
	pid_t init_pid;
	int status; /* as of waitid: si_code and si_status, at the end */
	int code;
	struct supervisor_task tasks[SUPERVISOR_TASKS];
	size_t ntasks;
	int guard; /* socket; -1: tasks run in children of our own */
	int guard_pidfd;
	int guard_source;	   /* of the loop */
	int kept[SUPERVISOR_KEPT]; /* descriptors of the services */
	size_t nkept;
	size_t nopen;			 /* services that are open */
	struct control_sandbox *control; /* once its socket is open */
	struct network *network;	 /* the relay of rules; NULL: none */
	struct notifier *notifier;	 /* if the policy passes calls to it */
};

#define SUPERVISOR_NONE                                                     \
	{                                                                   \
		.ready = -1, .dir = -1, .init = -1, .guard = -1,            \
		.guard_pidfd = -1, .guard_source = -1, .caller_stderr = -1, \
	}
#define autosupervisor AUTO(supervisor_close)

/*
 * Fork, before the first effect. The child creates the container and becomes
 * its supervisor. In the parent *ret_front is true; it has waited until the
 * container is created or the child has failed, and returns the exit status of
 * the command: the child has reported the error.
 */
int supervisor_fork(struct supervisor *s, const struct prepared *p,
		    bool *ret_front);
/*
 * Open the services, after create_build and before create_keep: a failure
 * undoes the creation.
 */
int supervisor_open(struct supervisor *s, struct creation *c);
/*
 * The container is kept: become its supervisor, report that to the command, and
 * exit when its init ends. If that fails, the command deletes the container.
 */
_Noreturn void supervisor_stay(struct supervisor *s, struct creation *c);
/*
 * For a command that waits for the program itself: like supervisor_open, with
 * the loop of the command. Its guard runs no tasks, since the command keeps its
 * rights.
 */
int supervisor_attach(struct supervisor *s, struct creation *c,
		      struct loop *loop);
/* descriptors.c: close what neither the supervisor nor a service needs. */
void supervisor_close_others(const struct supervisor *s);
/* Close all descriptors but these, which are sorted. */
void supervisor_close_but(int *fds, size_t n);
/* Close the services and all descriptors, and end the guard. */
void supervisor_close(struct supervisor *s);

/* ---- for the services ---- */

/*
 * Add a task while a service opens; return its number, or -ENOSPC. What it uses
 * must exist by then, in s->arena or as a descriptor.
 */
int supervisor_task_add(struct supervisor *s,
			int (*run)(void *ctx, uint32_t argument), void *ctx);
/*
 * Keep a descriptor open: all others but those in s->loop are closed when the
 * container has been created.
 */
int supervisor_keep(struct supervisor *s, int fd);
/* Run a task and wait for its result. */
int supervisor_task_run(struct supervisor *s, int number, uint32_t argument);
/*
 * Publish an event (control/event.h; its id is filled in): on the control
 * socket, also to clients that connect later, and as a line in the file of
 * --log. Never waits for a client.
 */
void supervisor_publish(struct supervisor *s, const struct event *event);
/* Kill init: the container cannot be enforced any more. Logs the reason. */
void supervisor_end_container(struct supervisor *s, const char *why);
