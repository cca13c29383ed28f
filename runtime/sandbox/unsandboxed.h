/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/unsandboxed.h - commands that may run without a sandbox:
 * --unsandboxed, program.excluded and program.allow_unsandboxed.
 */
#pragma once

#include "runtime/sandbox/excluded.h"

struct arena;
struct request;

enum unsandboxed_why {
	UNSANDBOXED_NO,	      /* it runs in the sandbox */
	UNSANDBOXED_ASKED,    /* without a sandbox, by --unsandboxed */
	UNSANDBOXED_EXCLUDED, /* without a sandbox, by program.excluded */
};

struct unsandboxed {
	enum unsandboxed_why why;
	struct excluded excluded;
};

/*
 * Decide; fail if it would run without a sandbox and the policy forbids that.
 */
int unsandboxed_decide(struct arena *arena, const struct request *request,
		       struct unsandboxed *ret);
/* Warn that it runs without a sandbox, or why an exclusion does not apply. */
void unsandboxed_tell(const struct request *request,
		      const struct unsandboxed *decided);
/*
 * Run the command with its original descriptors and signals. If nobody needs
 * its result, this process executes it; else the exit status is that of a
 * shell, or FOREGROUND_TIMEOUT, and *ret_signal is the signal that killed it.
 */
int unsandboxed_run(const struct request *request,
		    const struct unsandboxed *decided, int *ret_signal);
