/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/gpus.h - stands in for runtime/gpus.h until it moves. */
#pragma once

#include "runtime/gpus.h"
