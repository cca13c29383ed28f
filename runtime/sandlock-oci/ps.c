/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/ps.c - ps: print the processes of a container, as JSON
 * or like ps(1).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "runtime/container/container.h"
#include "runtime/sandlock-oci/commands.h"

#define MAX_OUTPUT (16UL << 20)
#define BLANKS " \t"

struct ps_options {
	const char *format;
};

static const struct option_spec options_known[] = {
	{ "format", 'f', OPTION_TEXT, offsetof(struct ps_options, format),
	  "FORMAT", "table (default) or json" },
};

struct pids {
	pid_t *items;
	size_t n;
};

static bool holds(const struct pids *pids, const char *field, size_t len)
{
	char *end;
	long pid = strtol(field, &end, 10);

	if (end != field + len)
		return false;
	for (size_t i = 0; i < pids->n; i++)
		if (pids->items[i] == pid)
			return true;
	return false;
}

static int append(struct arena *arena, struct pids *pids, size_t *cap,
		  pid_t pid)
{
	if (pids->n == *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		pid_t *items = arena_grow(arena, pids->items, pids->n, more,
					  sizeof *items);

		if (!items)
			return -ENOMEM;
		pids->items = items;
		*cap = more;
	}
	pids->items[pids->n++] = pid;
	return 0;
}

static uint64_t pid_ns_of(int proc, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "%.16s/ns/pid", name);
	return fstatat(proc, path, &st, 0) < 0 ? 0 : st.st_ino;
}

/*
 * Without a cgroup, select processes by the pid namespace; if that is our own,
 * too, only init is known.
 */
static int namespace_pids(struct arena *arena, const struct oci_record *record,
			  struct pids *ret)
{
	uint64_t ns = record->ns_inodes[OCI_NS_PID];
	autoclosedir DIR *dir = opendir("/proc");
	struct pids pids = { 0 };
	size_t cap = 0;

	if (!dir)
		return fail(errno,
			    "open /proc to find the container's processes");
	if (ns == 0 || ns == pid_ns_of(dirfd(dir), "self")) {
		*ret = pids;
		return append(arena, ret, &cap, record->pid);
	}
	for (struct dirent *e; (e = readdir(dir));) {
		int r;

		if (e->d_name[0] < '1' || e->d_name[0] > '9' ||
		    pid_ns_of(dirfd(dir), e->d_name) != ns)
			continue;
		r = append(arena, &pids, &cap, (pid_t)atoi(e->d_name));
		if (r < 0)
			return r;
	}
	*ret = pids;
	return 0;
}

/*
 * Processes that a stopped container left in its cgroup count; without a cgroup
 * the list is empty.
 */
static int find_pids(struct arena *arena, const struct container *c,
		     struct pids *ret)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	autoclose int init = container_pidfd(c);
	struct pids pids = { 0 };
	int r;

	if (init < 0 && init != -ESRCH)
		return init;
	r = container_this_boot(c);
	if (r <= 0) {
		*ret = pids;
		return r;
	}
	r = cgroup_from_record(arena, &c->record, &cgroup);
	if (r < 0)
		return r;
	if (cgroup.n > 0)
		r = cgroup_pids(arena, &cgroup, &pids.items, &pids.n);
	else if (init >= 0)
		r = namespace_pids(arena, &c->record, &pids);
	if (r < 0 && init >= 0)
		return r;
	*ret = pids;
	return 0;
}

static void print_json(const struct pids *pids)
{
	putchar('[');
	for (size_t i = 0; i < pids->n; i++)
		printf("%s%d", i ? "," : "", pids->items[i]);
	puts("]");
}

/* Start ps(1) with its stdout in a pipe; return the reading end. */
static int spawn_ps(char **argv, pid_t *ret_pid)
{
	autoclose int reader = -1, writer = -1;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t reset;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "create a pipe for the output of ps");
	reader = ends[0];
	writer = ends[1];
	sigemptyset(&reset);
	sigaddset(&reset, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &reset);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	err = posix_spawn_file_actions_adddup2(&files, writer, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(ret_pid, "ps", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (err)
		return fail(err, "run the program ps");
	return take_fd(&reader);
}

static int read_ps(struct arena *arena, char **argv, char **ret_text)
{
	pid_t pid;
	autoclose int out = spawn_ps(argv, &pid);
	int r, status;

	if (out < 0)
		return out;
	r = io_read_all(arena, out, MAX_OUTPUT, ret_text, NULL);
	closep(&out);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(errno,
				    "wait for the end of the program ps");
	if (r < 0)
		return fail_in(r, "read the output of ps");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(0,
			    "the program ps failed (its own message says why)");
	return 0;
}

/* Return the n-th field of a line, or NULL. */
static const char *field(const char *line, int n, size_t *ret_len)
{
	for (line += strspn(line, BLANKS); *line; n--) {
		size_t len = strcspn(line, BLANKS);

		*ret_len = len;
		if (n == 0)
			return line;
		line += len;
		line += strspn(line, BLANKS);
	}
	return NULL;
}

static int pid_column(const char *titles)
{
	const char *title;
	size_t len;

	for (int n = 0; (title = field(titles, n, &len)); n++)
		if (len == 3 && starts_with(title, "PID"))
			return n;
	return fail(0, "ps printed no PID column: add pid to its option -o, or "
		       "leave the option out");
}

static int print_table(struct arena *arena, const struct pids *pids, int argc,
		       char **options)
{
	char **argv = arena_array(arena, (size_t)argc + 3, sizeof *argv);
	char *text, *line, *rest;
	int column, r;

	if (!argv)
		return -ENOMEM;
	argv[0] = arena_strdup(arena, "ps");
	argv[1] = arena_strdup(arena, "-ef");
	if (!argv[0] || !argv[1])
		return -ENOMEM;
	for (int i = 0; i < argc; i++)
		argv[i + 1] = options[i];
	r = read_ps(arena, argv, &text);
	if (r < 0)
		return r;
	line = strtok_r(text, "\n", &rest);
	column = pid_column(line ? line : "");
	if (column < 0)
		return column;
	puts(line);
	while ((line = strtok_r(NULL, "\n", &rest))) {
		size_t len;
		const char *pid = field(line, column, &len);

		if (pid && holds(pids, pid, len))
			puts(line);
	}
	return 0;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	const struct ps_options *o = options;
	const char *format = o->format ? o->format : "table";
	struct pids pids = { 0 };
	int r;

	if (!streq(format, "table") && !streq(format, "json"))
		return fail(0, "--format: '%s' is not table or json", format);
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	r = find_pids(session->arena, &c, &pids);
	if (r < 0)
		return r;
	if (streq(format, "table"))
		return print_table(session->arena, &pids, argc - 1, argv + 1);
	print_json(&pids);
	return 0;
}

const struct command command_ps = {
	.name = "ps",
	.arguments = "[options] ID [ps options]",
	.help = "show the processes of a container",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct ps_options),
	.min_args = 1,
	.max_args = -1,
	.stop_at_args = true,
	.run = run,
	.failure = 1,
};
