/* SPDX-License-Identifier: Apache-2.0 */
/* oci/annotated.c - apply the run.oci. annotations that crun knows. */
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "oci/parse.h"

#define HOOKS_OUT "run.oci.hooks.stdout"
#define HOOKS_ERR "run.oci.hooks.stderr"
#define KEEP_GROUPS "run.oci.keep_original_groups"
#define RECEIVER "run.oci.seccomp.receiver"
#define FAIL_UNKNOWN "run.oci.seccomp_fail_unknown_syscall"

static const char *const touches_host[] = {
	HOOKS_OUT,
	HOOKS_ERR,
	KEEP_GROUPS,
	RECEIVER,
};

const char *oci_annotation_of_host(size_t i)
{
	return i < COUNT(touches_host) ? touches_host[i] : NULL;
}

bool oci_annotation_touches_host(const char *key)
{
	for (size_t i = 0; i < COUNT(touches_host); i++)
		if (streq(touches_host[i], key))
			return true;
	return false;
}

static bool is_on(const struct oci_spec *spec, const char *key)
{
	const char *value = oci_annotation(&spec->annotations, key);

	return value && !streq(value, "0");
}

/* The path must be absolute, because commands with different cwd open it. */
static int find_file(const struct oci_spec *spec, const char *key,
		     const char **ret)
{
	const char *path = oci_annotation(&spec->annotations, key);

	if (path && path[0] != '/')
		return fail(0, "annotations.%s: '%s' is not an absolute path",
			    key, path);
	*ret = path;
	return 0;
}

static int fail_unknown(struct arena *arena, struct oci_spec *spec)
{
	struct oci_seccomp *seccomp;

	if (!spec->linux_.seccomp || !is_on(spec, FAIL_UNKNOWN))
		return 0;
	seccomp = arena_alloc(arena, sizeof *seccomp);
	if (!seccomp)
		return -ENOMEM;
	*seccomp = *spec->linux_.seccomp;
	seccomp->fail_unknown = true;
	spec->linux_.seccomp = seccomp;
	return 0;
}

int oci_apply_annotations(struct arena *arena, struct oci_spec *spec)
{
	int r;

	spec->keep_groups = is_on(spec, KEEP_GROUPS);
	if ((r = find_file(spec, HOOKS_OUT, &spec->hooks.out_file)) < 0 ||
	    (r = find_file(spec, HOOKS_ERR, &spec->hooks.err_file)) < 0)
		return r;
	return fail_unknown(arena, spec);
}
