/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/global_options.h - stands in for runtime/global_options.h until it moves. */
#pragma once

#include "runtime/global_options.h"
