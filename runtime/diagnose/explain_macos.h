/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_macos.h - explain what macOS would enforce of a
 * request, on any platform.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct request;

/* Make the Seatbelt profile of a request. */
int explain_macos_profile(struct arena *arena, const struct request *request,
			  const char **ret);
/*
 * Print one line for each key that is set, and for each protection. Returns 1
 * if a key cannot be enforced, so that run would refuse the request.
 */
int explain_macos(struct arena *arena, const struct request *request);
