/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/protocol.h - the messages between parent and child.
 *
 *   child                          parent
 *   UNPLACED  ------------------>  make its unit and cgroups (systemd)
 *             <------------------  GO
 *   (waits)   <------------------  GO {descriptors for slots}  (late cgroups)
 *   FORKED    ------------------>  watch the sibling instead     (STEP_FORK)
 *   UNMAPPED  ------------------>  write id maps, idmapped trees
 *             <------------------  GO {descriptors for slots}
 *   SOURCE    ------------------>  open it in the child's mount namespace
 *             <------------------  GO {descriptor for its slot}
 *   MOUNTED   ------------------>  run hooks
 *             <------------------  GO
 *   CONSOLE {master} ----------->  relay it or pass it on
 *   ROOTED {root} -------------->  make the Landlock ruleset for it
 *             <------------------  GO {ruleset}
 *   CREATED   ------------------>  rlimits, state.json
 *             <------------------  GO (= KEEP: until then end of file means exit)
 *   (gate)    <------------------  `start` connects; that is the link now
 *             <------------------  GO
 *   LISTENER {fd} -------------->  pass it to the agent
 *   EXEC      ------------------>  (end of file: exec worked)
 *   FAILED    ------------------>  report the error
 *
 * End of file before EXEC means that the child died; the parent reports how.
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
	WORD_GO, /* sent by the parent */
};

/* Return the name of a word, such as "CREATED" (print.c). */
const char *word_name(uint32_t word);

#define MESSAGE_SLOTS 16
#define MESSAGE_TEXT 160

struct message {
	uint32_t word;
	uint32_t step; /* FAILED */
	uint32_t op;   /* FAILED: enum step_op, as `start` has no plan */
	int32_t error; /* FAILED: errno */
	int32_t pid;   /* FORKED */
	uint16_t slots[MESSAGE_SLOTS]; /* GO: for descriptors; SOURCE: which one */
	uint16_t nslots;
	uint64_t ns_inodes[OCI_NAMESPACES]; /* CREATED: its namespaces */
	char text[MESSAGE_TEXT]; /* FAILED: details of the kernel or the step */
};
