/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/request_help.h - the help of commands that take a request. */
#pragma once

struct arena;
struct command;

/* Usage, options, and every flag of a policy. */
int request_help(struct arena *arena, const struct command *command);
