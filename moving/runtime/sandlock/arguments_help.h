/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/arguments_help.h - stands in for runtime/request_help.h until it moves. */
#pragma once

#include "runtime/request_help.h"
