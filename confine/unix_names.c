/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_names.c - read /proc/PID/net/unix, which every user may read of
 * every visible process.
 *
 * It has no device and no inode. The kernel writes an abstract name with a
 * leading '@', so a relative name that begins with one counts as abstract.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/unix_sockets.h"

#define NAMES_MAX (64UL << 20)
#define CONNECTED 3 /* SS_CONNECTED of linux/net.h */

/*
 * 0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/x
 * The name is missing if the socket has none.
 */
static bool parse_line(const char *line, struct unix_socket *ret,
		       bool *ret_reachable)
{
	unsigned int type, state, number;
	int at = 0;

	if (sscanf(line, "%*[0-9a-fA-F]: %*8x %*8x %*8x %4x %2x %u%n", &type,
		   &state, &number, &at) != 3 ||
	    !at)
		return false;
	ret->name = line[at] == ' ' ? line + at + 1 : NULL;
	ret->number = number;
	*ret_reachable = state != CONNECTED || type == SOCK_DGRAM;
	return true;
}

int unix_names_parse(struct arena *arena, char *text, pid_t process,
		     struct unix_sockets *list)
{
	bool added = false;
	char *line = strsep(&text, "\n"); /* the head of the table */

	while (text && (line = strsep(&text, "\n"))) {
		struct unix_socket socket = { .process = process };
		bool reachable;
		int r;

		if (!*line && !text)
			break;
		/* The name of the last socket has a newline. */
		if (!parse_line(line, &socket, &reachable)) {
			if (added)
				list->items[list->n - 1].name = "";
			continue;
		}
		added = socket.name && socket.name[0] != '@' && reachable;
		if (!added)
			continue;
		r = unix_sockets_add(arena, list, &socket);
		if (r < 0)
			return r;
	}
	return 0;
}

int unix_names_list(struct arena *arena, int proc, pid_t process,
		    struct unix_sockets *list)
{
	char name[64] = "self/net/unix", *text;
	int r;

	if (process)
		snprintf(name, sizeof name, "%d/net/unix", process);

	autoclose int fd = proc_open_at(proc, name, O_RDONLY);

	if (fd < 0)
		return -errno;
	r = io_read_all(arena, fd, NAMES_MAX, &text, NULL);
	if (r < 0) {
		err_clear();
		return r;
	}
	return unix_names_parse(arena, text, process, list);
}
