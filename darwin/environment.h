/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/environment.h - the variables of a program on macOS. */
#pragma once

#include "policy/presets.h"

struct arena;

/*
 * Filter the variables as the policy says, and add those of its proxies. ret
 * ends with NULL.
 */
int darwin_environment(struct arena *arena, const struct policy *policy,
		       enum policy_env_base base, const struct strings *given,
		       struct strings *ret);
