/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/excluded.h - stands in for runtime/excluded.h until it moves. */
#pragma once

#include "runtime/excluded.h"
