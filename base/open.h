/* SPDX-License-Identifier: Apache-2.0 */
/* base/open.h - flags of open(2) that not every platform has. */
#pragma once

#include <fcntl.h>

/* A directory that is opened only to name files in it. */
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
