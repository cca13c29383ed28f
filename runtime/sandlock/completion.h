/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/completion.h - scripts for completion in shells, and their
 * candidates.
 */
#pragma once

#include "runtime/container/session.h"

/* The makefile makes these from contrib/completion/sandlock.SHELL. */
extern const char completion_bash[], completion_zsh[], completion_fish[];

/* `sandlock __complete WORD...`: print candidates for the last word. */
void sandlock_complete(const struct session *session, int argc, char **argv);
