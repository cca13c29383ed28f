/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/no_namespaces.h - stands in for runtime/bare.h until it moves. */
#pragma once

#include "runtime/bare.h"
