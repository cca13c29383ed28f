/* SPDX-License-Identifier: Apache-2.0 */
/* confine/masks.h - stands in for runtime/masks.h until it moves. */
#pragma once

#include "runtime/masks.h"
