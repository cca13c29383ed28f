/* SPDX-License-Identifier: Apache-2.0 */
/* base/text.h - stands in for policy/text.h until it moves. */
#pragma once

#include "policy/text.h"
