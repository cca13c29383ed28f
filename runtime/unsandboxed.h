/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/unsandboxed.h - commands that a policy lets out: --unsandboxed,
 * program.excluded and program.allow_unsandboxed.
 */
#pragma once

struct request;

enum unsandboxed {
	UNSANDBOXED_NO,		/* it runs in the sandbox */
	UNSANDBOXED_ASKED,	/* plainly, by --unsandboxed */
	UNSANDBOXED_EXCLUDED,	/* plainly, by program.excluded */
};

/* Negative when it would have to run plainly and the policy forbids that. */
int unsandboxed_decide(const struct request *request);
/* One line on stderr that says so, and why. */
void unsandboxed_tell(const struct request *request, enum unsandboxed why);
/*
 * Run the command, with the descriptors and signals as they were given. Where
 * nobody asks how it ends we become it; else the exit status is that of a
 * shell, or FOREGROUND_TIMEOUT, and *ret_signal what ended it.
 */
int unsandboxed_run(const struct request *request, int *ret_signal);
