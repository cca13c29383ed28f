/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/quote.h - stands in for runtime/quote.h until it moves. */
#pragma once

#include "runtime/quote.h"
