/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/features.c - features: print what this build supports,
 * as JSON.
 */
#include <errno.h>
#include <stdio.h>

#include "confine/caps.h"
#include "confine/confine.h"
#include "oci/mount_options.h"
#include "oci/oci.h"
#include "runtime/cli/version.h"
#include "runtime/sandlock-oci/commands.h"

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct oci_feature_facts facts = {
		.version = PACKAGE_VERSION,
		.commit = GIT_COMMIT,
		.libseccomp_version =
			confine_libseccomp_version(session->arena),
		.mount_options = mount_options_known(),
		.seccomp_actions = confine_seccomp_actions(),
		.seccomp_operators = confine_seccomp_operators(),
		.seccomp_archs = confine_seccomp_archs(),
		.seccomp_known_flags = confine_seccomp_known_flags(),
		.seccomp_supported_flags = confine_seccomp_supported_flags(),
	};
	const char *json;
	int r;

	(void)options;
	(void)argc;
	(void)argv;
	if (!facts.libseccomp_version)
		return -ENOMEM;
	r = caps_known(session->arena, &facts.capabilities);
	if (r < 0)
		return r;
	r = oci_features_print(session->arena, &facts, &json);
	if (r < 0)
		return r;
	fputs(json, stdout);
	return 0;
}

const struct command command_features = {
	.name = "features",
	.arguments = "[options]",
	.help = "print what this runtime supports",
	.run = run,
	.failure = 1,
};
