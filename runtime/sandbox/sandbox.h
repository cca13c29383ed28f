/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/sandbox.h - a container without a bundle: files of the host,
 * as far as a policy shows them.
 */
#pragma once

#include "runtime/container/create.h"
#include "runtime/sandbox/decide.h"
#include "runtime/sandbox/request.h"

struct workdirs;

/* True if it will have a network namespace that belongs to the caller. */
bool sandbox_has_network(const struct request *request,
			 const struct decision *decision);
/*
 * Make the config.json of a sandbox, and everything up to the plan; no effects.
 * arena, session and options of `prepared` are set; the decision is not a
 * refusal for lack of namespaces. After a failure the enforcement contains what
 * was known by then, for explain.
 */
int sandbox_plan(struct prepared *prepared, const struct request *request,
		 const struct decision *decision,
		 const struct enforce_wishes *wishes);
/*
 * The first effect: remove what a sandbox of this name left behind when its
 * `sandlock` was killed. Fails if one is running.
 */
int sandbox_make_room(const struct prepared *prepared, const char *name);

/* workdirs.c: open a branch for each item of config.workdir. */
int sandbox_open_workdirs(struct arena *arena, const struct policy *policy,
			  const struct decision *decision,
			  struct workdirs *workdirs);
