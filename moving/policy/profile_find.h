/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_find.h - stands in for runtime/profiles.h until it moves. */
#pragma once

#include "runtime/profiles.h"
