/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/unix_namespaces.c - list the Unix sockets of every network namespace
 * that has a visible process.
 *
 * A socket belongs to one network namespace, but every process that sees its
 * file can connect to it. Root asks the kernel in each namespace; other users
 * read the names from /proc.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/unix_sockets.h"

#define STACK (256UL << 10)

/* Not every process shows its namespace; then a file of it tells. */
struct key {
	bool by_file;
	uint64_t inode;
};

struct namespace
{
	struct key key;
	pid_t process;
};

struct survey {
	struct arena *arena;
	int proc;
	pid_t skipped;
	struct key own;
	struct key own_file; /* inode 0: not needed yet */
	struct namespace *others;
	size_t n, size;
	struct unix_processes *processes;
};

struct visit {
	struct arena *arena;
	int proc;
	const struct unix_processes *processes;
	struct unix_sockets *list;
	int result;
};

static bool is_same(struct key a, struct key b)
{
	return a.by_file == b.by_file && a.inode == b.inode;
}

static bool file_key_of(int proc, const char *process, struct key *ret)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof name, "%.16s/net/unix", process);
	if (fstatat(proc, name, &st, 0) < 0)
		return false;
	*ret = (struct key){ .by_file = true, .inode = st.st_ino };
	return true;
}

/* readlink is three times as fast as stat here. */
static bool key_of(int proc, const char *process, struct key *ret)
{
	char name[64], text[64];
	ssize_t n;

	snprintf(name, sizeof name, "%.16s/ns/net", process);
	n = readlinkat(proc, name, text, sizeof text - 1);
	if (n > 0) {
		text[n] = '\0';
		ret->by_file = false;
		return sscanf(text, "net:[%" SCNu64 "]", &ret->inode) == 1;
	}
	return (errno == EACCES || errno == EPERM) &&
	       file_key_of(proc, process, ret);
}

static int add_process(struct survey *s, pid_t process, pid_t first)
{
	struct unix_processes *all = s->processes;
	struct unix_process *items = arena_room(s->arena, all->items, all->n,
						&all->size, sizeof *items);

	if (!items)
		return -ENOMEM;
	all->items = items;
	all->items[all->n++] = (struct unix_process){ process, first };
	return 0;
}

/* Return the first process of its namespace, 0 for our own. */
static int add_namespace(struct survey *s, struct key key, pid_t process)
{
	struct namespace *others;

	if (key.by_file && !s->own_file.inode)
		(void)file_key_of(s->proc, "self", &s->own_file);
	if (is_same(key, s->own) || is_same(key, s->own_file))
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_same(key, s->others[i].key))
			return s->others[i].process;
	others =
		arena_room(s->arena, s->others, s->n, &s->size, sizeof *others);
	if (!others)
		return -ENOMEM;
	s->others = others;
	s->others[s->n++] = (struct namespace){ key, process };
	return process;
}

static int add_all(struct survey *s)
{
	autoclose int fd =
		openat(s->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!entries)
		return fail(errno, "list the processes in /proc");
	(void)take_fd(&fd);
	while (r >= 0 && (entry = readdir(entries))) {
		pid_t process = atoi(entry->d_name);
		struct key key;

		if (process <= 0 || process == s->skipped ||
		    !key_of(s->proc, entry->d_name, &key))
			continue;
		r = add_namespace(s, key, process);
		if (r >= 0)
			r = add_process(s, process, r);
	}
	return r;
}

/* ---- their sockets ---- */

/* A namespace that ends in the meantime has no sockets. */
static int list_names(const struct visit *v, pid_t process)
{
	int r = unix_names_list(v->arena, v->proc, process, v->list);

	return r == -ENOMEM ? r : 0;
}

static bool enter(const struct visit *v, pid_t process)
{
	char name[64];

	snprintf(name, sizeof name, "%d/ns/net", process);

	autoclose int fd = openat(v->proc, name, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
}

static int list_inside(const struct visit *v, pid_t process)
{
	size_t before = v->list->n;
	int r = enter(v, process) ? unix_diag_list(v->arena, process, v->list) :
				    -EPERM;

	if (r >= 0 || r == -ENOMEM)
		return r;
	v->list->n = before;
	return list_names(v, process);
}

static int visit_others(struct visit *v,
			int (*list)(const struct visit *v, pid_t process))
{
	const struct unix_processes *all = v->processes;
	int r = 0;

	for (size_t i = 0; r == 0 && i < all->n; i++)
		if (all->items[i].id == all->items[i].first)
			r = list(v, all->items[i].id);
	return r;
}

static int be_visitor(void *arg)
{
	struct visit *v = arg;

	v->result = visit_others(v, list_inside);
	return 0;
}

/* A process that shares our memory goes there, so that we stay here. */
static int send_visitor(struct visit *v)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pid_t pid;

	if (stack == MAP_FAILED)
		return fail(errno, "allocate a stack for a process in other "
				   "network namespaces");
	v->result = -ECHILD;
	pid = clone(be_visitor, stack + STACK,
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, v);
	if (pid < 0)
		v->result = -errno;
	else
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	(void)munmap(stack, STACK);
	if (v->result < 0)
		return fail(-v->result, "list the Unix sockets of other "
					"network namespaces");
	return 0;
}

/* Names must do where the kernel has no list. */
static int list_own(const struct visit *v)
{
	int r = unix_diag_list(v->arena, 0, v->list);

	if (r >= 0 || r == -ENOMEM)
		return r;
	v->list->n = 0;
	r = unix_names_list(v->arena, v->proc, 0, v->list);
	if (r < 0 && r != -ENOMEM)
		return fail(-r, "list the Unix sockets of this host");
	return r;
}

static bool has_others(const struct unix_processes *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].first)
			return true;
	return false;
}

int unix_namespaces_list(struct arena *arena, int proc,
			 const struct unix_processes *processes,
			 struct unix_sockets *list)
{
	struct visit v = {
		.arena = arena,
		.proc = proc,
		.processes = processes,
		.list = list,
	};
	int r = list_own(&v);

	if (r < 0 || !has_others(processes))
		return r;
	return geteuid() == 0 ? send_visitor(&v) : visit_others(&v, list_names);
}

/* If the kernel has no list, the search walks directories instead. */
static int list_all(struct arena *arena, int proc, struct unix_processes *ret)
{
	struct unix_sockets *bound = arena_alloc(arena, sizeof *bound);
	int r = bound ? unix_namespaces_list(arena, proc, ret, bound) : -ENOMEM;

	if (r == 0)
		ret->bound = bound;
	if (r == 0 || r == -ENOMEM)
		return r;
	err_clear();
	return 0;
}

int unix_survey(struct arena *arena, int proc, pid_t skipped,
		struct unix_processes *ret)
{
	struct unix_processes processes = { 0 };
	struct survey s = {
		.arena = arena,
		.proc = proc,
		.skipped = skipped,
		.processes = &processes,
	};
	int r;

	if (!key_of(proc, "self", &s.own))
		return fail(errno, "find our own network namespace in /proc");
	r = add_all(&s);
	if (r >= 0)
		r = list_all(arena, proc, &processes);
	if (r < 0)
		return r;
	*ret = processes;
	return 0;
}
