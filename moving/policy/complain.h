/* SPDX-License-Identifier: Apache-2.0 */
/* policy/complain.h - stands in for policy/unknown.h until it moves. */
#pragma once

#include "policy/unknown.h"
