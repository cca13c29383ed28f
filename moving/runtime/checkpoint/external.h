/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/external.h - stands in for runtime/external.h until it moves. */
#pragma once

#include "runtime/external.h"
