/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/emulator.h - skip a test that an emulator of programs cannot pass. */
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * An emulator for programs of another processor does not pass all calls on to
 * the kernel; those about seccomp filters tell.
 */
static inline void skip_in_emulator(void)
{
	uint32_t action = SECCOMP_RET_ALLOW;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0) {
		print_message("needs a kernel without an emulator\n");
		skip();
	}
}
