/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_presets.c - which paths the presets stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/presets.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

/* A host: KEY=VALUE, and pairs; each list ends with a NULL. */
struct host {
	const char *env[8];
	const char *files[8][2];
	const char *links[8][2];
	const char *found[8][2]; /* a pattern and what it matches */
};

#define NOTHING                 \
	{                       \
		.env = { NULL } \
	}

struct sample {
	const char *preset;
	struct host host;
	const char *paths; /* with a space between */
};

static const char *look_up(const char *const pairs[][2], const char *key)
{
	for (; pairs[0][0]; pairs++)
		if (streq(pairs[0][0], key))
			return pairs[0][1];
	return NULL;
}

static int read_file(void *user, struct arena *arena, const char *path,
		     const char **ret)
{
	const struct host *host = user;

	(void)arena;
	*ret = look_up(host->files, path);
	return 0;
}

static int real_path(void *user, struct arena *arena, const char *path,
		     const char **ret)
{
	const struct host *host = user;

	(void)arena;
	*ret = look_up(host->links, path);
	return 0;
}

static int find(void *user, struct arena *arena, const char *pattern,
		struct strings *ret)
{
	const struct host *host = user;
	const char **items = arena_array(arena, 1, sizeof *items);

	assert_non_null(items);
	items[0] = look_up(host->found, pattern);
	*ret = (struct strings){ items, items[0] != NULL };
	return 0;
}

static struct policy_context context_of(const struct host *host)
{
	size_t n = 0;

	while (host->env[n])
		n++;
	return (struct policy_context){
		.home = "/home/u",
		.project = "/home/u/p",
		.env = { (const char **)host->env, n },
		.user = (void *)host,
		.read_file = read_file,
		.real_path = real_path,
		.find = find,
	};
}

static const char *join(struct arena *arena, const struct strings *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "",
				    list->items[i]);
	return text;
}

static void check(struct arena *arena, const struct sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct policy_context context = context_of(&samples[i].host);
		struct policy_preset preset;
		const char *paths;

		if (policy_path_preset(arena, samples[i].preset, &context,
				       &preset) < 0)
			fail_msg("%zu: %s", i, err_text());
		paths = join(arena, &preset.paths);
		if (!streq(paths, samples[i].paths))
			fail_msg("@%s, sample %zu, is %s", samples[i].preset, i,
				 paths);
	}
}

static void plain_presets(void **state)
{
	static const struct sample samples[] = {
		{ "project", NOTHING, "/home/u/p" },
		{ "home", NOTHING, "/home/u" },
		{ "tmp", NOTHING, "/tmp" },
		{ "tmp", { .env = { "TMPDIR=/run/t" } }, "/tmp /run/t" },
		{ "tmp", { .env = { "TMPDIR=/tmp" } }, "/tmp" },
		{ "tmp", { .env = { "TMPDIR=" } }, "/tmp" },
		{ "tmp", { .env = { "TMPDIR=t" } }, "/tmp" },
		{ "tmp", { .env = { "TMPDIR=/t*" } }, "/tmp /t\\*" },
		{ "system", NOTHING,
		  "/usr /lib /lib32 /lib64 /libx32 /bin /sbin /etc" },
		{ "uv-cache", NOTHING, "/home/u/.cache/uv" },
		{ "uv-cache",
		  { .env = { "UV_CACHE_DIR=/c", "XDG_CACHE_HOME=/x" } },
		  "/c /x/uv /home/u/.cache/uv" },
		{ "virtualenv", NOTHING, "/home/u/p/.venv" },
		{ "virtualenv",
		  { .env = { "UV_PROJECT_ENVIRONMENT=env", "VIRTUAL_ENV=/v" } },
		  "/home/u/p/env /v /home/u/p/.venv" },
		{ "virtualenv",
		  { .env = { "UV_PROJECT_ENVIRONMENT=/e", "VIRTUAL_ENV=v" } },
		  "/e /home/u/p/.venv" },
		{ "ide-configs", NOTHING,
		  "/home/u/p/.vscode /home/u/p/.idea /home/u/p/.vim "
		  "/home/u/p/.nvim" },
	};

	check(*state, samples, COUNT(samples));
}

static void python(void **state)
{
	static const struct sample samples[] = {
		{ "python", NOTHING, "" },
		{ "python",
		  { .links = { { "/usr/bin/python3", "/usr/bin/python3.11" } } },
		  "/usr/bin/python3.11 /usr /usr/lib/python3.11" },
		{ "python",
		  { .env = { "PATH=bin::/opt/py/bin:/usr/bin" },
		    .links = { { "/usr/bin/python3", "/usr/bin/python3.11" },
			       { "/opt/py/bin/python3",
				 "/opt/py/bin/python3" } } },
		  "/opt/py/bin/python3 /opt/py /opt/py/lib/python3.*" },
		{ "python",
		  { .env = { "PATH=/home/u/bin:/bin" },
		    .links = { { "/home/u/bin/python3",
				 "/home/u/bin/python3.12" } } },
		  "/home/u/bin/python3.12 /home/u/lib/python3.12" },
		{ "python",
		  { .links = { { "/bin/python3", "/bin/python3.9" } } },
		  "/bin/python3.9 /lib/python3.9" },
		{ "python",
		  { .files = { { "/home/u/p/.venv/pyvenv.cfg",
				 "x = 1\r\nhome = /opt/[x]/bin \r\n"
				 "version = 3.12.1\r\n" } },
		    .links = { { "/opt/[x]/bin/python3",
				 "/cellar/bin/python3.12" },
			       { "/usr/bin/python3", "/usr/bin/python3.11" } } },
		  "/home/u/p/.venv /cellar/bin/python3.12 /cellar "
		  "/cellar/lib/python3.12 /opt/\\[x]" },
		{ "python",
		  { .env = { "VIRTUAL_ENV=/v" },
		    .files = { { "/v/pyvenv.cfg", "homes = /no\n" } },
		    .links = { { "/v/bin/python3", "/usr/bin/python3.10" } } },
		  "/v /usr/bin/python3.10 /usr /usr/lib/python3.10" },
		{ "python",
		  { .env = { "UV_PROJECT_ENVIRONMENT=e" },
		    .files = { { "/home/u/p/.venv/pyvenv.cfg", "" },
			       { "/home/u/p/e/pyvenv.cfg", "home=/usr/bin" } },
		    .links = { { "/usr/bin/python3", "/usr/bin/python3.9" } } },
		  "/home/u/p/e /usr/bin/python3.9 /usr /usr/lib/python3.9" },
		/* A program that may write the project may write it. */
		{ "python",
		  { .files = { { "/home/u/p/.venv/pyvenv.cfg",
				 "home = /home/u/.ssh/x" } } },
		  "/home/u/p/.venv" },
		{ "python",
		  { .files = { { "/home/u/p/.venv/pyvenv.cfg",
				 "home = /home/u/p/x" } },
		    .links = { { "/home/u/p/x/python3", "/srv/secrets/key" } } },
		  "/home/u/p/.venv" },
	};

	check(*state, samples, COUNT(samples));
}

#define GIT "/home/u/p/.git"

static void git_hooks(void **state)
{
	static const struct sample samples[] = {
		{ "git-hooks", NOTHING, GIT "/hooks" },
		{ "git-hooks",
		  { .files = { { GIT "/config", "[core]\n\tbare = false\n"
						"\thooksPath = .husky # c\n"
						"[x]\nhooksPath = no\n" } } },
		  GIT "/hooks /home/u/p/.husky" },
		{ "git-hooks",
		  { .files = { { GIT "/config",
				 "[Core] HOOKSPATH = \"/a b;#\" ; c\n" },
			       { "/home/u/.gitconfig",
				 "[core]\nhookspath=~/hooks  \n" },
			       { "/etc/gitconfig",
				 "[core \"x\"]\nhooksPath = /no\n"
				 "[ core ]\r\nhooksPath = C:\\\\x\r\n" } } },
		  GIT "/hooks /a b;# /home/u/hooks /home/u/p/C:\\\\x" },
		{ "git-hooks",
		  { .env = { "XDG_CONFIG_HOME=/x" },
		    .files = { { "/x/git/config", "[core]\nhooksPath = a\\\nb" },
			       { "/home/u/.config/git/config",
				 "[core]\nhooksPathology = /no\nhooksPath\n"
				 "hooksPath = /c" } } },
		  GIT "/hooks /c /home/u/p/ab" },
		/* a worktree */
		{ "git-hooks",
		  { .files = { { GIT, "gitdir: /r/.git/worktrees/p\n" },
			       { "/r/.git/worktrees/p/commondir", "../..\n" },
			       { "/r/.git/config", "[core]\nhooksPath = h\n" },
			       { "/r/.git/worktrees/p/config.worktree",
				 "[core]\nhooksPath = w\n" } },
		    .links = { { "/r/.git/worktrees/p/../..", "/r/.git" } } },
		  "/r/.git/worktrees/p/hooks /home/u/p/w /r/.git/hooks "
		  "/home/u/p/h" },
		/* a submodule */
		{ "git-hooks",
		  { .files = { { GIT, "gitdir: ../.git/modules/p" } },
		    .links = { { "/home/u/p/../.git/modules/p",
				 "/home/u/.git/modules/p" } } },
		  "/home/u/.git/modules/p/hooks" },
		/* by what is included, and what that includes */
		{ "git-hooks",
		  { .files = { { GIT "/config",
				 "[includeIf \"gitdir:]x\"] path = ../inc\n" },
			       { GIT "/../inc", "\xef\xbb\xbf[include]\n"
						"path = \"~/deep\"\n" },
			       { "/home/u/deep", "[core]\nx = a\\\n[no]\n"
						 "hooksPath = far\n" } } },
		  GIT "/hooks /home/u/p/far" },
		/* in a circle */
		{ "git-hooks",
		  { .files = { { GIT "/config", "[include]path=config\n[core]"
						"hooksPath=h" } } },
		  GIT "/hooks /home/u/p/h" },
		/* in the repositories of submodules and worktrees */
		{ "git-hooks",
		  { .found = { { GIT "/modules/**/HEAD",
				 GIT "/modules/a/b/HEAD" },
			       { GIT "/worktrees/*/HEAD",
				 GIT "/worktrees/w/HEAD" } },
		    .files = { { GIT "/modules/a/b/config",
				 "[core]\nhooksPath = /m\n" },
			       { GIT "/worktrees/w/config.worktree",
				 "[core]\nhooksPath = /w\n" } } },
		  GIT "/hooks " GIT "/worktrees/w/hooks /w " GIT
		      "/modules/a/b/hooks /m" },
	};

	check(*state, samples, COUNT(samples));
}

#define USERS " /home/u/.gitconfig /home/u/.config/git/config /etc/gitconfig"

static void git_config(void **state)
{
	static const struct sample samples[] = {
		{ "git-config", NOTHING,
		  GIT "/config.worktree " GIT "/config " GIT "/commondir "
		      "/home/u/p/.gitmodules" USERS },
		/* git would look for its files elsewhere, or find some */
		{ "git-config",
		  { .files = { { GIT "/config",
				 "[core]\nbare = false\nworktree = /w\n" } } },
		  GIT "/config.worktree " GIT "/config "
		      "/home/u/p/.gitmodules" USERS },
		{ "git-config",
		  { .files = { { GIT "/config", "[core]\nbare = true\n" } } },
		  GIT "/config.worktree " GIT "/config "
		      "/home/u/p/.gitmodules" USERS },
		{ "git-config",
		  { .files = { { GIT "/config",
				 "[include]\npath = more\npath = /x\n"
				 "[core]\nhooksPath = no\npath = no\n" },
			       { GIT "/commondir", "." } },
		    .links = { { GIT "/.", GIT } } },
		  GIT "/commondir " GIT "/config.worktree " GIT "/config " GIT
		      "/more /x /home/u/p/.gitmodules" USERS },
		/* a worktree: what leads to the rest is part of it */
		{ "git-config",
		  { .files = { { GIT, "gitdir: /r/.git/worktrees/p\n" },
			       { "/r/.git/worktrees/p/commondir", "../..\n" },
			       { "/r/.git/worktrees/p/gitdir", GIT "\n" } },
		    .links = { { "/r/.git/worktrees/p", "/r/.git/worktrees/p" },
			       { "/r/.git/worktrees/p/../..", "/r/.git" } } },
		  GIT " /r/.git/worktrees/p/commondir "
		      "/r/.git/worktrees/p/gitdir "
		      "/r/.git/worktrees/p/config.worktree "
		      "/r/.git/config.worktree /r/.git/config "
		      "/r/.git/commondir /home/u/p/.gitmodules" USERS },
		/* a submodule, and one that is in this one */
		{ "git-config",
		  { .files = { { GIT, "gitdir: ../.git/modules/p" } },
		    .links = { { "/home/u/p/../.git/modules/p", "/m/p" } },
		    .found = { { "/m/p/modules/**/HEAD",
				 "/m/p/modules/q/HEAD" } } },
		  GIT " /m/p/config.worktree /m/p/config /m/p/commondir "
		      "/home/u/p/.gitmodules /m/p/modules/q/config.worktree "
		      "/m/p/modules/q/config /m/p/modules/q/commondir" USERS },
		{ "git-config",
		  { .env = { "XDG_CONFIG_HOME=/x", "GIT_CONFIG_GLOBAL=/g" } },
		  GIT "/config.worktree " GIT "/config " GIT "/commondir "
		      "/home/u/p/.gitmodules /home/u/.gitconfig "
		      "/home/u/.config/git/config /x/git/config /g "
		      "/etc/gitconfig" },
	};

	check(*state, samples, COUNT(samples));
}

static struct policy_preset get(struct arena *arena, const char *name,
				enum policy_os os)
{
	static const struct host nothing;
	struct policy_context context = context_of(&nothing);
	struct policy_preset preset;

	context.os = os;
	assert_int_equal(policy_path_preset(arena, name, &context, &preset), 0);
	return preset;
}

static bool has(const struct policy_preset *preset, const char *path)
{
	for (size_t i = 0; i < preset->paths.n; i++)
		if (streq(preset->paths.items[i], path))
			return true;
	return false;
}

static void secrets_and_shells(void **state)
{
	static const char *const secrets[] = {
		".ssh",
		".aws",
		".gnupg",
		".azure",
		".kube",
		".config/gcloud",
		".config/gh",
		".config/op",
		".docker/config.json",
		".netrc",
		".git-credentials",
		".config/git/credentials",
		".npmrc",
		".pypirc",
		".cargo/credentials",
		".cargo/credentials.toml",
		".gem/credentials",
		".pgpass",
		".my.cnf",
		".vault-token",
		".terraform.d/credentials.tfrc.json",
		".password-store",
		".local/share/keyrings",
	};
	static const char *const shells[] = {
		".bashrc",
		".bash_profile",
		".bash_login",
		".bash_logout",
		".bash_aliases",
		".profile",
		".zshrc",
		".zshenv",
		".zprofile",
		".zlogin",
		".zlogout",
		".config/fish",
		".kshrc",
		".cshrc",
		".tcshrc",
		".inputrc",
		".config/environment.d",
	};

	for (int os = POLICY_LINUX; os <= POLICY_MACOS; os++) {
		struct policy_preset p = get(*state, "known-secrets", os);

		for (size_t i = 0; i < COUNT(secrets); i++)
			assert_true(has(&p, arena_printf(*state, "/home/u/%s",
							 secrets[i])));
		p = get(*state, "shell-configs", os);
		assert_int_equal(p.paths.n, COUNT(shells));
		for (size_t i = 0; i < COUNT(shells); i++)
			assert_true(has(&p, arena_printf(*state, "/home/u/%s",
							 shells[i])));
	}
}

static void systems_differ(void **state)
{
	struct policy_preset p = get(*state, "system", POLICY_LINUX);

	assert_string_equal(join(*state, &p.except),
			    "/etc/shadow /etc/shadow- /etc/gshadow "
			    "/etc/gshadow- /etc/sudoers* /etc/ssh/*_key");
	p = get(*state, "system", POLICY_MACOS);
	assert_string_equal(join(*state, &p.paths),
			    "/usr /bin /sbin /System /Library /private/etc "
			    "/dev");
	assert_int_equal(p.except.n, 0);
	p = get(*state, "tmp", POLICY_MACOS);
	assert_string_equal(join(*state, &p.paths),
			    "/private/tmp /private/var/folders");
	p = get(*state, "known-secrets", POLICY_MACOS);
	assert_true(has(&p, "/home/u/Library/Keychains"));
	p = get(*state, "known-secrets", POLICY_LINUX);
	assert_false(has(&p, "/home/u/Library/Keychains"));
	assert_true(has(&p, "/home/u/.mozilla"));
}

static void names(void **state)
{
	static const char *const all[] = {
		"project",	 "python",    "virtualenv", "system",
		"home",		 "uv-cache",  "tmp",	    "known-secrets",
		"shell-configs", "git-hooks", "git-config", "ide-configs",
	};
	size_t n = 0;

	(void)state;
	while (policy_path_preset_name(n)) {
		const char *name = policy_path_preset_name(n++);

		assert_true(policy_is_path_preset(name));
		(void)get(*state, name, POLICY_LINUX);
		(void)get(*state, name, POLICY_MACOS);
	}
	assert_int_equal(n, COUNT(all));
	for (size_t i = 0; i < COUNT(all); i++)
		assert_true(policy_is_path_preset(all[i]));
	assert_false(policy_is_path_preset("@home"));
	assert_false(policy_is_path_preset("standard"));
	assert_false(policy_is_path_preset(""));
}

static void what_is_not_known_is_an_error(void **state)
{
	static const struct {
		const char *preset, *error;
		bool home, project;
	} cases[] = {
		{ "homes", "'@homes' is not a preset for paths", true, true },
		{ "project",
		  "@project: the project directory is unknown: write the paths "
		  "instead of the preset",
		  true, false },
		{ "git-hooks",
		  "@git-hooks: the project directory is unknown: write the "
		  "paths instead of the preset",
		  true, false },
		{ "home",
		  "@home: the home directory is unknown: write the paths "
		  "instead of the preset",
		  false, true },
		{ "known-secrets",
		  "@known-secrets: the home directory is unknown: write the "
		  "paths instead of the preset",
		  false, true },
	};
	static const struct host nothing;
	struct policy_preset preset;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy_context context = context_of(&nothing);

		context.home = cases[i].home ? "/home/u" : NULL;
		context.project = cases[i].project ? "/p" : NULL;
		assert_true(policy_path_preset(*state, cases[i].preset,
					       &context, &preset) < 0);
		assert_string_equal(err_text(), cases[i].error);
	}
}

static void python_needs_neither_home_nor_project(void **state)
{
	static const struct host nothing;
	struct policy_context context = context_of(&nothing);
	struct policy_preset preset;

	context.home = context.project = NULL;
	assert_int_equal(policy_path_preset(*state, "python", &context,
					    &preset),
			 0);
	assert_int_equal(preset.paths.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(plain_presets),
		arena_test(python),
		arena_test(git_hooks),
		arena_test(git_config),
		arena_test(secrets_and_shells),
		arena_test(systems_differ),
		arena_test(names),
		arena_test(what_is_not_known_is_an_error),
		arena_test(python_needs_neither_home_nor_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
