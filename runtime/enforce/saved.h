/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/saved.h - save the enforcement in a state directory.
 *
 * It is decided once, when the container is created, so that neither a changed
 * profile nor a workload that writes below an allowed path can affect later
 * processes.
 */
#pragma once

#include <stddef.h>

#include "runtime/enforce/enforce.h"

/* Only users and `sandlock inspect` read this file. */
#define POLICY_FILE "policy.toml"
/*
 * The profiles that this policy can only tighten, one after the other, each
 * after a line FLOOR_LINE and its name.
 */
#define FLOORS_FILE "floors.toml"
#define FLOOR_LINE "# enforced: "
/* A JSON document with the kind and the confinement. */
#define ENFORCEMENT_FILE "enforcement.json"

/*
 * Write the policy, and the enforcement unless its ruleset is still unknown:
 * then enforce_save_ruleset follows when the root is complete.
 */
int enforce_save(struct arena *arena, const struct enforcement *enforcement,
		 int dir);
int enforce_save_ruleset(struct arena *arena,
			 const struct enforcement *enforcement,
			 const struct landlock_plan *landlock, int dir);
/* Save the policy alone, with its floors. */
int enforce_save_policy(struct arena *arena, const struct policy *policy,
			int dir);
/*
 * The policy that an update is about to put in place of POLICY_FILE; its
 * floors stay the same.
 */
#define UPDATE_FILE "update.toml"
#define UPDATE_TEMPORARY "update.toml.tmp"
int enforce_save_update(struct arena *arena, const struct policy *policy,
			int dir);
/* Read it; -ENOENT, without an error, if there is none. */
int enforce_load_update(struct arena *arena, int dir, struct policy *ret);
/* Read the saved policy back, with its floors, and without origins. */
int enforce_load_policy(struct arena *arena, int dir, struct policy *ret);
/* Load it; fail unless the file is complete and no other user can write it. */
int enforce_load(struct arena *arena, int dir, struct enforcement *ret);

/* Both have no effects. Equal enforcements have equal texts. */
int saved_write(struct arena *arena, const struct enforcement *enforcement,
		const char **ret_text, size_t *ret_len);
int saved_parse(struct arena *arena, const char *text, size_t len,
		struct enforcement *ret);
