/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/host_annotations.h - stands in for runtime/annotated.h until it moves. */
#pragma once

#include "runtime/annotated.h"
