/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/placeholder_registry.h - stands in for runtime/placeholder_registry.h until it moves. */
#pragma once

#include "runtime/placeholder_registry.h"
