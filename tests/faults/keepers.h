/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/keepers.h - the processes of the runtime that live as long as a
 * container: its supervisor and the guard.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum keeper { SUPERVISOR, GUARD, KEEPERS };

/* Is this process one of them? */
bool is_keeper(pid_t pid);

/* Find them, each 0 if there is none. */
void keepers_find(pid_t ret[KEEPERS]);

/*
 * Wait until the container and its keepers all live, or none of them does; false
 * if a part of them survives. *ret_ended: there are none.
 */
bool keepers_agree(bool *ret_ended);
