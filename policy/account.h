/* SPDX-License-Identifier: Apache-2.0 */
/* policy/account.h - homes in the user database, whatever HOME says. */
#pragma once

#include <sys/types.h>

struct arena;

/* Return the home of a user in the text of a passwd file; or NULL. */
const char *account_home_in(char *passwd, uid_t uid);
/* Find the home of the calling user; NULL if there is none. */
int account_own_home(struct arena *arena, const char **ret);
