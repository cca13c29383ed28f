/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/probe.h - stands in for runtime/trial.h until it moves. */
#pragma once

#include "runtime/trial.h"
