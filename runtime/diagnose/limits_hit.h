/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/limits_hit.h - limits that a sandbox has met, among what it was denied. */
#pragma once

struct creation;
struct denials;

/* Those that its cgroups hold; while they are there. */
int limits_hit(const struct creation *creation, struct denials *denials);
