/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/device_nodes.h - stands in for runtime/nodes.h until it moves. */
#pragma once

#include "runtime/nodes.h"
