/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/facts.h - stands in for runtime/facts.h until it moves. */
#pragma once

#include "runtime/facts.h"
