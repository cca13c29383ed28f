/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion.h - stands in for runtime/completion.h until it moves. */
#pragma once

#include "runtime/completion.h"
