/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/arguments_help.h - a command's words as a request, or its help. */
#pragma once

struct arena;
struct command;
struct request;

/* 1: parsed; 0: the words ask for help, and it is printed. */
int request_take(struct arena *arena, const struct command *command, int argc,
		 char **argv, struct request *ret);
