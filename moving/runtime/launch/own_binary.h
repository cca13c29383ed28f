/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/own_binary.h - stands in for runtime/self.h until it moves. */
#pragma once

#include "runtime/self.h"
