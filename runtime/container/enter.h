/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/enter.h - start another process in a container, for `exec`
 * and for hooks that run inside. The same plan as for its first process
 * confines it.
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
	const struct strings *env;   /* variables given by name: not filtered */
	const char *program;	/* execute this as args[0]; NULL: args[0] */
	bool only_env;		/* add nothing to the environment */
	const char *sub_cgroup; /* exec --cgroup; NULL: the container's own */
	unsigned int preserve_fds;
	bool dies_with_us;
};

/*
 * A process that enters; leaving the scope kills it unless launch.kept is set.
 */
struct enter {
	struct arena *arena;
	int proc;
	int root;    /* the container's */
	int ruleset; /* the Landlock ruleset, or -1 */
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

/* Do everything up to CREATED: the process is inside and ready for exec. */
int enter_prepare(struct enter *enter, const struct session *session,
		  struct container *container,
		  const struct enter_options *options);
/*
 * Send a listener to the supervisor on the control socket; for launch.listen of
 * a process whose parent is not the supervisor. listens: the container.
 */
int enter_listen(struct launch *launch, int listener);
/* Let it call exec; 0 if that has succeeded. */
int enter_finish(struct enter *enter);
void enter_close(struct enter *enter);
