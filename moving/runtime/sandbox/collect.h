/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/collect.h - stands in for runtime/collect.h until it moves. */
#pragma once

#include "runtime/collect.h"
