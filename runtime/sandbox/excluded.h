/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/excluded.h - whether program.excluded names a command, and the
 * workload could not have replaced its file.
 */
#pragma once

struct arena;
struct request;

struct excluded {
	const char *entry;   /* of program.excluded; NULL: no entry matches */
	const char *file;    /* the command's file, as PATH finds it */
	const char *refusal; /* why a matching entry does not count */
};

/*
 * An entry without a slash matches a command without one that is found in an
 * absolute directory of PATH; an entry with a slash matches the command as
 * written. Neither counts if the file, a link on the way to it or its
 * interpreter is at or below a path that the policy lets the workload write.
 */
int excluded_find(struct arena *arena, const struct request *request,
		  struct excluded *ret);
