/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/foreground.h - stands in for runtime/foreground.h until it moves. */
#pragma once

#include "runtime/foreground.h"
