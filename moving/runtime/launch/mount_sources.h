/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/mount_sources.h - stands in for runtime/sources.h until it moves. */
#pragma once

#include "runtime/sources.h"
