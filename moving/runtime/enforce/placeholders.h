/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/placeholders.h - stands in for runtime/placeholders.h until it moves. */
#pragma once

#include "runtime/placeholders.h"
