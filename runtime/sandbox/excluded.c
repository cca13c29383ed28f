/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/excluded.c - find the file that a command would run. */
#include "runtime/sandbox/excluded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/files.h"
#include "runtime/sandbox/request.h"

#define MAX_LINKS 40
/* The kernel's limits for a #! line and for nested scripts. */
#define SHEBANG 256
#define MAX_SCRIPTS 5
/* execvp(3) uses it if PATH is not set; OCI_DEFAULT_PATH has more. */
#define DEFAULT_PATH "/bin:/usr/bin"

/* A path of the host that the workload may write. */
struct writable {
	const char *path;
	dev_t dev;
	ino_t ino;
};

struct finder {
	struct arena *arena;
	const struct request *request;
	struct writable *writables;
	size_t n;
	const char *refusal;
};

/* ---- writable paths ---- */

static int add_writable(struct finder *f, const char *path)
{
	struct writable *grown = arena_grow(f->arena, f->writables, f->n,
					    f->n + 1, sizeof *grown);
	struct stat st;

	if (!grown)
		return -ENOMEM;
	f->writables = grown;
	grown[f->n] = (struct writable){ .path = arena_strdup(f->arena, path) };
	if (!grown[f->n].path)
		return -ENOMEM;
	if (stat(path, &st) == 0) {
		grown[f->n].dev = st.st_dev;
		grown[f->n].ino = st.st_ino;
	}
	f->n++;
	return 0;
}

static int add_real(struct finder *f, const char *path)
{
	autofree char *real = realpath(path, NULL);

	return real ? add_writable(f, real) : 0;
}

/* Add paths of filesystem.mount that the sandbox may write. */
static int add_mounts(struct finder *f)
{
	const struct policy_mounts *mount = &f->request->policy.mount;
	int r = 0;

	for (size_t i = 0; r == 0 && i < mount->n; i++)
		if (!mount->items[i].readonly)
			r = add_real(f, mount->items[i].host);
	return r;
}

static int add_listed(struct finder *f, const struct files_list *list,
		      const char *prefix)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const char *path = arena_printf(f->arena, "%s%s", prefix,
						list->items[i].path);

		r = path ? add_writable(f, path) : -ENOMEM;
	}
	return r;
}

static int find_writables(struct finder *f)
{
	const struct request *request = f->request;
	const struct policy *policy = &request->policy;
	/* Only writable paths matter; the readable ones may be missing. */
	struct policy writes = { .write = policy->write,
				 .write_only = policy->write_only };
	const char *top = policy->chroot ? policy->chroot : "/";
	autofree char *real = realpath(top, NULL);
	autoclose int root =
		real ? open(real, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	autoclose int proc = root < 0 ? -1 : proc_open();
	const struct files_place place = {
		.proc = proc,
		.root = root,
		.home = request->home,
		.project = request->project,
		.env = request->env,
	};
	struct files_list allowed, denied;
	int r;

	if (root < 0)
		return fail(errno, "filesystem.chroot '%s'", top);
	if (proc < 0)
		return proc;
	r = files_resolve(f->arena, &writes, &place, &allowed, &denied);
	if (r >= 0)
		r = add_listed(f, &allowed, streq(real, "/") ? "" : real);
	for (size_t i = 0; r >= 0 && i < policy->workdir.n; i++)
		r = add_real(f, policy->workdir.items[i]);
	return r < 0 ? r : add_mounts(f);
}

/* ---- path resolution ---- */

/* A path being resolved: the part without links, and the remainder. */
struct walk {
	char done[PATH_MAX];
	char rest[2 * PATH_MAX];
	int links;
};

static int refuse(struct finder *f, const char *file, const char *path,
		  const char *why)
{
	f->refusal = streq(file, path) ?
			     arena_printf(f->arena, "%s %s", file, why) :
			     arena_printf(f->arena,
					  "%s is reached through %s, which %s",
					  file, path, why);
	return f->refusal ? 0 : -ENOMEM;
}

/* Also true if a bind mount shows a writable path under another name. */
static bool is_writable(const struct finder *f, const char *path,
			const struct stat *st)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct writable *w = &f->writables[i];

		if (files_is_at_or_below(path, w->path) ||
		    (w->ino == st->st_ino && w->dev == st->st_dev))
			return true;
	}
	return false;
}

/* Resolve one component: 0 if none is left, -1 if the path is too long. */
static int advance(struct walk *w)
{
	const char *name = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(name, "/"), at = strlen(w->done);

	if (len == 0)
		return 0;
	if (at + len + 2 > sizeof w->done)
		return -1;
	if (len == 2 && strncmp(name, "..", 2) == 0) {
		char *slash = strrchr(w->done, '/');

		if (slash)
			*slash = '\0';
	} else if (len > 1 || *name != '.') {
		w->done[at] = '/';
		memcpy(w->done + at + 1, name, len);
		w->done[at + 1 + len] = '\0';
	}
	memmove(w->rest, name + len, strlen(name + len) + 1);
	return 1;
}

/* Replace the link at the end of done with its target. */
static bool follow(struct walk *w)
{
	char target[PATH_MAX], rest[2 * PATH_MAX];
	ssize_t n = readlink(w->done, target, sizeof target - 1);

	if (n <= 0 || ++w->links > MAX_LINKS)
		return false;
	target[n] = '\0';
	strcpy(rest, w->rest);
	if ((size_t)snprintf(w->rest, sizeof w->rest, "%s/%s", target, rest) >=
	    sizeof w->rest)
		return false;
	if (target[0] == '/')
		w->done[0] = '\0';
	else
		*strrchr(w->done, '/') = '\0';
	return true;
}

/*
 * Check every directory and link of the path, and the file itself: if the
 * workload may write one of them, *ret_real is empty and the refusal names it.
 */
static int walk_to(struct finder *f, const char *file, char *ret_real)
{
	struct walk w = { .links = 0 };
	const char *cwd = file[0] == '/' ? "" : f->request->cwd;
	bool good = (size_t)snprintf(w.rest, sizeof w.rest, "%s/%s", cwd,
				     file) < sizeof w.rest;
	int more = 1;

	*ret_real = '\0';
	while (good && more > 0) {
		const char *now = w.done[0] ? w.done : "/";
		struct stat st;

		if (lstat(now, &st) < 0)
			return refuse(f, file, now,
				      "cannot be inspected with lstat()");
		if (is_writable(f, now, &st))
			return refuse(f, file, now,
				      "is writable inside the sandbox");
		if (S_ISLNK(st.st_mode))
			good = follow(&w);
		else
			more = advance(&w);
	}
	if (!good || more < 0)
		return refuse(f, file, file, "cannot be resolved");
	strcpy(ret_real, w.done);
	return 0;
}

/* ---- PATH lookup ---- */

static bool is_program(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) == 0;
}

/* The first executable file, as execvp(3) finds it; NULL: none. */
static int find_in_path(struct finder *f, const char *name, const char **ret)
{
	const char *path = getenv("PATH");
	char *left = arena_strdup(f->arena, path ? path : DEFAULT_PATH);

	*ret = NULL;
	if (!left)
		return -ENOMEM;
	while (left) {
		const char *dir = strsep(&left, ":");
		const char *file = arena_printf(f->arena, "%s%s%s", dir,
						*dir ? "/" : "", name);

		if (!file)
			return -ENOMEM;
		if (!is_program(file))
			continue;
		/* The file would depend on the working directory. */
		if (dir[0] != '/')
			return refuse(f, file, file,
				      "was found in a directory of PATH that "
				      "is not absolute");
		*ret = file;
		return 0;
	}
	return refuse(f, name, name, "is not found in PATH");
}

/* ---- scripts ---- */

/* The text after "#!"; empty if the file is not a script. */
static void read_shebang(const char *file, char line[SHEBANG])
{
	autoclose int fd =
		open(file, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, SHEBANG - 1);

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "#!", 2) == 0)
		memmove(line, line + 2, strlen(line + 2) + 1);
	else
		line[0] = '\0';
}

/*
 * Return what env(1) would run: the first word that is not an option or
 * variable.
 */
static const char *word_for_env(char *left)
{
	const char *word;

	while ((word = strsep(&left, " \t")))
		if (*word && *word != '-' && !strchr(word, '='))
			return word;
	return NULL;
}

static bool is_env(const char *file)
{
	const char *slash = strrchr(file, '/');

	return streq(slash ? slash + 1 : file, "env");
}

/* Refuse a file if the workload may write it or one of its interpreters. */
static int judge(struct finder *f, const char *file)
{
	for (int depth = 0; depth < MAX_SCRIPTS; depth++) {
		char real[PATH_MAX], line[SHEBANG], *left = line;
		const char *interpreter, *word;
		int r = walk_to(f, file, real);

		if (r < 0 || !*real)
			return r;
		read_shebang(real, line);
		left += strspn(left, " \t");
		interpreter = strsep(&left, " \t");
		if (!*interpreter)
			return 0;
		file = arena_strdup(f->arena, interpreter);
		if (!file)
			return -ENOMEM;
		word = is_env(file) ? word_for_env(left) : NULL;
		if (!word)
			continue;
		r = walk_to(f, file, real);
		if (r < 0 || !*real)
			return r;
		file = arena_strdup(f->arena, word);
		if (!file)
			return -ENOMEM;
		if (!strchr(file, '/'))
			r = find_in_path(f, file, &file);
		if (r < 0 || !file || f->refusal)
			return r;
	}
	return refuse(f, file, file,
		      "is the interpreter of too many nested scripts");
}

/* ---- the list ---- */

static const char *find_entry(const struct request *request)
{
	const struct strings *excluded = &request->policy.excluded;

	for (size_t i = 0; request->command.n && i < excluded->n; i++)
		if (streq(excluded->items[i], request->command.items[0]))
			return excluded->items[i];
	return NULL;
}

int excluded_find(struct arena *arena, const struct request *request,
		  struct excluded *ret)
{
	struct finder f = { .arena = arena, .request = request };
	const char *entry = find_entry(request), *file = entry;
	int r;

	*ret = (struct excluded){ 0 };
	if (!entry)
		return 0;
	r = find_writables(&f);
	if (r >= 0 && !strchr(entry, '/'))
		r = find_in_path(&f, entry, &file);
	if (r >= 0 && !f.refusal)
		r = judge(&f, file);
	if (r < 0)
		return r;
	if (f.refusal)
		*ret = (struct excluded){ .refusal = f.refusal };
	else
		*ret = (struct excluded){ .entry = entry, .file = file };
	return 0;
}
