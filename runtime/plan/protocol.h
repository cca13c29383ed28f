/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/protocol.h - what parent and child say to each other.
 *
 *   child                          parent
 *   UNPLACED  ------------------>  make its unit and cgroups (systemd)
 *             <------------------  GO
 *   FORKED    ------------------>  watch the sibling instead     (STEP_FORK)
 *   UNMAPPED  ------------------>  write id maps, idmapped trees
 *             <------------------  GO {descriptors for slots}
 *   SOURCE    ------------------>  open it in the child's mount namespace
 *             <------------------  GO {descriptor for its slot}
 *   MOUNTED   ------------------>  hooks
 *             <------------------  GO
 *   CONSOLE {master} ----------->  relay it or pass it on
 *   ROOTED {root} ------------->  what Landlock is to hold in it
 *             <------------------  GO {ruleset}
 *   CREATED   ------------------>  rlimits, state.json
 *             <------------------  GO (= KEEP: until then end of file means exit)
 *   (gate)    <------------------  `start` connects; that is the link now
 *             <------------------  GO
 *   LISTENER {fd} -------------->  pass it to the agent
 *   EXEC      ------------------>  (end of file: exec worked)
 *   FAILED    ------------------>  make the sentence
 *
 * Silence before EXEC means that the child died; the parent says how.
 */
#pragma once

#include <stdint.h>

#include "oci/oci.h"

enum word {
	WORD_UNPLACED = 1,
	WORD_FORKED,
	WORD_UNMAPPED,
	WORD_SOURCE,
	WORD_MOUNTED,
	WORD_CONSOLE,
	WORD_ROOTED,
	WORD_CREATED,
	WORD_LISTENER,
	WORD_EXEC,
	WORD_FAILED,
	WORD_GO, /* the parent's */
};

/* "CREATED" and the like (print.c). */
const char *word_name(uint32_t word);

#define MESSAGE_SLOTS 8
#define MESSAGE_TEXT 160

struct message {
	uint32_t word;
	uint32_t step; /* FAILED */
	uint32_t op;   /* FAILED: enum step_op, for who has no plan */
	int32_t error; /* FAILED: errno */
	int32_t pid;   /* FORKED */
	uint16_t slots
		[MESSAGE_SLOTS]; /* GO: where the descriptors go; SOURCE: which */
	uint16_t nslots;
	uint64_t ns_inodes[OCI_NAMESPACES]; /* CREATED: where it is now */
	char text[MESSAGE_TEXT]; /* FAILED: what the kernel or the step adds */
};
