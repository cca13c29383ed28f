/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/readable.h - refuse a policy under which nothing can run. */
#pragma once

struct prepared;
struct request;

/*
 * Fail if the policy lets the sandbox read nothing, or only what it may write,
 * and the command is not there. Call this after sandbox_plan.
 */
int readable_check(const struct prepared *prepared,
		   const struct request *request);
