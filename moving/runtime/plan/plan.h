/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/plan.h - stands in for runtime/plan.h until it moves. */
#pragma once

#include "runtime/plan.h"
