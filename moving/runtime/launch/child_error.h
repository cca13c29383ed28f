/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/child_error.h - stands in for runtime/sentence.h until it moves. */
#pragma once

#include "runtime/sentence.h"
