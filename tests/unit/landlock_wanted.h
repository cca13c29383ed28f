/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/landlock_wanted.h - all that can be asked of Landlock, and its names. */
#pragma once

#include "confine/landlock.h"
#include "policy/policy.h"

#define BIT(protection) (1U << (protection))
#define ALL_PROTECTIONS (BIT(PROTECT_COUNT) - 1)
#define NO_REFER BIT(PROTECT_FS_REFER)
#define NO_TRUNCATE BIT(PROTECT_FS_TRUNCATE)
#define NO_TCP BIT(PROTECT_NET_TCP)
#define NO_IOCTL BIT(PROTECT_FS_IOCTL_DEV)
#define NO_SCOPES (BIT(PROTECT_SIGNAL_SCOPE) | BIT(PROTECT_ABSTRACT_SCOPE))

static struct landlock_want everything(void)
{
	return (struct landlock_want){
		.files = true,
		.unix_sockets = true,
		.binds = true,
		.connects = true,
		.signals = true,
		.abstract_sockets = true,
		.log = true,
	};
}
