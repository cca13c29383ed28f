/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/limits_hit.h - report the limits that a sandbox has reached.
 */
#pragma once

struct creation;
struct denials;

/* Add the limits of its cgroups, which must still exist. */
int limits_hit(const struct creation *creation, struct denials *denials);
