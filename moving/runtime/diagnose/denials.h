/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/denials.h - stands in for runtime/denials.h until it moves. */
#pragma once

#include "runtime/denials.h"
