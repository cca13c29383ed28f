/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/version.h - what this build calls itself. */
#pragma once

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.0.0"
#endif
#ifndef GIT_COMMIT
#define GIT_COMMIT "unknown"
#endif
