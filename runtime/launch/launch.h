/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/launch.h - the parent's side: start a child that walks a plan,
 * answer its messages, report its failure.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"
#include "runtime/plan/make.h"
#include "runtime/plan/protocol.h"

/*
 * A child being launched. Until `kept` is set, leaving the scope kills and
 * reaps it.
 */
struct launch {
	struct arena *arena;
	const struct oci_spec *spec;
	const struct make_input *in; /* NULL: `start`, which has no plan */
	struct plan *plan;
	int proc;
	/* The state for hooks and agents; pid is set when it is known. */
	struct oci_record *record;
	enum oci_status agent_status; /* creating for init, running for exec */
	const char *program;	      /* args[0], for errors */
	/* Called before the first step if the cgroup driver needs a process. */
	int (*place)(struct launch *launch);
	/* Called after the mounts and before the hooks; may be NULL. */
	int (*before_hooks)(struct launch *launch);
	/* Called with the container's root, returns its ruleset; -1: none. */
	int (*rooted)(struct launch *launch, int root, int *ret_ruleset);
	/* Called when the child has the ruleset; it waits again at CREATED. */
	int (*after_rooted)(struct launch *launch);
	void *owner; /* for the callbacks above */
	/*
	 * Called with the listener of a filter that the supervisor serves, and
	 * closes nothing; NULL: there can be none.
	 */
	int (*listen)(struct launch *launch, int listener);
	void *listens; /* for that */
	int link;
	pid_t pid;
	pid_t speaker; /* sender of the last message, with SO_PASSCRED */
	int pidfd;     /* -1: not a child of this process (start) */
	uint64_t ns_inodes[OCI_NAMESPACES]; /* known from CREATED on */
	int userns;	    /* the container's, if it is new; else -1 */
	int console;	    /* pty master, -1 until CONSOLE */
	uint32_t failed_op; /* the step of FAILED: enum step_op */
	bool kept;
};

#define LAUNCH_NONE                                                \
	{                                                          \
		.proc = -1, .link = -1, .pidfd = -1, .userns = -1, \
		.console = -1,                                     \
	}
#define autolaunch AUTO(launch_close)

/* Open the sources of the plan and clone the child. */
int launch_start(struct launch *launch);
/*
 * Answer messages until this word comes; WORD_EXEC: until exec has succeeded.
 */
int launch_until(struct launch *launch, enum word word);
/*
 * Wait until the child blocks at the gate; by then it has closed all inherited
 * descriptors, the link included.
 */
int launch_until_gate(struct launch *launch);
/* Let the child continue from its current stop. */
int launch_go(struct launch *launch);
/* Send GO with the files by which the child joins late cgroups. */
int launch_send_cgroups(struct launch *launch);
/* Close all descriptors; kill and reap a child that is not kept. */
void launch_close(struct launch *launch);
