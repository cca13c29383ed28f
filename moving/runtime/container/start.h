/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/start.h - stands in for runtime/starting.h until it moves. */
#pragma once

#include "runtime/starting.h"
