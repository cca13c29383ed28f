/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/mount_check.h - stands in for runtime/mount_check.h until it moves. */
#pragma once

#include "runtime/mount_check.h"
