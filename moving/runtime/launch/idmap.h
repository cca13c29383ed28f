/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/idmap.h - stands in for runtime/idmap.h until it moves. */
#pragma once

#include "runtime/idmap.h"
