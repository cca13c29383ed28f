/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/launch.h - the parent's side: start a child that walks a plan, answer
 * its words, say in a sentence what went wrong.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"
#include "runtime/plan/make.h"
#include "runtime/plan/protocol.h"

/*
 * A child in flight. Until it is kept, leaving scope kills and reaps it.
 */
struct launch {
	struct arena *arena;
	const struct oci_spec *spec;
	const struct make_input *in; /* NULL: `start`, which has no plan */
	struct plan *plan;
	int proc;
	/* What hooks and agents are told; pid is filled in as it is known. */
	struct oci_record *record;
	enum oci_status agent_status; /* creating for init, running for exec */
	const char *program;	      /* args[0], for sentences */
	/* Called before the first step, with a driver that needs a process. */
	int (*place)(struct launch *launch);
	/* Called when the mounts are done and hooks are about to look; may be NULL. */
	int (*before_hooks)(struct launch *launch);
	/* Called with the container's root, for the ruleset that holds there; -1: none. */
	int (*rooted)(struct launch *launch, int root, int *ret_ruleset);
	void *owner; /* for the three */
	int link;
	pid_t pid;
	pid_t speaker; /* of the last word, if the link has SO_PASSCRED */
	int pidfd;     /* -1: not our child (start) */
	uint64_t ns_inodes[OCI_NAMESPACES]; /* known from CREATED on */
	int userns;	    /* the container's, if it is new; or -1 */
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

/* Open what the plan's sources name, clone the child, watch it. */
int launch_start(struct launch *launch);
/* Answer words until this one comes; WORD_EXEC: until exec has worked. */
int launch_until(struct launch *launch, enum word word);
/* Until it waits at the gate: then it keeps nothing of ours, nor the link. */
int launch_until_gate(struct launch *launch);
/* Let the child go on from the stop it is in. */
int launch_go(struct launch *launch);
/* Close what is open; a child that is not kept ends with it. */
void launch_close(struct launch *launch);
