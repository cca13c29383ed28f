/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/create.h - stands in for runtime/creation.h until it moves. */
#pragma once

#include "runtime/creation.h"
