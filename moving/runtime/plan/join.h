/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/join.h - stands in for runtime/joins.h until it moves. */
#pragma once

#include "runtime/joins.h"
