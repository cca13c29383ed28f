/* SPDX-License-Identifier: Apache-2.0 */
/* base/date.h - a moment as people write it. */
#pragma once

#include <stdint.h>

#define DATE_SIZE 48

/* "2026-11-16T09:30:00", UTC. gmtime would first read what zone we are in. */
void date_text(int64_t seconds, char ret[DATE_SIZE]);
