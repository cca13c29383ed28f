/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/spec.h - stands in for runtime/policed_spec.h until it moves. */
#pragma once

#include "runtime/policed_spec.h"
