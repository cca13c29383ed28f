/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/audit.h - stands in for runtime/audit.h until it moves. */
#pragma once

#include "runtime/audit.h"
