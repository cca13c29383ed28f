/* SPDX-License-Identifier: Apache-2.0 */
/* base/date.h - format a time as a date. */
#pragma once

#include <stdint.h>

#define DATE_SIZE 48

/* Write "2026-11-16T09:30:00", UTC. gmtime would first read the time zone. */
void date_text(int64_t seconds, char ret[DATE_SIZE]);
