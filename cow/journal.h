/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/journal.h - the file `journal` of a branch: the steps of a commit.
 *
 * Its appearance is the moment from which on the commit is rolled forward. It
 * is text with a line for each step; bytes of a path that are no plain ASCII
 * are written as %NN. The last line has a checksum.
 *
 *   stage PATH old           where steps keep files, if not in the branch
 *   pin P slot old           another name `l<slot>` of P, in the trash
 *   inp SOURCE slot ...      content and attributes of `l<slot>`, in place
 *   det P slot old           the directory P goes to `r<slot>` in the trash
 *   att P slot old           `r<slot>` comes to P
 *   acc P, accu P            the owner may use the directory P (of the upper)
 *   del P slot old ctime     P goes to the trash
 *   x P SOURCE slot old new ctime strip   SOURCE and P change places
 *   add P SOURCE new strip   SOURCE comes to P
 *   mkd P                    a new directory
 *   lnk P slot old link      P is another name of `l<link>`
 *   set P ...                attributes
 *
 * SOURCE is "u:PATH" in the upper directory, "i:NAME" in the overlay's index or
 * "s:NUMBER" in the stage.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "cow/xattrs.h"

struct arena;

enum journal_kind {
	JOURNAL_STAGE,
	JOURNAL_PIN,
	JOURNAL_INPLACE,
	JOURNAL_DETACH,
	JOURNAL_ATTACH,
	JOURNAL_ACCESS,
	JOURNAL_ACCESS_UPPER,
	JOURNAL_DELETE,
	JOURNAL_EXCHANGE,
	JOURNAL_ADD,
	JOURNAL_MKDIR,
	JOURNAL_LINK,
	JOURNAL_SET,
	JOURNAL_KINDS,
};

/* Numbers of a step, in the order in which a line has them. */
enum journal_number {
	NUMBER_SLOT,
	NUMBER_OLD,   /* inode that is expected there, 0: none */
	NUMBER_NEW,   /* inode of the source */
	NUMBER_CTIME, /* of the old one, ns; 0: any */
	NUMBER_STRIP, /* 1: the source has marks of the overlay */
	NUMBER_LINK,
	NUMBER_MODE, /* with the type */
	NUMBER_UID,
	NUMBER_GID,
	NUMBER_SECONDS, /* mtime */
	NUMBER_NANOSECONDS,
	NUMBERS,
};

struct journal_step {
	enum journal_kind kind;
	const char *path;
	const char *source;
	int64_t numbers[NUMBERS];
	struct xattrs xattrs;
};

struct journal {
	struct journal_step *steps;
	size_t n;
};

/* Write the head, a step, the last line with the checksum. */
void journal_begin(struct text *out);
void journal_put(struct text *out, const struct journal_step *step);
void journal_end(struct text *out);
/* Read a journal; fail if it is incomplete or damaged. */
int journal_parse(struct arena *arena, const char *text, size_t len,
		  struct journal *ret);
