/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/request.h - stands in for runtime/request.h until it moves. */
#pragma once

#include "runtime/request.h"
