/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/mounts.h - stands in for runtime/mounts.h until it moves. */
#pragma once

#include "runtime/mounts.h"
