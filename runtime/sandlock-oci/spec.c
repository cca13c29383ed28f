/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/spec.c - spec: write a config.json as a starting point.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "oci/oci.h"
#include "runtime/sandlock-oci/commands.h"

struct spec_options {
	const char *bundle;
	bool rootless;
};

static const struct option_spec options_known[] = {
	{ "bundle", 'b', OPTION_TEXT, offsetof(struct spec_options, bundle),
	  "DIR", "directory to write it to" },
	{ "rootless", 0, OPTION_FLAG, offsetof(struct spec_options, rootless),
	  NULL, "for a caller without root privileges" },
};

/* True if all controllers are on cgroup v2. */
static int is_unified(struct arena *arena, bool *ret)
{
	autoclose int proc = proc_open();
	struct cgroup_layout layout;
	int r;

	if (proc < 0)
		return proc;
	r = cgroup_probe(arena, proc, &layout);
	if (r < 0)
		return r;
	*ret = layout.mode == CGROUP_V2;
	return 0;
}

static int write_new(int dir, const char *json)
{
	autoclose int fd = openat(dir, "config.json",
				  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  0666);
	int r;

	if (fd < 0 && errno == EEXIST)
		return fail(0, "config.json exists. Remove it first");
	if (fd < 0)
		return fail(errno, "create config.json");
	r = io_write_all(fd, json, strlen(json));
	if (r < 0) {
		(void)unlinkat(dir, "config.json", 0);
		return fail(-r, "write config.json");
	}
	return 0;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct spec_options *o = options;
	const char *bundle = o->bundle ? o->bundle : ".";
	autoclose int dir = open(bundle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct oci_template wanted = {
		.rootless = o->rootless,
		.uid = geteuid(),
		.gid = getegid(),
	};
	const char *json;
	int r;

	(void)argc;
	(void)argv;
	if (dir < 0)
		return fail(errno, "open bundle %s", bundle);
	r = is_unified(session->arena, &wanted.cgroup_namespace);
	if (r < 0)
		return r;
	r = oci_spec_template(session->arena, &wanted, &json);
	if (r < 0)
		return r;
	return write_new(dir, json);
}

const struct command command_spec = {
	.name = "spec",
	.arguments = "[options]",
	.help = "write a default config.json",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct spec_options),
	.run = run,
	.failure = 1,
};
