/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/enforce.h - stands in for runtime/policed.h until it moves. */
#pragma once

#include "runtime/policed.h"
