/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/check.h - stands in for runtime/doctor.h until it moves. */
#pragma once

#include "runtime/doctor.h"
