/* SPDX-License-Identifier: Apache-2.0 */
/* hooks/hooks.h - run the hooks of config.json at the points that it names. */
#pragma once

#include <sys/types.h>

#include "oci/oci.h"

/* Changes to make before a hook runs; without them it runs like the runtime. */
struct hooks_place {
	const int *namespaces; /* descriptors for setns(2), in order */
	const int *ns_flags;   /* CLONE_NEW… of each */
	size_t n;
	const char *cwd;  /* resolved after joining; NULL: unchanged */
	char *const *env; /* for hooks without env; NULL: the runtime's own */
	/*
	 * Called in the hook's process instead of exec, for hooks that are
	 * confined like the container. Returns the exit status, or a negative
	 * value with a recorded error. NULL: exec.
	 */
	int (*run)(const char *path, char *const *argv, char *const *envp,
		   void *arg);
	void *arg;
};

/*
 * Run the list in order, each with state on its standard input. Stop at the
 * first failure: "error running <point> hook #<i>: …", with the hook's own
 * output. Failures of poststop hooks are only warnings, and all of them run.
 */
int hooks_run(const struct oci_hooks *hooks, enum hook_point when,
	      const struct hooks_place *place, const char *state_json);
