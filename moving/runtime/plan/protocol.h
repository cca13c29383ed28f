/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/protocol.h - stands in for runtime/words.h until it moves. */
#pragma once

#include "runtime/words.h"
