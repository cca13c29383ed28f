/* SPDX-License-Identifier: Apache-2.0 */
/* policy/nested.h - stands in for runtime/nested.h until it moves. */
#pragma once

#include "runtime/nested.h"
