/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/later.c - commands that take their options already and say that they cannot run yet. */
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/commands.h"

/* Options are checked, and their values go nowhere. */
struct ignored {
	bool flag;
	const char *text;
	struct oci_strings list;
};

#define FLAG(name, help) \
	{ name, 0, OPTION_FLAG, offsetof(struct ignored, flag), NULL, help }
#define TEXT(name, value, help) \
	{ name, 0, OPTION_TEXT, offsetof(struct ignored, text), value, help }
#define LIST(name, value, help) \
	{ name, 0, OPTION_LIST, offsetof(struct ignored, list), value, help }

#define IMAGE_OPTIONS \
	TEXT("image-path", "DIR", "directory of the images"), \
	TEXT("work-path", "DIR", "directory of logs and sockets"), \
	TEXT("parent-path", "DIR", "earlier images, below image-path"), \
	FLAG("tcp-established", "keep open TCP connections"), \
	FLAG("ext-unix-sk", "keep external Unix sockets"), \
	FLAG("shell-job", "keep the terminal's session"), \
	FLAG("lazy-pages", "fetch memory on demand"), \
	FLAG("file-locks", "keep file locks"), \
	TEXT("manage-cgroups-mode", "MODE", \
	     "soft (default), full, strict or ignore"), \
	LIST("empty-ns", "TYPE", "leave a namespace's contents out"), \
	FLAG("auto-dedup", "drop memory that earlier images hold")

static const struct option_spec checkpoint_options[] = {
	IMAGE_OPTIONS,
	FLAG("leave-running", "go on after the checkpoint"),
	FLAG("tcp-skip-in-flight", "leave half-open TCP connections out"),
	FLAG("link-remap", "keep open files that have no name"),
	TEXT("status-fd", "FD", "write a byte here when ready"),
	TEXT("page-server", "ADDRESS:PORT", "send memory there"),
	FLAG("pre-dump", "copy memory only, go on running"),
};

static const struct option_spec restore_options[] = {
	IMAGE_OPTIONS,
	{ "bundle", 'b', OPTION_TEXT, offsetof(struct ignored, text), "DIR",
	  "directory of config.json (default: .)" },
	{ "detach", 'd', OPTION_FLAG, offsetof(struct ignored, flag), NULL,
	  "do not wait for the container's end" },
	TEXT("pid-file", "FILE", "write the pid of init here"),
	TEXT("console-socket", "SOCKET", "send the terminal here"),
	FLAG("no-subreaper", "leave orphans to the caller"),
	FLAG("no-pivot", "change the root without pivot_root"),
	FLAG("tcp-close", "close open TCP connections"),
	TEXT("network-lock", "METHOD", "lock the network this way meanwhile"),
	TEXT("lsm-profile", "TYPE:NAME", "use this security profile"),
	TEXT("lsm-mount-context", "LABEL", "label mounts with this"),
};

/* One command whose only answer is its own name and "not yet". */
#define LATER(word, args, line, ...) \
	static int run_##word(const struct globals *globals, \
				 const void *options, int argc, char **argv) \
	{ \
		(void)globals; \
		(void)options; \
		(void)argc; \
		(void)argv; \
		return fail(0, #word ": not in this build yet"); \
	} \
	const struct command command_##word = { \
		.name = #word, \
		.arguments = args, \
		.help = line, \
		.options_size = sizeof(struct ignored), \
		.min_args = 1, \
		.max_args = 1, \
		.run = run_##word, \
		.failure = 1, \
		__VA_ARGS__ \
	}

#define OPTIONS(table) .options = table, .noptions = COUNT(table)

LATER(checkpoint, "[options] ID", "save a running container to files",
      OPTIONS(checkpoint_options));
LATER(restore, "[options] ID", "run a container from a checkpoint's files",
      OPTIONS(restore_options));
