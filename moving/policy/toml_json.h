/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_json.h - stands in for runtime/toml_json.h until it moves. */
#pragma once

#include "runtime/toml_json.h"
