/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/cover.h - stands in for runtime/policed_carve.h until it moves. */
#pragma once

#include "runtime/policed_carve.h"
