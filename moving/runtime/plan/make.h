/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/make.h - stands in for runtime/make.h until it moves. */
#pragma once

#include "runtime/make.h"
