/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/hooks.h - run the programs config.json asks for, at the moments it names. */
#pragma once

#include <sys/types.h>

#include "oci/oci.h"

/* Where a hook runs: in the runtime's own world, or after these changes. */
struct hooks_place {
	const int *namespaces; /* descriptors for setns(2), in order */
	const int *ns_flags;   /* CLONE_NEW… of each */
	size_t n;
	const char *cwd;  /* looked up after joining; NULL: leave it */
	char *const *env; /* of hooks without; NULL: the runtime's own */
	/*
	 * Called in the hook's own process instead of exec, for hooks that are
	 * to be confined as the container is: the exit status, or negative
	 * with a recorded error. NULL: exec.
	 */
	int (*run)(const char *path, char *const *argv, char *const *envp,
		   void *arg);
	void *arg;
};

/*
 * Run the list in order, each with state on its standard input. The first
 * failure ends it: "error running <point> hook #<i>: …", with the hook's own
 * output. poststop failures are only warned about, and all hooks run.
 */
int hooks_run(const struct oci_hooks *hooks, enum hook_point when,
	      const struct hooks_place *place, const char *state_json);
