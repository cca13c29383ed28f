/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/inherited.h - stands in for runtime/inherited.h until it moves. */
#pragma once

#include "runtime/inherited.h"
