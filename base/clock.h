/* SPDX-License-Identifier: Apache-2.0 */
/* base/clock.h - a monotonic clock for deadlines and durations. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Milliseconds since some moment in the past. */
static inline int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
