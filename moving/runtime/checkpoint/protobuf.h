/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/protobuf.h - stands in for runtime/protobuf.h until it moves. */
#pragma once

#include "runtime/protobuf.h"
