/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/child_error.h - report why a child failed or died. */
#pragma once

#include "runtime/launch/launch.h"

/*
 * Record an error for the message FAILED, or for a child that died without one.
 * Return the negative errno.
 */
int child_error_failed(const struct launch *launch, const struct message *m);
int child_error_died(const struct launch *launch);
