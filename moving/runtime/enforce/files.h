/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/files.h - stands in for runtime/policed_files.h until it moves. */
#pragma once

#include "runtime/policed_files.h"
