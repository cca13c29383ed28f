/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/exec_process.h - stands in for runtime/exec_process.h until it moves. */
#pragma once

#include "runtime/exec_process.h"
