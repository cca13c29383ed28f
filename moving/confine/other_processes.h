/* SPDX-License-Identifier: Apache-2.0 */
/* confine/other_processes.h - stands in for confine/outside.h until it moves. */
#pragma once

#include "confine/outside.h"
