/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/profile_files.h - stands in for runtime/profile_files.h until it moves. */
#pragma once

#include "runtime/profile_files.h"
