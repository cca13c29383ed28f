/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/launch.h - stands in for runtime/launch.h until it moves. */
#pragma once

#include "runtime/launch.h"
