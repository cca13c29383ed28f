/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/verify.h - stands in for runtime/restored.h until it moves. */
#pragma once

#include "runtime/restored.h"
