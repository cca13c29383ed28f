/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion.h - completion in shells: the scripts, and what they ask for. */
#pragma once

#include "runtime/container/session.h"

/* contrib/completion/sandlock.SHELL, by the makefile. */
extern const char completion_bash[], completion_zsh[], completion_fish[];

/* `sandlock __complete WORD...`: candidates for the last word. */
void sandlock_complete(const struct session *session, int argc, char **argv);
