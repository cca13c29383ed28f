/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/images.h - stands in for runtime/images.h until it moves. */
#pragma once

#include "runtime/images.h"
