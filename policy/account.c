/* SPDX-License-Identifier: Apache-2.0 */
/* policy/account.c - find homes in the user database. */
#include "policy/account.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/util.h"

#define MAX_PASSWD (4UL << 20)

const char *account_home_in(char *passwd, uid_t uid)
{
	char *line;

	while ((line = strsep(&passwd, "\n"))) {
		char *fields[7] = { 0 };
		uint32_t id;

		for (size_t i = 0; i < COUNT(fields) && line; i++)
			fields[i] = strsep(&line, ":");
		if (fields[5] && fields[5][0] == '/' &&
		    num_u32(fields[2], &id) == 0 && id == uid)
			return fields[5];
		err_clear();
	}
	return NULL;
}

#ifdef __APPLE__
/* Users of macOS are not in /etc/passwd. */
int account_own_home(struct arena *arena, const char **ret)
{
	const struct passwd *own = getpwuid(getuid());

	*ret = own && own->pw_dir ? arena_strdup(arena, own->pw_dir) : NULL;
	return own && own->pw_dir && !*ret ? -ENOMEM : 0;
}
#else
/* A static program cannot ask the modules of the C library. */
int account_own_home(struct arena *arena, const char **ret)
{
	char *text;
	int r = io_read_at(arena, AT_FDCWD, "/etc/passwd", MAX_PASSWD, &text);

	*ret = NULL;
	if (r < 0) {
		err_clear();
		return r == -ENOMEM ? r : 0;
	}
	*ret = account_home_in(text, getuid());
	return 0;
}
#endif
