/* SPDX-License-Identifier: Apache-2.0 */
/* oci/state_root.h - stands in for runtime/state_root.h until it moves. */
#pragma once

#include "runtime/state_root.h"
