/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/result.h - stands in for runtime/result.h until it moves. */
#pragma once

#include "runtime/result.h"
