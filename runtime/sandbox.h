/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox.h - a container without a bundle: the host's own files, as
 * far as a policy shows them.
 */
#pragma once

#include "runtime/creation.h"
#include "runtime/request.h"

/*
 * What config.json would say, and everything up to the plan; no effect yet.
 * The creation's arena, globals, options and proc are set.
 */
int sandbox_plan(struct creation *creation, const struct request *request);
