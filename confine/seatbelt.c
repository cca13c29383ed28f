/* SPDX-License-Identifier: Apache-2.0 */
/* confine/seatbelt.c - make a profile of Seatbelt from a policy. */
#include "confine/seatbelt.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/seatbelt_parts.h"

/*
 * What a process cannot start without, or Seatbelt cannot restrict further.
 * Each rule has its reason.
 */
static const char base[] =
	"(version 1)\n"
	"(deny default)\n"
	"; the default does not cover these\n"
	"(deny process-info*)\n"
	"(deny file-map-executable)\n"
	"\n"
	"; it can have children, and ask about itself\n"
	"(allow process-fork)\n"
	"(allow process-info* (target self))\n"
	"; the C library asks for the CPUs, the page size and the version\n"
	"(allow sysctl-read)\n"
	"; it can signal its own processes, which inherit the profile\n"
	"(allow signal (target same-sandbox))\n"
	"; system libraries talk to services whose names are not documented\n"
	"(allow mach-lookup)\n"
	"; semaphores and shared memory, which multiprocessing needs\n"
	"(allow ipc-posix*)\n"
	"; paths are resolved, and programs look for files: size, owner and\n"
	"; times of every file are visible, its content is not\n"
	"(allow file-read-metadata)\n"
	"(allow file-read-data (literal \"/\"))\n"
	"; the loader, and the libraries that every program is linked with\n"
	"(allow file-read* file-map-executable\n"
	"\t(subpath \"/usr/lib\")\n"
	"\t(subpath \"/System/Library\")\n"
	"\t(subpath \"/System/Cryptexes\")\n"
	"\t(subpath \"/System/Volumes/Preboot/Cryptexes\")\n"
	"\t(subpath \"/private/var/db/dyld\"))\n"
	"; the time zone\n"
	"(allow file-read* (subpath \"/private/var/db/timezone\"))\n"
	"; the usual devices, and descriptors that are open already\n"
	"(allow file-read* (literal \"/dev/random\") (literal "
	"\"/dev/urandom\"))\n"
	"(allow file-read* file-write* file-ioctl\n"
	"\t(literal \"/dev/null\")\n"
	"\t(literal \"/dev/zero\")\n"
	"\t(literal \"/dev/tty\")\n"
	"\t(literal \"/dev/stdin\")\n"
	"\t(literal \"/dev/stdout\")\n"
	"\t(literal \"/dev/stderr\")\n"
	"\t(literal \"/dev/dtracehelper\")\n"
	"\t(subpath \"/dev/fd\"))\n"
	"; terminals that it makes itself\n"
	"(allow pseudo-tty)\n"
	"(allow file-read* file-write* file-ioctl (literal \"/dev/ptmx\"))\n"
	"(allow file-read* file-write*\n"
	"\t(require-all\n"
	"\t\t(regex \"^/dev/ttys[0-9]+$\")\n"
	"\t\t(extension \"com.apple.sandbox.pty\")))\n";

/* Whatever the policy allows. */
static const char terminals[] =
	"\n; terminals and the network traffic of others\n"
	"(deny file-read* file-write* file-ioctl\n"
	"\t(require-all\n"
	"\t\t(regex \"^/dev/(ttys|pty|cu\\\\.|bpf)\")\n"
	"\t\t(require-not (extension \"com.apple.sandbox.pty\"))))\n"
	"(allow file-ioctl (regex \"^/dev/ttys[0-9]+$\"))\n";
static const char end[] = "\n; no program may get other rights by its file\n"
			  "(deny file-write-setugid (subpath \"/\"))\n";

int seatbelt_resolve(const struct seatbelt *s, const char *path, bool missing,
		     const char **ret)
{
	const struct policy_context *context = &s->facts->context;
	char *dir = arena_strdup(s->arena, path), *slash;
	const char *real = NULL;
	int r;

	*ret = NULL;
	if (!s->facts->here)
		return 0;
	if (!dir)
		return -ENOMEM;
	r = context->real_path(context->user, s->arena, path, &real);
	while (r == 0 && !real && missing && (slash = strrchr(dir, '/')) &&
	       slash != dir) {
		*slash = '\0';
		r = context->real_path(context->user, s->arena, dir, &real);
	}
	if (r < 0 || !real)
		return r;
	*ret = arena_printf(s->arena, "%s%s",
			    streq(real, "/") && path[strlen(dir)] ? "" : real,
			    path + strlen(dir));
	return *ret ? 0 : -ENOMEM;
}

static int check_keys(struct arena *arena, const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *why = seatbelt_refuses(arena, policy, key);

		if (why)
			return fail(0, "%s", why);
	}
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++)
		if (policy_is_strict(policy, i) &&
		    !seatbelt_protection(i)->held)
			return fail(0,
				    "config.strict: %s cannot be enforced on "
				    "macOS: %s",
				    policy_protection_name(i),
				    seatbelt_protection(i)->how);
	return 0;
}

int seatbelt_make(struct arena *arena, const struct policy *policy,
		  const struct seatbelt_facts *facts, const char **ret)
{
	struct seatbelt s = {
		.arena = arena,
		.policy = policy,
		.facts = facts,
		.out = { .arena = arena },
	};
	int r = check_keys(arena, policy);

	if (r < 0)
		return r;
	text_put(&s.out, "%s", base);
	r = seatbelt_put_files(&s);
	if (r == 0)
		r = seatbelt_put_network(&s);
	if (r == 0 && policy->set[KEY_GPU_DEVICES])
		text_put(&s.out, "\n; %s\n(allow iokit-open)\n",
			 policy_key_name(KEY_GPU_DEVICES));
	text_put(&s.out, "%s", terminals);
	if (r == 0)
		r = seatbelt_put_denials(&s);
	if (r < 0)
		return r;
	text_put(&s.out, "%s", end);
	return text_close(&s.out, ret);
}
