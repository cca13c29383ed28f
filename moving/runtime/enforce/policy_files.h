/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/policy_files.h - stands in for runtime/policies.h until it moves. */
#pragma once

#include "runtime/policies.h"
