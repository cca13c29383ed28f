/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/check_cgroups.h - stands in for runtime/doctor_cgroups.h until it moves. */
#pragma once

#include "runtime/doctor_cgroups.h"
