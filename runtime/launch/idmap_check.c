/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/idmap_check.c - check the mappings given for a joined user
 * namespace.
 *
 * Engines pass mappings together with an existing user namespace, so they must
 * be the ones it has. No mappings mean those of the namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "runtime/launch/idmap.h"

#define MAP_MAX 65536

/* A process in the namespace, so that its maps can be read from outside. */
struct visitor {
	pid_t pid;
};

static void end_visitor(struct visitor *visitor)
{
	if (visitor->pid <= 0)
		return;
	/* If it cannot be killed, do not wait: it dies with this process. */
	if (kill(visitor->pid, SIGKILL) < 0)
		return;
	while (waitpid(visitor->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int start_visitor(int userns, struct visitor *ret)
{
	int arrived[2];
	char byte;
	pid_t parent = getpid(), pid;

	if (pipe2(arrived, O_CLOEXEC) < 0)
		return fail(errno,
			    "create a pipe to a process in the user namespace "
			    "to join");
	pid = fork();
	if (pid == 0) {
		/*
		 * Processes in the namespace must not reach the runtime's
		 * descriptors.
		 */
		(void)prctl(PR_SET_DUMPABLE, 0);
		if (setns(userns, CLONE_NEWUSER) < 0)
			_exit(1);
		proc_end_with(parent);
		(void)write(arrived[1], "", 1);
		for (;;)
			pause();
	}
	close(arrived[1]);

	autoclose int in = arrived[0];

	if (pid < 0)
		return fail(errno,
			    "create a process to join the user namespace");
	ret->pid = pid;
	if (read(in, &byte, 1) != 1)
		return fail(
			EPERM,
			"join the user namespace that linux.namespaces names");
	return 0;
}

static bool has_line(const char *text, const struct oci_id_map *map)
{
	for (; text && *text; text = strchr(text, '\n'), text += !!text) {
		unsigned int inside, outside, size;

		if (sscanf(text, "%u %u %u", &inside, &outside, &size) == 3 &&
		    inside == map->container_id && outside == map->host_id &&
		    size == map->size)
			return true;
	}
	return false;
}

static int read_map(struct arena *arena, const char *text,
		    struct oci_id_maps *ret)
{
	struct oci_id_map *items;
	size_t most = 1, n = 0;
	int len;

	for (const char *p = text; *p; p++)
		most += *p == '\n';
	items = arena_array(arena, most, sizeof *items);
	if (!items)
		return -ENOMEM;
	while (n < most &&
	       sscanf(text, "%u %u %u%n", &items[n].container_id,
		      &items[n].host_id, &items[n].size, &len) == 3) {
		text += len;
		n++;
	}
	*ret = (struct oci_id_maps){ .items = items, .n = n };
	return 0;
}

static int compare(struct arena *arena, int proc, pid_t pid, const char *file,
		   const char *place, struct oci_id_maps *maps)
{
	char name[64], *text;
	int r;

	snprintf(name, sizeof name, "%d/%s", pid, file);
	r = io_read_at(arena, proc, name, MAP_MAX, &text);
	if (r < 0)
		return r;
	for (size_t i = 0; i < maps->n; i++)
		if (!has_line(text, &maps->items[i]))
			return fail(0,
				    "%s[%zu]: is not a mapping of the user "
				    "namespace to join (remove the mappings, "
				    "or give those of the namespace)",
				    place, i);
	return maps->n ? 0 : read_map(arena, text, maps);
}

int idmap_of_joined(struct arena *arena, int proc, int userns,
		    struct oci_id_maps *uids, struct oci_id_maps *gids)
{
	AUTO(end_visitor) struct visitor visitor = { 0 };
	int r;

	r = start_visitor(userns, &visitor);
	if (r < 0)
		return r;
	r = compare(arena, proc, visitor.pid, "uid_map", "linux.uidMappings",
		    uids);
	if (r < 0)
		return r;
	return compare(arena, proc, visitor.pid, "gid_map", "linux.gidMappings",
		       gids);
}
