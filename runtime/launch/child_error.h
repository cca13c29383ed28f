/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/child_error.h - from a child's word FAILED, or its silence, to an error a person can read. */
#pragma once

#include "runtime/launch/launch.h"

/* Record the sentence; the negative errno. */
int child_error_failed(const struct launch *launch, const struct message *m);
int child_error_died(const struct launch *launch);
