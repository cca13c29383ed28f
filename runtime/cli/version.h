/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/version.h - the name and version of this build. */
#pragma once

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "0.0.0"
#endif
#ifndef GIT_COMMIT
#define GIT_COMMIT "unknown"
#endif
