/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/sd_notify.h - stands in for runtime/notify.h until it moves. */
#pragma once

#include "runtime/notify.h"
