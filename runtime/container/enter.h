/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/enter.h - one more process in a container that exists: `exec`, and
 * hooks that run inside. Confined by the same plan as its first process.
 */
#pragma once

#include <stdbool.h>

#include "runtime/container/container.h"
#include "runtime/container/session.h"
#include "runtime/enforce/enforce.h"
#include "runtime/launch/launch.h"
#include "runtime/plan/join.h"

struct enter_options {
	const struct oci_process *process;
	const struct oci_spec *spec; /* its config.json; NULL: not read yet */
	const struct strings *env;   /* of it, given by name: not filtered */
	const char *program;	/* to execute as args[0]; NULL: look that up */
	bool only_env;		/* add nothing to the environment */
	const char *sub_cgroup; /* exec --cgroup; NULL: the container's own */
	unsigned int preserve_fds;
	bool dies_with_us;
};

/* A process on its way in; leaving scope ends it unless launch.kept. */
struct enter {
	struct arena *arena;
	int proc;
	int root;    /* the container's */
	int ruleset; /* what Landlock is to hold, or -1 */
	struct facts facts;
	struct oci_spec spec;
	struct oci_process process;
	struct join join;
	struct cgroup cgroup;
	struct enforcement enforcement;
	struct confine_filter filter;
	struct make_input in;
	struct plan plan;
	struct launch launch;
};

#define ENTER_NONE                                                        \
	{                                                                 \
		.proc = -1, .root = -1, .ruleset = -1, .join = JOIN_NONE, \
		.launch = LAUNCH_NONE,                                    \
	}
#define autoenter AUTO(enter_close)

/* Everything up to CREATED: the process is inside and about to exec. */
int enter_prepare(struct enter *entry, const struct session *session,
		  struct container *container,
		  const struct enter_options *options);
/* Let it exec; 0 when that has worked. */
int enter_finish(struct enter *entry);
void enter_close(struct enter *entry);
