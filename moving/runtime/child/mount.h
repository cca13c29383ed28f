/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/child/mount.h - stands in for runtime/child_mount.h until it moves. */
#pragma once

#include "runtime/child_mount.h"
