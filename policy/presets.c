/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/presets.c - the presets of paths, on Linux and on macOS.
 *
 * "~" is the home, "." the project, "$NAME" an absolute path in a variable, and
 * "./$NAME" one that may also be relative to the project.
 */
#include "policy/presets.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/glob.h"
#include "policy/keys.h"
#include "policy/presets_internal.h"

const char *const policy_project_markers[] = { "pyproject.toml", "uv.toml",
					       ".git", NULL };

static const char *const project[] = { ".", NULL };
static const char *const home[] = { "~", NULL };
static const char *const uv_cache[] = {
	"$UV_CACHE_DIR",
	"$XDG_CACHE_HOME/uv",
	"~/.cache/uv",
	NULL,
};
static const char *const ide_configs[] = {
	"./.vscode", "./.idea", "./.vim", "./.nvim", NULL,
};
static const char *const tmp_linux[] = { "/tmp", "$TMPDIR", NULL };
static const char *const tmp_macos[] = { "/private/tmp", "/private/var/folders",
					 "$TMPDIR", NULL };

const char *const preset_environments[] = {
	"./$UV_PROJECT_ENVIRONMENT",
	"$VIRTUAL_ENV",
	"./.venv",
	NULL,
};

static const char *const shell_configs[] = {
	"~/.bashrc",
	"~/.bash_profile",
	"~/.bash_login",
	"~/.bash_logout",
	"~/.bash_aliases",
	"~/.profile",
	"~/.zshrc",
	"~/.zshenv",
	"~/.zprofile",
	"~/.zlogin",
	"~/.zlogout",
	"~/.config/fish",
	"~/.kshrc",
	"~/.cshrc",
	"~/.tcshrc",
	"~/.inputrc",
	"~/.config/environment.d",
	NULL,
};

static const char *const system_linux[] = {
	"/usr", "/lib",	 "/lib32", "/lib64", "/libx32",
	"/bin", "/sbin", "/etc",   NULL,
};

static const char *const system_linux_except[] = {
	"/etc/shadow",	 "/etc/shadow-",   "/etc/gshadow", "/etc/gshadow-",
	"/etc/sudoers*", "/etc/ssh/*_key", NULL,
};

static const char *const system_macos[] = {
	"/usr",	    "/bin",	    "/sbin", "/System",
	"/Library", "/private/etc", "/dev",  NULL,
};

static const char *const secrets[] = {
	"~/.ssh",
	"~/.aws",
	"~/.gnupg",
	"~/.azure",
	"~/.kube",
	"~/.config/gcloud",
	"~/.config/gh",
	"~/.config/op",
	"~/.docker/config.json",
	"~/.netrc",
	"~/.git-credentials",
	"~/.config/git/credentials",
	"~/.npmrc",
	"~/.pypirc",
	"~/.cargo/credentials",
	"~/.cargo/credentials.toml",
	"~/.gem/credentials",
	"~/.pgpass",
	"~/.my.cnf",
	"~/.vault-token",
	"~/.terraform.d/credentials.tfrc.json",
	"~/.password-store",
	"~/.local/share/keyrings",
	NULL,
};

static const char *const secrets_linux[] = {
	"~/.mozilla",
	"~/.config/google-chrome",
	"~/.config/chromium",
	"~/.config/BraveSoftware",
	"~/.config/microsoft-edge",
	"~/.config/opera",
	"~/.config/vivaldi",
	"~/snap/firefox",
	"~/snap/chromium",
	"~/.var/app/org.mozilla.firefox",
	"~/.var/app/com.google.Chrome",
	"~/.var/app/org.chromium.Chromium",
	"~/.var/app/com.brave.Browser",
	NULL,
};

static const char *const secrets_macos[] = {
	"~/Library/Keychains",
	"~/Library/Safari",
	"~/Library/Cookies",
	"~/Library/Application Support/Firefox",
	"~/Library/Application Support/Google/Chrome",
	"~/Library/Application Support/Chromium",
	"~/Library/Application Support/BraveSoftware",
	"~/Library/Application Support/Microsoft Edge",
	"~/Library/Application Support/com.operasoftware.Opera",
	"~/Library/Application Support/Vivaldi",
	NULL,
};

static const struct preset {
	const char *name;
	const char *const *members;
	const char *const *more[2]; /* by enum policy_os */
	const char *const *except[2];
	int (*look_for)(struct preset_builder *b);
} presets[] = {
	{ "project", .members = project },
	{ "home", .members = home },
	{ "system", .more = { system_linux, system_macos },
	  .except = { system_linux_except, NULL } },
	{ "tmp", .more = { tmp_linux, tmp_macos } },
	{ "python", .look_for = preset_python },
	{ "virtualenv", .members = preset_environments },
	{ "uv-cache", .members = uv_cache },
	{ "known-secrets", .members = secrets,
	  .more = { secrets_linux, secrets_macos } },
	{ "shell-configs", .members = shell_configs },
	{ "git-hooks", .look_for = preset_git_hooks },
	{ "git-config", .look_for = preset_git_config },
	{ "ide-configs", .members = ide_configs },
};

static const struct preset *find(const char *name)
{
	for (size_t i = 0; i < COUNT(presets); i++)
		if (streq(presets[i].name, name))
			return &presets[i];
	return NULL;
}

const char *policy_path_preset_name(size_t index)
{
	return index < COUNT(presets) ? presets[index].name : NULL;
}

bool policy_is_path_preset(const char *name)
{
	return find(name) != NULL;
}

int preset_add_pattern(struct preset_builder *b, const char *pattern)
{
	if (!pattern)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++)
		if (streq(b->items[i], pattern))
			return 0;
	if (b->n + 1 >= b->size) {
		const char **grown = arena_grow(b->arena, b->items, b->n,
						2 * b->size + 16,
						sizeof *grown);

		if (!grown)
			return -ENOMEM;
		b->items = grown;
		b->size = 2 * b->size + 16;
	}
	b->items[b->n++] = pattern;
	return 0;
}

int preset_add(struct preset_builder *b, const char *path)
{
	return preset_add_pattern(b, policy_glob_quote(b->arena, path));
}

const char *preset_join(struct arena *arena, const char *dir, const char *name)
{
	if (name[0] == '/')
		return name;
	if (name[0] == '\0')
		return dir;
	return arena_printf(arena, "%s/%s", streq(dir, "/") ? "" : dir, name);
}

/* Expand "$NAME/rest"; a relative value is below the project. */
static int from_variable(const struct preset_builder *b, const char *member,
			 const char *dir, const char **ret)
{
	const char *rest = member + strcspn(member, "/");
	const char *name = arena_strndup(b->arena, member + 1,
					 (size_t)(rest - member) - 1);
	const char *value;

	if (!name)
		return -ENOMEM;
	value = oci_env_get(&b->context->env, name);
	if (!is_set(value) || (value[0] != '/' && !dir))
		return 0;
	value = preset_join(b->arena, dir ? dir : "/", value);
	*ret = value ? arena_printf(b->arena, "%s%s", value, rest) : NULL;
	return *ret ? 1 : -ENOMEM;
}

static int below(const struct preset_builder *b, const char *dir,
		 const char *what, const char *rest, const char **ret)
{
	if (!dir)
		return fail(0,
			    "@%s: %s is unknown: write the paths instead of "
			    "the preset",
			    b->name, what);
	rest += strspn(rest, "/");
	if (rest[0] == '$')
		return from_variable(b, rest, dir, ret);
	*ret = preset_join(b->arena, dir, rest);
	return *ret ? 1 : -ENOMEM;
}

int preset_member(const struct preset_builder *b, const char *member,
		  const char **ret)
{
	const struct policy_context *context = b->context;

	switch (member[0]) {
	case '~':
		return below(b, context->home, "the home directory", member + 1,
			     ret);
	case '.':
		return below(b, context->project, "the project directory",
			     member + 1, ret);
	case '$':
		return from_variable(b, member, NULL, ret);
	default:
		*ret = member;
		return 1;
	}
}

static int add_members(struct preset_builder *b, const char *const *members)
{
	const char *path;
	int r;

	for (; members && *members; members++) {
		r = preset_member(b, *members, &path);
		if (r > 0)
			r = preset_add(b, path);
		if (r < 0)
			return r;
	}
	return 0;
}

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

int policy_path_preset(struct arena *arena, const char *name,
		       const struct policy_context *context,
		       struct policy_preset *ret)
{
	const struct preset *preset = find(name);
	struct preset_builder b = { .arena = arena,
				    .context = context,
				    .name = name };
	const char *const *except;
	int r;

	if (!preset)
		return fail(0, "'@%s' is not a preset for paths", name);
	r = add_members(&b, preset->members);
	if (r == 0)
		r = add_members(&b, preset->more[context->os]);
	if (r == 0 && preset->look_for)
		r = preset->look_for(&b);
	if (r < 0)
		return r;
	except = preset->except[context->os];
	*ret = (struct policy_preset){
		.paths = { .items = b.items, .n = b.n },
		.except = { .items = (const char **)except,
			    .n = count(except) },
	};
	return 0;
}
