/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/trace_calls.h - stands in for runtime/why_calls.h until it moves. */
#pragma once

#include "runtime/why_calls.h"
