/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/child.h - stands in for runtime/child.h until it moves. */
#pragma once

#include "runtime/child.h"
