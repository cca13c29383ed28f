/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/sandbox.h - a container without a bundle: the host's own files, as
 * far as a policy shows them.
 */
#pragma once

#include "runtime/container/create.h"
#include "runtime/sandbox/decide.h"
#include "runtime/sandbox/request.h"

/*
 * What config.json would say, and everything up to the plan; no effect.
 * Its arena, session and options are set; the decision refuses nothing that
 * needs namespaces. After a failure the enforcement is what was known by then,
 * to be explained.
 */
int sandbox_plan(struct prepared *prepared, const struct request *request,
		 const struct decision *decision,
		 const struct enforce_wishes *wishes);
/*
 * The first effect: remove what a sandbox of this name left behind when its
 * caller was killed. Fails if one is running.
 */
int sandbox_make_room(const struct prepared *prepared, const char *name);
