/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/features.c - report the features of the runtime, independent of the host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "oci/oci.h"
#include "oci/write.h"

static const char *const namespaces[] = {
	"cgroup", "ipc", "mount", "network", "pid", "time", "user", "uts", NULL,
};

static const char *const memory_modes[] = {
	"MPOL_BIND",
	"MPOL_DEFAULT",
	"MPOL_INTERLEAVE",
	"MPOL_LOCAL",
	"MPOL_PREFERRED",
	"MPOL_PREFERRED_MANY",
	"MPOL_WEIGHTED_INTERLEAVE",
	NULL,
};

static const char *const memory_flags[] = {
	"MPOL_F_NUMA_BALANCING",
	"MPOL_F_RELATIVE_NODES",
	"MPOL_F_STATIC_NODES",
	NULL,
};

/* A final dot stands for all keys with this prefix. */
static const char *const unsafe_annotations[] = {
	"bundle",   "io.sandlock.", "org.criu.config", "org.systemd.property.",
	"run.oci.", NULL,
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sorted(struct arena *arena, const struct strings *list,
		  struct strings *ret)
{
	const char **items = arena_grow(arena, list->items, list->n,
					list->n + 1, sizeof *items);

	if (!items)
		return -ENOMEM;
	qsort(items, list->n, sizeof *items, by_text);
	*ret = (struct strings){ items, list->n };
	return 0;
}

static void put_enabled(struct writer *w, const char *key, bool enabled)
{
	put_object(w, key);
	put_bool(w, "enabled", enabled);
	put_end(w);
}

static void put_hooks(struct writer *w)
{
	put_array(w, "hooks");
	for (int i = 0; i < HOOK_POINTS; i++)
		put_string(w, NULL, oci_hook_point_name(i));
	put_end(w);
}

static void put_cgroup(struct writer *w)
{
	put_object(w, "cgroup");
	put_bool(w, "v1", true);
	put_bool(w, "v2", true);
	put_bool(w, "systemd", true);
	put_bool(w, "systemdUser", true);
	put_bool(w, "rdma", true);
	put_end(w);
}

static void put_seccomp(struct writer *w, const struct oci_feature_facts *facts)
{
	put_object(w, "seccomp");
	put_bool(w, "enabled", true);
	put_strings(w, "actions", &facts->seccomp_actions);
	put_strings(w, "operators", &facts->seccomp_operators);
	put_strings(w, "archs", &facts->seccomp_archs);
	put_strings(w, "knownFlags", &facts->seccomp_known_flags);
	put_strings(w, "supportedFlags", &facts->seccomp_supported_flags);
	put_end(w);
}

static void put_linux(struct writer *w, const struct oci_feature_facts *facts)
{
	put_object(w, "linux");
	put_words(w, "namespaces", namespaces);
	put_strings(w, "capabilities", &facts->capabilities);
	put_cgroup(w);
	put_seccomp(w, facts);
	put_enabled(w, "apparmor", true);
	put_enabled(w, "selinux", true);
	put_object(w, "intelRdt");
	put_bool(w, "enabled", true);
	put_bool(w, "schemata", true);
	put_bool(w, "monitoring", true);
	put_end(w);
	put_object(w, "memoryPolicy");
	put_words(w, "modes", memory_modes);
	put_words(w, "flags", memory_flags);
	put_end(w);
	put_object(w, "mountExtensions");
	put_enabled(w, "idmap", true);
	put_end(w);
	put_enabled(w, "netDevices", true);
	put_end(w);
}

static void put_about(struct writer *w, const struct oci_feature_facts *facts)
{
	put_object(w, "annotations");
	if (is_set(facts->libseccomp_version))
		put_string(w, "io.github.seccomp.libseccomp.version",
			   facts->libseccomp_version);
	if (is_set(facts->commit))
		put_string(w, "io.sandlock.commit", facts->commit);
	put_string(w, "io.sandlock.version", facts->version);
	put_string(w, "org.opencontainers.runc.checkpoint.enabled", "true");
	put_end(w);
}

int oci_features_print(struct arena *arena,
		       const struct oci_feature_facts *facts,
		       const char **ret_json)
{
	struct strings mount_options;
	struct writer w;
	int r = sorted(arena, &facts->mount_options, &mount_options);

	if (r < 0)
		return r;
	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "ociVersionMin", OCI_VERSION_MIN);
	put_string(&w, "ociVersionMax", OCI_VERSION);
	put_hooks(&w);
	put_strings(&w, "mountOptions", &mount_options);
	put_linux(&w, facts);
	put_about(&w, facts);
	put_words(&w, "potentiallyUnsafeConfigAnnotations", unsafe_annotations);
	put_end(&w);
	return writer_close(&w, ret_json, NULL);
}
