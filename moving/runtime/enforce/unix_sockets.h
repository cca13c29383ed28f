/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/unix_sockets.h - stands in for runtime/policed_sockets.h until it moves. */
#pragma once

#include "runtime/policed_sockets.h"
