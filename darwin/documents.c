/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/documents.c - spec and features: a config.json to begin with, and what
 * this build supports.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "darwin/commands.h"
#include "oci/oci.h"
#include "oci/write.h"
#include "policy/policy.h"
#include "runtime/cli/version.h"

struct spec_options {
	const char *bundle;
};

static const struct option_spec spec_known[] = {
	{ "bundle", 'b', OPTION_TEXT, offsetof(struct spec_options, bundle),
	  "DIR", "directory to write it to" },
};

static void put_template(struct writer *w)
{
	static const char *words[] = { "sh", NULL };
	static const char *env[] = { "PATH=/usr/bin:/bin:/usr/sbin:/sbin",
				     "TERM=xterm", NULL };

	put_object(w, NULL);
	put_string(w, "ociVersion", OCI_VERSION);
	put_object(w, "process");
	put_object(w, "user");
	put_u64(w, "uid", geteuid());
	put_u64(w, "gid", getegid());
	put_end(w);
	put_strings(w, "args", &STRINGS_OF(words));
	put_strings(w, "env", &STRINGS_OF(env));
	put_string(w, "cwd", "/");
	put_end(w);
	put_object(w, "root");
	put_string(w, "path", "/");
	put_end(w);
	put_object(w, "annotations");
	put_string(w, "io.sandlock.filesystem.read", "@system");
	put_end(w);
	put_end(w);
}

static int write_spec(const struct session *session, const void *options,
		      int argc, char **argv)
{
	const struct spec_options *o = options;
	const char *bundle = o->bundle ? o->bundle : ".", *text;
	autoclose int dir = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclose int fd = -1;
	struct writer w;
	size_t len;
	int r;

	(void)argc;
	(void)argv;
	if (dir < 0)
		return fail(errno, "open bundle %s", bundle);
	writer_open(&w, session->arena, WRITE_PRETTY);
	put_template(&w);
	r = writer_close(&w, &text, &len);
	if (r < 0)
		return r;
	fd = openat(dir, "config.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0666);
	if (fd < 0 && errno == EEXIST)
		return fail(0, "config.json exists. Remove it first");
	if (fd < 0)
		return fail(errno, "create config.json");
	r = io_write_all(fd, text, len);
	return r < 0 ? fail(-r, "write config.json") : 0;
}

const struct command darwin_command_spec = {
	.name = "spec",
	.arguments = "[options]",
	.help = "write a default config.json",
	.options = spec_known,
	.noptions = COUNT(spec_known),
	.options_size = sizeof(struct spec_options),
	.run = write_spec,
	.failure = 1,
};

static int print_features(const struct session *session, const void *options,
			  int argc, char **argv)
{
	struct writer w;

	(void)options;
	(void)argc;
	(void)argv;
	writer_open(&w, session->arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "ociVersionMin", "1.0.0");
	put_string(&w, "ociVersionMax", OCI_VERSION);
	put_array(&w, "hooks");
	put_end(&w);
	put_array(&w, "mountOptions");
	put_end(&w);
	put_object(&w, "annotations");
	put_string(&w, "io.sandlock.version", PACKAGE_VERSION);
	put_string(&w, "io.sandlock.commit", GIT_COMMIT);
	put_string(&w, "io.sandlock.platform", "macos");
	put_end(&w);
	put_end(&w);
	return writer_print(&w);
}

const struct command darwin_command_features = {
	.name = "features",
	.arguments = "",
	.help = "print what this runtime supports",
	.run = print_features,
	.failure = 1,
};
