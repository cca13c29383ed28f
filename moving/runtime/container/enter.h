/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/enter.h - stands in for runtime/entry.h until it moves. */
#pragma once

#include "runtime/entry.h"
