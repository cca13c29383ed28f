/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/excluded.h - check whether program.excluded names a command,
 * and whether the workload could have replaced its file.
 */
#pragma once

struct arena;
struct request;

struct excluded {
	const char *entry;   /* of program.excluded; NULL: no entry matches */
	const char *file;    /* the command's file, as PATH finds it */
	const char *refusal; /* why a matching entry is ignored */
};

/*
 * An entry without a slash matches a command without one that is found in an
 * absolute directory of PATH; an entry with a slash matches the command as
 * written. Neither applies if the file, a link in its path or its interpreter
 * is at or below a path that the policy lets the workload write.
 */
int excluded_find(struct arena *arena, const struct request *request,
		  struct excluded *ret);
