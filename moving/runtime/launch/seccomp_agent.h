/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/seccomp_agent.h - stands in for runtime/agent.h until it moves. */
#pragma once

#include "runtime/agent.h"
