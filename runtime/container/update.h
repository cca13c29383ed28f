/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/update.h - change the limits of a container that runs.
 *
 * 	state_dir_lock()	the caller holds the lock throughout
 * 	update_open()
 * 	update_resources() or update_policy()
 */
#pragma once

#include "runtime/container/container.h"
#include "runtime/container/session.h"
#include "runtime/enforce/enforce.h"

struct update {
	const struct session *session;
	const struct container *container;
	struct oci_spec spec;		/* as saved */
	struct enforcement enforcement; /* as saved */
};

/* Load what an update needs; fail unless the container runs or is created. */
int update_open(const struct session *session,
		const struct container *container, struct update *ret);
/*
 * Merge a change, linux.resources as JSON text, into the limits; change the
 * file and the kernel together, or not at all.
 */
int update_resources(const struct update *update, const char *change);
/*
 * Change the keys of the policy that can change while the container runs,
 * within its floors; fail, naming it, for any other key.
 */
int update_policy(struct update *update, const struct policy *change);
/*
 * For commands that run a program: finish an update of the policy that was
 * killed, or undo it. Takes the lock only if there is one.
 */
int update_finish_killed(const struct session *session,
			 const struct container *container);
