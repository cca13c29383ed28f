/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/explain.h - stands in for runtime/explain.h until it moves. */
#pragma once

#include "runtime/explain.h"
