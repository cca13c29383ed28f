/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/env_file.h - stands in for runtime/env_file.h until it moves. */
#pragma once

#include "runtime/env_file.h"
