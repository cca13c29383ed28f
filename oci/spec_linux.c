/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/spec_linux.c - read the linux object: namespaces and what depends on
 * them.
 */
#include "oci/parse.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/linux.h"
#include "oci/oci.h"

#define KERNEL_MPOL_PREFERRED_MANY 5
#define KERNEL_MPOL_WEIGHTED_INTERLEAVE 6

static JSON_READER(read_namespace_type)
{
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0)
		return r;
	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (streq(oci_ns_kinds[i].type, v->text)) {
			*(int *)ret = i;
			return 0;
		}
	return json_fail(
		v,
		"unknown namespace '%.200s' (known: user, cgroup, ipc, uts, "
		"network, pid, mount, time)",
		v->text);
}

static JSON_READER(read_namespace_path)
{
	int r = json_word(arena, v, ret);

	if (r == 0 && *v->text)
		r = json_absolute(arena, v, ret);
	return r;
}

struct listed_namespace {
	int type;
	const char *path;
};

static JSON_READER(read_namespace)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("type", read_namespace_type,
			      struct listed_namespace, type),
		JSON_FIELD("path", read_namespace_path, struct listed_namespace,
			   path),
	};
	struct oci_namespace *all = ret;
	struct listed_namespace listed = { 0 };
	int r = json_object(arena, v, fields, COUNT(fields), &listed);

	if (r < 0)
		return r;
	if (all[listed.type].listed)
		return json_fail_key(v, "type", "%s is given twice: remove one",
				     oci_ns_kinds[listed.type].type);
	all[listed.type].listed = true;
	all[listed.type].path = listed.path;
	return 0;
}

static JSON_READER(read_namespaces)
{
	size_t i = 0;
	int r = json_expect(v, JSON_ARRAY);

	if (r < 0)
		return r;
	json_each (member, v) {
		r = read_namespace(arena, member, ret);
		if (r < 0)
			return json_fail_index(r, i);
		i++;
	}
	return 0;
}

static JSON_READER(read_time_offset)
{
	static const struct json_field fields[] = {
		JSON_FIELD("secs", json_i64, struct oci_time_offset, secs),
		JSON_FIELD("nanosecs", json_u32, struct oci_time_offset,
			   nanosecs),
	};
	struct oci_time_offset *offset = ret;
	int r = json_object(arena, v, fields, COUNT(fields), offset);

	if (r < 0)
		return r;
	if (offset->nanosecs >= 1000000000)
		return json_fail_key(v, "nanosecs",
				     "%u is not below 1000000000",
				     offset->nanosecs);
	offset->set = true;
	return 0;
}

/* The keys of this map are clocks, so an unknown one is an error. */
static JSON_READER(read_time_offsets)
{
	struct oci_linux *linux_ = ret;
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	json_each (member, v) {
		if (member->type == JSON_NULL)
			continue;
		if (streq(member->key, "monotonic"))
			r = read_time_offset(arena, member, &linux_->monotonic);
		else if (streq(member->key, "boottime"))
			r = read_time_offset(arena, member, &linux_->boottime);
		else
			r = fail(0, ": unknown clock (monotonic or boottime)");
		if (r < 0)
			return json_fail_member(r, v, member->key);
	}
	return 0;
}

static JSON_READER(read_cgroups_path)
{
	const char *path = NULL;
	int r = json_word(arena, v, &path);

	if (r < 0)
		return r;
	for (const char *p = path; p && *p;) {
		size_t len = strcspn(p, "/");

		if (len == 2 && starts_with(p, ".."))
			return json_fail(v, "'%.200s' must not contain '..'",
					 path);
		p += len + (p[len] == '/');
	}
	*(const char **)ret = path;
	return 0;
}

static JSON_READER(read_propagation)
{
	static const struct json_choice words[] = {
		{ "shared", MS_SHARED },
		{ "slave", MS_SLAVE },
		{ "private", MS_PRIVATE },
		{ "unbindable", MS_UNBINDABLE },
		{ "rshared", MS_SHARED | MS_REC },
		{ "rslave", MS_SLAVE | MS_REC },
		{ "rprivate", MS_PRIVATE | MS_REC },
		{ "runbindable", MS_UNBINDABLE | MS_REC },
	};
	struct oci_linux *linux_ = ret;
	uint64_t flags = 0;
	int r = json_word(arena, v, &linux_->rootfs_propagation_name);

	if (r == 0 && linux_->rootfs_propagation_name)
		r = json_choose(v, words, COUNT(words), &flags);
	linux_->rootfs_propagation = flags;
	return r;
}

static JSON_READER(read_inside_paths)
{
	struct strings *list = ret;
	int r = json_strings(arena, v, list);

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		if (!*list->items[i])
			return json_fail_index(
				fail(0, ": must not be empty (write a path)"),
				i);
		list->items[i] = oci_clean_path(arena, list->items[i]);
		if (!list->items[i])
			return -ENOMEM;
	}
	return r;
}

static JSON_READER(read_domain)
{
	static const struct json_choice domains[] = {
		{ "LINUX", PER_LINUX },
		{ "LINUX32", PER_LINUX32 },
	};
	uint64_t domain = 0;
	int r = json_choose(v, domains, COUNT(domains), &domain);

	(void)arena;
	*(unsigned long *)ret = domain;
	return r;
}

/* No flags are defined: accept any, and ignore them. */
static JSON_READER(read_personality)
{
	struct personality {
		unsigned long domain;
		struct strings flags;
	} personality = { 0 };
	static const struct json_field fields[] = {
		JSON_REQUIRED("domain", read_domain, struct personality,
			      domain),
		JSON_FIELD("flags", json_strings, struct personality, flags),
	};
	struct oci_linux *linux_ = ret;
	int r = json_object(arena, v, fields, COUNT(fields), &personality);

	linux_->has_personality = true;
	linux_->personality = personality.domain;
	return r;
}

static JSON_READER(read_policy_mode)
{
	static const struct json_choice modes[] = {
		{ "MPOL_DEFAULT", MPOL_DEFAULT },
		{ "MPOL_PREFERRED", MPOL_PREFERRED },
		{ "MPOL_BIND", MPOL_BIND },
		{ "MPOL_INTERLEAVE", MPOL_INTERLEAVE },
		{ "MPOL_LOCAL", MPOL_LOCAL },
		{ "MPOL_PREFERRED_MANY", KERNEL_MPOL_PREFERRED_MANY },
		{ "MPOL_WEIGHTED_INTERLEAVE", KERNEL_MPOL_WEIGHTED_INTERLEAVE },
	};
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0)
		return r;
	r = json_choose(v, modes, COUNT(modes), ret);
	return r < 0 ? fail_at(r, ": invalid memory policy mode") : 0;
}

static JSON_READER(read_policy_flags)
{
	static const struct json_choice flags[] = {
		{ "MPOL_F_STATIC_NODES", MPOL_F_STATIC_NODES },
		{ "MPOL_F_RELATIVE_NODES", MPOL_F_RELATIVE_NODES },
		{ "MPOL_F_NUMA_BALANCING", MPOL_F_NUMA_BALANCING },
	};
	uint64_t all = 0, one = 0;
	size_t i = 0;
	int r = json_expect(v, JSON_ARRAY);

	(void)arena;
	if (r < 0)
		return r;
	json_each (member, v) {
		r = json_expect(member, JSON_STRING);
		if (r < 0)
			return json_fail_index(r, i);
		r = json_choose(member, flags, COUNT(flags), &one);
		if (r < 0)
			return json_fail_index(
				fail_at(r, ": invalid memory policy flag"), i);
		all |= one;
		i++;
	}
	*(uint64_t *)ret = all;
	return 0;
}

static JSON_READER(read_nodes)
{
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0)
		return r;
	r = oci_read_list(v, OCI_MAX_NODES, ret);
	return r < 0 ? fail_at(r, ": invalid memory policy nodes") : 0;
}

struct written_policy {
	uint64_t mode;
	uint64_t flags;
	const char *nodes;
};

static int check_memory_policy(const struct json_value *v,
			       const struct written_policy *p)
{
	bool no_nodes = p->mode == MPOL_DEFAULT || p->mode == MPOL_LOCAL;

	if (no_nodes && p->nodes)
		return json_fail_key(v, "nodes",
				     "invalid memory policy: '%.200s' must be "
				     "empty with this mode",
				     p->nodes);
	if (!no_nodes && !p->nodes && p->mode != MPOL_PREFERRED)
		return json_fail_key(v, "nodes",
				     "invalid memory policy: this mode needs "
				     "at least one node");
	if (p->flags & MPOL_F_STATIC_NODES && p->flags & MPOL_F_RELATIVE_NODES)
		return json_fail_key(v, "flags",
				     "invalid memory policy: static and "
				     "relative nodes exclude each other");
	return 0;
}

JSON_READER(oci_read_memory_policy)
{
	static const struct json_field fields[] = {
		JSON_FIELD("mode", read_policy_mode, struct written_policy,
			   mode),
		JSON_FIELD("nodes", read_nodes, struct written_policy, nodes),
		JSON_FIELD("flags", read_policy_flags, struct written_policy,
			   flags),
	};
	struct oci_memory_policy *policy = arena_alloc(arena, sizeof *policy);
	struct written_policy written = { 0 };
	int r;

	if (!policy)
		return -ENOMEM;
	if ((r = json_object(arena, v, fields, COUNT(fields), &written)) < 0)
		return r;
	if (!json_find(v, "mode"))
		return json_fail_key(v, "mode",
				     "invalid memory policy mode: required");
	r = check_memory_policy(v, &written);
	if (r < 0)
		return r;
	policy->mode = (int)(written.mode | written.flags);
	policy->nodes = written.nodes;
	*(const struct oci_memory_policy **)ret = policy;
	return 0;
}

/* The namespace that a field requires. */
struct demand {
	const char *key;
	bool there;
	enum oci_ns ns;
	bool fresh; /* it must be new, not joined */
};

static int check_namespaces(const struct json_value *v,
			    const struct oci_linux *l)
{
	const struct demand demands[] = {
		{ "uidMappings", l->uid_mappings.n > 0, OCI_NS_USER, false },
		{ "gidMappings", l->gid_mappings.n > 0, OCI_NS_USER, false },
		{ "timeOffsets", l->monotonic.set || l->boottime.set,
		  OCI_NS_TIME, true },
		{ "netDevices", l->nnet_devices > 0, OCI_NS_NETWORK, false },
		{ "maskedPaths", l->masked_paths.n > 0, OCI_NS_MOUNT, false },
		{ "readonlyPaths", l->readonly_paths.n > 0, OCI_NS_MOUNT,
		  false },
	};

	for (size_t i = 0; i < COUNT(demands); i++) {
		const struct demand *d = &demands[i];
		const struct oci_namespace *ns = &l->namespaces[d->ns];

		if (d->there && (!ns->listed || (d->fresh && ns->path)))
			return json_fail_key(v, d->key,
					     "requires a%s %s namespace in "
					     "linux.namespaces",
					     d->fresh ? " new" : "",
					     oci_ns_kinds[d->ns].type);
	}
	return 0;
}

JSON_READER(oci_read_linux)
{
	static const struct json_field fields[] = {
		JSON_FIELD("namespaces", read_namespaces, struct oci_linux,
			   namespaces),
		JSON_FIELD("uidMappings", oci_read_id_maps, struct oci_linux,
			   uid_mappings),
		JSON_FIELD("gidMappings", oci_read_id_maps, struct oci_linux,
			   gid_mappings),
		JSON_WHOLE("timeOffsets", read_time_offsets),
		JSON_WHOLE("devices", oci_read_devices),
		JSON_WHOLE("netDevices", oci_read_net_devices),
		JSON_FIELD("cgroupsPath", read_cgroups_path, struct oci_linux,
			   cgroups_path),
		JSON_FIELD("resources", oci_read_resources, struct oci_linux,
			   resources),
		JSON_WHOLE("rootfsPropagation", read_propagation),
		JSON_FIELD("seccomp", oci_read_seccomp, struct oci_linux,
			   seccomp),
		JSON_FIELD("maskedPaths", read_inside_paths, struct oci_linux,
			   masked_paths),
		JSON_FIELD("readonlyPaths", read_inside_paths, struct oci_linux,
			   readonly_paths),
		JSON_FIELD("mountLabel", json_word, struct oci_linux,
			   mount_label),
		JSON_WHOLE("sysctl", oci_read_sysctls),
		JSON_FIELD("intelRdt", oci_read_intel_rdt, struct oci_linux,
			   intel_rdt),
		JSON_WHOLE("personality", read_personality),
		JSON_FIELD("memoryPolicy", oci_read_memory_policy,
			   struct oci_linux, memory_policy),
	};
	int r;

	if ((r = json_object(arena, v, fields, COUNT(fields), ret)) < 0 ||
	    (r = check_namespaces(v, ret)) < 0)
		return r;
	return oci_check_sysctls(v, ret);
}
