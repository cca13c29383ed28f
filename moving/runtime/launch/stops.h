/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/stops.h - stands in for runtime/mounted.h until it moves. */
#pragma once

#include "runtime/mounted.h"
