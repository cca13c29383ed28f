/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/console.h - stands in for runtime/console.h until it moves. */
#pragma once

#include "runtime/console.h"
