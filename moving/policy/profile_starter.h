/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_starter.h - stands in for runtime/profile_starter.h until it moves. */
#pragma once

#include "runtime/profile_starter.h"
