/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/delete.h - stands in for runtime/deleting.h until it moves. */
#pragma once

#include "runtime/deleting.h"
