/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/container.h - stands in for runtime/container.h until it moves. */
#pragma once

#include "runtime/container.h"
