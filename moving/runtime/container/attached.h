/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/attached.h - stands in for runtime/front.h until it moves. */
#pragma once

#include "runtime/front.h"
