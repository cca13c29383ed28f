/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/lock_holder.h - stands in for runtime/holder.h until it moves. */
#pragma once

#include "runtime/holder.h"
