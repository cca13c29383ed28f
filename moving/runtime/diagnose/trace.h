/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/trace.h - stands in for runtime/why.h until it moves. */
#pragma once

#include "runtime/why.h"
