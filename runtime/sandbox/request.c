/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/request.c - read the layers of a policy, and complete a
 * request.
 */
#include "runtime/sandbox/request.h"

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
#include "base/io.h"
#include "base/util.h"
#include "confine/calls.h"
#include "policy/account.h"
#include "policy/glob.h"
#include "policy/keys.h"
#include "policy/profile_find.h"
#include "policy/system_config.h"
#include "runtime/sandbox/env_file.h"

#ifdef __APPLE__
extern char **environ; /* no header of macOS has it */
#endif

#define MAX_POLICY (1UL << 20)
#define MAX_NAME 64

static int set_name(struct arena *arena, const char *name, const char **ret)
{
	if (!name)
		name = arena_printf(arena, "sandbox-%d", getpid());
	if (!name)
		return -ENOMEM;
	if (!*name || strlen(name) > MAX_NAME || strchr(name, '/') ||
	    streq(name, ".") || streq(name, ".."))
		return fail(0,
			    "--name: '%s' is not a valid name: 1 to %d bytes, "
			    "no slash, not . or ..",
			    name, MAX_NAME);
	*ret = name;
	return 0;
}

/* ---- places ---- */

/* In a directory that any user may write, the marker must be the caller's. */
static bool is_marker(const char *dir, const char *path)
{
	struct stat above, marker;

	/* A running sandbox makes a socket as a placeholder. */
	return stat(path, &marker) == 0 && !S_ISSOCK(marker.st_mode) &&
	       (marker.st_uid == geteuid() || stat(dir, &above) < 0 ||
		!(above.st_mode & S_IWOTH));
}

static bool has_marker(const char *dir)
{
	char path[PATH_MAX];

	for (size_t i = 0; policy_project_markers[i]; i++)
		if ((size_t)snprintf(path, sizeof path, "%s/%s", dir,
				     policy_project_markers[i]) < sizeof path &&
		    is_marker(dir, path))
			return true;
	return false;
}

static int take_project(struct arena *arena, const char *given,
			const char **ret)
{
	autofree char *real = realpath(given, NULL);
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return fail(errno, "--project %s", given);
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR, "--project %s", given);
	*ret = arena_strdup(arena, real);
	return *ret ? 0 : -ENOMEM;
}

/* Find the nearest directory with a marker, never / or the home. */
static int find_project(struct arena *arena, const struct request *request,
			const char *given, const char **ret)
{
	autofree char *home = request->home ? realpath(request->home, NULL) :
					      NULL;
	char *dir;

	if (given)
		return take_project(arena, given, ret);
	dir = arena_strdup(arena, request->cwd);
	if (!dir)
		return -ENOMEM;
	while (*dir && !(home && streq(dir, home))) {
		if (has_marker(dir)) {
			*ret = dir;
			return 0;
		}
		*strrchr(dir, '/') = '\0';
	}
	*ret = request->cwd;
	return 0;
}

static int find_places(struct arena *arena, struct request *ret)
{
	const char *home = getenv("HOME");
	autofree char *cwd = getcwd(NULL, 0);

	if (!cwd)
		return fail(errno, "find the current directory");
	ret->cwd = arena_strdup(arena, cwd);
	ret->home = home && home[0] == '/' ? home : NULL;
	ret->env.items = (const char **)environ;
	while (environ[ret->env.n])
		ret->env.n++;
	return ret->cwd ? 0 : -ENOMEM;
}

int request_profile_folders(struct arena *arena, const char *const **ret)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char **folders = arena_array(arena, 4, sizeof *folders);
	size_t n = 0;

	if (!folders)
		return -ENOMEM;
	if (config && config[0] == '/')
		folders[n++] =
			arena_printf(arena, "%s/sandlock/profiles", config);
	else if (home && home[0] == '/')
		folders[n++] = arena_printf(arena,
					    "%s/.config/sandlock/profiles",
					    home);
	if (n && !folders[0])
		return -ENOMEM;
	for (size_t i = 0; profile_system_folders[i]; i++)
		folders[n++] = profile_system_folders[i];
	*ret = folders;
	return 0;
}

/* ---- layers ---- */

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return streq(slash ? slash + 1 : path, name);
}

/* dir is the project of dir/.claude/settings.json and of dir/uv.toml. */
static int project_of(struct arena *arena, const char *path, const char **ret)
{
	autofree char *real = realpath(path, NULL);
	char *slash;

	if (!real)
		return fail(errno, "--policy %s", path);
	slash = strrchr(real, '/');
	*slash = '\0';
	if (ends_with(real, "/.claude"))
		real[strlen(real) - strlen("/.claude")] = '\0';
	*ret = arena_strdup(arena, *real ? real : "/");
	return *ret ? 0 : -ENOMEM;
}

static int read_policy(struct arena *arena, const char *path, char **ret_text,
		       size_t *ret_len)
{
	autoclose int fd =
		open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "--policy %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(0, "--policy %s: not a regular file", path);
	if (st.st_mode & S_IWOTH)
		return fail(0,
			    "--policy %s: must not be writable by everybody "
			    "(chmod o-w)",
			    path);
	r = io_read_all(arena, fd, MAX_POLICY, ret_text, ret_len);
	return r < 0 ? fail_in(r, "--policy %s", path) : 0;
}

/*
 * uv uses uv.toml instead of pyproject.toml. A workload that may write the
 * project can create it, so it is not read unless the caller named it.
 */
static int check_no_uv_toml(struct arena *arena, const char *path,
			    const char *project)
{
	const char *other = arena_printf(arena, "%s/uv.toml",
					 streq(project, "/") ? "" : project);
	struct stat st;

	if (!other)
		return -ENOMEM;
	/* A running sandbox makes a socket as a placeholder. */
	if (lstat(other, &st) < 0 ? errno == ENOENT : S_ISSOCK(st.st_mode))
		return 0;
	return fail(0,
		    "--policy %s: ignored because uv.toml exists: pass %s "
		    "instead, or remove it",
		    path, other);
}

static int load_file(struct arena *arena, struct request *request,
		     const struct policy_place *here)
{
	const char *path = request->source = request->policy_file;
	bool is_project = is_called(path, "pyproject.toml");
	bool is_uv = is_project || is_called(path, "uv.toml");
	bool is_json = ends_with(path, ".json");
	struct policy_place place = *here;
	char *text;
	size_t len;
	int r = read_policy(arena, path, &text, &len);

	if (r < 0)
		return r;
	if (is_uv || is_json) {
		r = project_of(arena, path, &place.project);
		if (r < 0)
			return r;
		place.cwd = place.project;
		request->project = place.project;
	}
	if (is_project) {
		r = check_no_uv_toml(arena, path, place.project);
		if (r < 0)
			return r;
	}
	if (is_uv) {
		request->env_base = POLICY_ENV_NONE;
		return policy_from_uv(arena, text, len, path, &place,
				      &request->policy);
	}
	if (is_json)
		return policy_from_claude(arena, text, len, path, &place,
					  &request->policy);
	return policy_from_toml(arena, text, len, path, &place,
				&request->policy);
}

static int load_base(struct arena *arena, struct request *request,
		     const struct policy_place *place)
{
	const char *const *folders;
	int r;

	if (request->profile && request->policy_file)
		return fail(0, "-p and --policy cannot be used together");
	if (request->policy_file)
		return load_file(arena, request, place);
	if (!request->profile)
		return 0;
	r = request_profile_folders(arena, &folders);
	if (r < 0)
		return r;
	return profile_load(arena, request->profile, folders, place,
			    &request->policy, &request->source);
}

static int set_command(struct arena *arena, const struct strings *given,
		       struct request *ret)
{
	const struct policy *policy = &ret->policy;
	const char **items;

	ret->command = *given;
	if (given->n > 0 || !policy->set[KEY_EXEC])
		return 0;
	items = arena_array(arena, policy->args.n + 2, sizeof *items);
	if (!items)
		return -ENOMEM;
	items[0] = policy->exec;
	for (size_t i = 0; i < policy->args.n; i++)
		items[i + 1] = policy->args.items[i];
	ret->command = (struct strings){ items, policy->args.n + 1 };
	return 0;
}

/* Apply the profiles that are enforced. */
static int obey(struct arena *arena, const struct strings *enforced,
		const struct policy_place *place, struct policy *policy)
{
	const struct policy_floor *floor;
	struct policy_place own = *place;
	int r;

	if (!enforced->n)
		return 0;
	r = account_own_home(arena, &own.account);
	if (r == 0)
		r = policy_floor_load(arena, enforced, &own, &floor);
	if (r < 0)
		return r;
	r = policy_tighten(arena, policy, floor, policy);
	return r < 0 ? r : policy_check(policy, /* bundle= */ false);
}

/* A workdir can be written without being listed. */
static int write_workdirs(struct arena *arena, struct policy *policy)
{
	for (size_t i = 0; i < policy->workdir.n; i++) {
		const char *item =
			policy_glob_quote(arena, policy->workdir.items[i]);

		if (!item)
			return -ENOMEM;
		if (!strings_has(&policy->write, item) &&
		    strings_add(arena, &policy->write, item) < 0)
			return -ENOMEM;
		if (!policy->set[KEY_WRITE])
			policy->origin[KEY_WRITE] = policy->origin[KEY_WORKDIR];
		policy->set[KEY_WRITE] = true;
	}
	return 0;
}

static int set_policy(struct arena *arena, const struct request_wishes *wishes,
		      const struct strings *enforced, struct request *ret)
{
	struct policy_place place = request_place(ret);
	struct policy over = wishes->policy;
	int r = load_base(arena, ret, &place);

	if (r < 0)
		return r;
	if (wishes->project && !streq(place.project, ret->project))
		return fail(0,
			    "--project %s: --policy %s applies only to its own "
			    "project, %s",
			    wishes->project, wishes->policy_file, ret->project);
	r = env_files_add(arena, &ret->env_files, &ret->env, &over);
	if (r >= 0)
		r = policy_make_private(arena, &over, &ret->policy);
	if (r < 0)
		return r;
	policy_layer(&ret->policy, &over);
	r = policy_check(&ret->policy, /* bundle= */ false);
	if (r == 0)
		r = obey(arena, enforced, &place, &ret->policy);
	if (r == 0)
		r = confine_check_denied(&ret->policy.extra_deny);
	return r < 0 ? r : write_workdirs(arena, &ret->policy);
}

/* The caller's own profile replaces that of the system's configuration. */
static int apply_config(struct arena *arena,
			const struct request_wishes *wishes,
			struct request *request, struct strings *ret_enforced)
{
	struct system_config config;
	int r = system_config_load(arena, wishes->config, &config);

	if (r < 0)
		return r;
	if (!request->profile && !request->policy_file)
		request->profile = config.profile;
	if (config.enforce)
		r = strings_add(arena, ret_enforced, config.enforce);
	if (r == 0 && wishes->enforce)
		r = strings_add(arena, ret_enforced, wishes->enforce);
	return r;
}

int request_open(struct arena *arena, struct request *ret)
{
	*ret = (struct request){ .env_base = POLICY_ENV_BASIC };
	return find_places(arena, ret);
}

struct policy_place request_place(const struct request *request)
{
	return (struct policy_place){ .cwd = request->cwd,
				      .home = request->home,
				      .project = request->project,
				      .env = &request->env };
}

int request_make(struct arena *arena, const struct request_wishes *wishes,
		 struct request *ret)
{
	struct strings enforced = { 0 };
	int r;

	ret->profile = wishes->profile;
	ret->policy_file = wishes->policy_file;
	ret->env_files = wishes->env_files;
	ret->timeout_ms = wishes->timeout_ms;
	ret->json = wishes->json;
	ret->terminal = wishes->terminal;
	ret->no_terminal = wishes->no_terminal;
	if (ret->terminal && ret->no_terminal)
		return fail(0, "--tty and --no-tty: give one of them");
	ret->interactive = wishes->interactive;
	ret->why = wishes->why;
	ret->unsandboxed = wishes->unsandboxed;
	ret->named = wishes->name != NULL;
	r = set_name(arena, wishes->name, &ret->name);
	if (r >= 0)
		r = find_project(arena, ret, wishes->project, &ret->project);
	if (r >= 0)
		r = apply_config(arena, wishes, ret, &enforced);
	if (r >= 0)
		r = set_policy(arena, wishes, &enforced, ret);
	if (r >= 0)
		r = set_command(arena, &wishes->command, ret);
	return r;
}
