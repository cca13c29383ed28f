/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/excluded.h - whether a command is one that program.excluded names: a
 * file that no workload of this policy could have put there.
 */
#pragma once

struct arena;
struct request;

struct excluded {
	const char *entry; /* of program.excluded; NULL: the command is none */
	const char *file; /* what it is, as PATH finds it */
	const char *refusal; /* why a name that is listed does not count */
};

/*
 * An entry without a slash is a command that is given without one, and that an
 * absolute directory of PATH has; one with a slash is the command as it is
 * written. Neither counts if what would run, a link on its way or its
 * interpreter lies at or below a path that the policy lets the workload write.
 */
int excluded_find(struct arena *arena, const struct request *request,
		  struct excluded *ret);
