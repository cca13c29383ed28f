/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/systemd.h - stands in for runtime/systemd.h until it moves. */
#pragma once

#include "runtime/systemd.h"
