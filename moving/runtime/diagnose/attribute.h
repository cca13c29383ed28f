/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/attribute.h - stands in for runtime/blame.h until it moves. */
#pragma once

#include "runtime/blame.h"
