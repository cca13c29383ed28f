/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/view.h - stands in for runtime/view.h until it moves. */
#pragma once

#include "runtime/view.h"
