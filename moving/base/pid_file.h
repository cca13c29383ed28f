/* SPDX-License-Identifier: Apache-2.0 */
/* base/pid_file.h - stands in for runtime/pid_file.h until it moves. */
#pragma once

#include "runtime/pid_file.h"
