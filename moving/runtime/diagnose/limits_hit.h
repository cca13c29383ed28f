/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/limits_hit.h - stands in for runtime/met.h until it moves. */
#pragma once

#include "runtime/met.h"
