/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/own_files.h - stands in for runtime/own_files.h until it moves. */
#pragma once

#include "runtime/own_files.h"
