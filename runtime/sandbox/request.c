/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/request.c - layers of policies and the words around them. */
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
#include "base/flag.h"
#include "base/io.h"
#include "base/num.h"
#include "base/util.h"
#include "confine/confine.h"
#include "policy/keys.h"
#include "policy/profile_find.h"
#include "runtime/cli/command.h"
#include "runtime/sandbox/env_file.h"

#define MAX_POLICY (1UL << 20)
#define MAX_NAME 64
#define MAX_TIMEOUT 1e9

struct words {
	struct arena *arena;
	struct strings env_files;
	const char *profile;
	const char *policy_file;
	const char *name;
	const char *project;
	const char *timeout;
	bool json;
	bool terminal;
	bool interactive;
	bool why;
	bool unsandboxed;
	bool help;
};

#define WORD(field) offsetof(struct words, field)

const struct option_spec request_options[] = {
	{ "profile", 'p', OPTION_TEXT, WORD(profile), "NAME",
	  "start from this profile; with a slash: from this file" },
	{ "policy", 0, OPTION_TEXT, WORD(policy_file), "FILE",
	  "start from a TOML profile, pyproject.toml, uv.toml or an agent's "
	  "settings.json" },
	{ "project", 0, OPTION_TEXT, WORD(project), "DIR",
	  "what @project means" },
	{ "name", 0, OPTION_TEXT, WORD(name), "NAME",
	  "its name, for ps, inspect and kill, and the hostname inside" },
	{ "env-file", 0, OPTION_LIST, WORD(env_files), "FILE",
	  "set the variables of this file: NAME=VALUE, or NAME for the "
	  "caller's" },
	{ "timeout", 0, OPTION_TEXT, WORD(timeout), "SECONDS",
	  "end it after this time, with status 124" },
	{ "interactive", 'i', OPTION_FLAG, WORD(interactive), NULL,
	  "with -t: pass standard input on; without it that is always so" },
	{ "tty", 't', OPTION_FLAG, WORD(terminal), NULL,
	  "give it a terminal of its own" },
	{ "json", 0, OPTION_FLAG, WORD(json), NULL,
	  "print the result as JSON: the last line of standard error" },
	{ "why", 0, OPTION_FLAG, WORD(why), NULL,
	  "find out what was denied and by which key, at the cost of speed" },
	{ "unsandboxed", 0, OPTION_FLAG, WORD(unsandboxed), NULL,
	  "run the command plainly, if the policy allows that" },
	{ "help", 'h', OPTION_FLAG, WORD(help), NULL, "print this text" },
};
const size_t request_noptions = COUNT(request_options);

/* ---- words that are no keys ---- */

static const struct option_spec *find_word(const char *word, size_t *ret_len)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);

	*ret_len = len;
	for (size_t i = 0; i < request_noptions; i++) {
		const struct option_spec *spec = &request_options[i];

		if (len == 2 && word[1] == spec->letter)
			return spec;
		if (len > 3 && word[1] == '-' &&
		    strlen(spec->name) == len - 2 &&
		    memcmp(word + 2, spec->name, len - 2) == 0)
			return spec;
	}
	return NULL;
}

static const struct option_spec *find_letter(char letter)
{
	for (size_t i = 0; i < request_noptions; i++)
		if (request_options[i].letter == letter)
			return &request_options[i];
	return NULL;
}

/* -it: all of them, and none that takes a value. */
static int take_letters(void *user, const char *letters, const char *next)
{
	const struct option_spec *spec = NULL;
	int r;

	for (const char *p = letters; *p; p++) {
		spec = find_letter(*p);
		if (!spec || spec->kind != OPTION_FLAG)
			return 0;
	}
	if (!spec)
		return 0;
	r = flag_check_next(spec->name, next);
	if (r < 0)
		return r;
	for (const char *p = letters; *p; p++)
		*(bool *)((char *)user + find_letter(*p)->offset) = true;
	return 1;
}

static int take_flag(const struct option_spec *spec, const char *value,
		     const char *next, bool *ret)
{
	int r = value ? 0 : flag_check_next(spec->name, next);

	if (r == 0)
		r = flag_value(spec->name, value, ret);
	return r < 0 ? r : 1;
}

/* Set an option that takes a value, or add the value to its list. */
static int take_value(struct arena *arena, const struct option_spec *spec,
		      const char *value, void *field)
{
	struct strings *list = field;
	const char **items;

	if (spec->kind == OPTION_TEXT) {
		*(const char **)field = value;
		return 0;
	}
	items = arena_grow(arena, list->items, list->n, list->n + 1,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	items[list->n] = value;
	*list = (struct strings){ items, list->n + 1 };
	return 0;
}

static int take_word(void *user, char **argv, int argc)
{
	struct words *words = user;
	size_t len;
	const struct option_spec *spec = find_word(argv[0], &len);
	const char *value = argv[0][len] == '=' ? argv[0] + len + 1 : NULL;
	const char *next = argc > 1 ? argv[1] : NULL;
	void *field;
	int used, r;

	if (!spec)
		return argv[0][1] == '-' ?
			       0 :
			       take_letters(user, argv[0] + 1, next);
	field = (char *)user + spec->offset;
	if (spec->kind == OPTION_FLAG)
		return take_flag(spec, value, next, field);
	used = value ? 1 : 2;
	if (!value && (!next || streq(next, "--")))
		return fail(0, "--%s needs a value", spec->name);
	r = take_value(words->arena, spec, value ? value : next, field);
	return r < 0 ? r : used;
}

static int set_timeout(const char *text, uint64_t *ret)
{
	char *end;
	double seconds;

	if (!text)
		return 0;
	errno = 0;
	seconds = strtod(text, &end);
	if (errno || end == text || *end || strpbrk(text, "xXnN+- ") ||
	    !(seconds > 0 && seconds <= MAX_TIMEOUT))
		return fail(0, "--timeout: '%s' is not a number of seconds",
			    text);
	*ret = (uint64_t)(seconds * 1000 + 0.5);
	if (*ret == 0)
		*ret = 1;
	return 0;
}

static int set_name(struct arena *arena, const char *name, const char **ret)
{
	if (!name)
		name = arena_printf(arena, "sandbox-%d", getpid());
	if (!name)
		return -ENOMEM;
	if (!*name || strlen(name) > MAX_NAME || strchr(name, '/') ||
	    streq(name, ".") || streq(name, ".."))
		return fail(0,
			    "--name: '%s' is not a name: 1 to %d bytes, no "
			    "slash, not . or ..",
			    name, MAX_NAME);
	*ret = name;
	return 0;
}

/* ---- places ---- */

/* In a directory that any user may write, the marker must be the caller's. */
static bool is_marker(const char *dir, const char *path)
{
	struct stat above, marker;

	/* A running sandbox puts a socket under a missing name. */
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

/* The nearest directory that looks like one, never / or the home. */
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

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && streq(text + n - m, end);
}

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return streq(slash ? slash + 1 : path, name);
}

/* dir/.claude/settings.json belongs to dir, dir/uv.toml to dir. */
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

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "--policy %s", path);
	if (!S_ISREG(st.st_mode))
		return fail(0, "--policy %s: not a regular file", path);
	if (st.st_mode & S_IWOTH)
		return fail(0, "--policy %s: writable for everybody", path);
	return io_read_all(arena, fd, MAX_POLICY, ret_text, ret_len);
}

/*
 * It counts, not pyproject.toml. A workload that may write the project can make
 * one, so it is not read unless it is what was named.
 */
static int check_no_uv_toml(struct arena *arena, const char *path,
			    const char *project)
{
	const char *other = arena_printf(arena, "%s/uv.toml",
					 streq(project, "/") ? "" : project);
	struct stat st;

	if (!other)
		return -ENOMEM;
	/* A running sandbox puts a socket under a missing name. */
	if (lstat(other, &st) < 0 ? errno == ENOENT : S_ISSOCK(st.st_mode))
		return 0;
	return fail(0,
		    "--policy %s: does not count beside uv.toml: name %s, or "
		    "remove it",
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
		return fail(0, "-p and --policy: one of them is enough");
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

static int set_command(struct arena *arena, int argc, char **argv,
		       struct request *ret)
{
	const struct policy *policy = &ret->policy;
	const char **items;

	if (argc > 0) {
		ret->command =
			(struct strings){ (const char **)argv, (size_t)argc };
		return 0;
	}
	if (!policy->set[KEY_EXEC])
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

static int settle(struct arena *arena, const struct words *words,
		  struct request *ret)
{
	int r;

	ret->profile = words->profile;
	ret->policy_file = words->policy_file;
	ret->terminal = words->terminal;
	ret->interactive = words->interactive;
	ret->why = words->why;
	ret->unsandboxed = words->unsandboxed;
	r = set_name(arena, words->name, &ret->name);
	if (r >= 0)
		r = set_timeout(words->timeout, &ret->timeout_ms);
	if (r >= 0)
		r = find_project(arena, ret, words->project, &ret->project);
	return r;
}

int request_parse(struct arena *arena, int argc, char **argv,
		  struct request *ret)
{
	struct words words = { .arena = arena };
	struct policy over = { 0 };
	struct policy_place place;
	int used, r;

	*ret = (struct request){ .env_base = POLICY_ENV_BASIC };
	r = find_places(arena, ret);
	if (r < 0)
		return r;
	place = (struct policy_place){ .cwd = ret->cwd,
				       .home = ret->home,
				       .env = &ret->env };
	r = policy_from_flags(arena, argv, argc, &place, take_word, &words,
			      &over, &used);
	ret->json = words.json;
	if (r < 0)
		return r;
	ret->help = words.help;
	if (ret->help)
		return 0;
	r = settle(arena, &words, ret);
	if (r < 0)
		return r;
	place.project = ret->project;
	r = load_base(arena, ret, &place);
	if (r < 0)
		return r;
	if (words.project && !streq(place.project, ret->project))
		return fail(0, "--project %s: the project of %s is %s",
			    words.project, words.policy_file, ret->project);
	ret->env_files = words.env_files;
	r = env_files_add(arena, &words.env_files, &ret->env, &over);
	if (r < 0)
		return r;
	policy_layer(&ret->policy, &over);
	r = policy_check(&ret->policy, /* bundle= */ false);
	if (r == 0)
		r = confine_check_denied(&ret->policy.extra_deny);
	if (r < 0)
		return r;
	used += used < argc && streq(argv[used], "--");
	return set_command(arena, argc - used, argv + used, ret);
}
