/* SPDX-License-Identifier: Apache-2.0 */
/* oci/record.c - write and parse the record of a container. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/oci.h"
#include "oci/write.h"

static void put_inodes(struct writer *w, const char *key,
		       const uint64_t *inodes)
{
	put_object(w, key);
	for (size_t i = 0; i < OCI_NAMESPACES; i++)
		put_u64(w, oci_ns_kinds[i].type, inodes[i]);
	put_end(w);
}

/* The length of the directory that a cgroup is in. */
static size_t parent_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* Most cgroups are made below one that exists; `list` reads every record. */
static bool is_below_parent(const struct oci_cgroup_path *cgroup)
{
	size_t n = parent_len(cgroup->path);

	return n && strlen(cgroup->below) == n &&
	       strncmp(cgroup->path, cgroup->below, n) == 0;
}

static void put_cgroups(struct writer *w, const char *key,
			const struct oci_cgroup_path *items, size_t n)
{
	put_array(w, key);
	for (size_t i = 0; i < n; i++) {
		put_object(w, NULL);
		put_string(w, "controllers", items[i].controllers);
		put_string(w, "path", items[i].path);
		if (!is_below_parent(&items[i]))
			put_string(w, "below", items[i].below);
		put_u64(w, "inode", items[i].inode);
		put_end(w);
	}
	put_end(w);
}

int oci_record_write(struct arena *arena, const struct oci_record *record,
		     const char **ret_json, size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_string(&w, "ociVersion", record->version);
	put_string(&w, "id", record->id);
	put_string(&w, "bundle", record->bundle);
	put_string(&w, "rootfs", record->rootfs);
	put_string(&w, "created", record->created);
	put_u64(&w, "owner", record->owner);
	put_string(&w, "bootId", record->boot_id);
	put_bool(&w, "kept", record->kept);
	put_bool(&w, "hooksBegun", record->hooks_begun);
	put_i64(&w, "maker", record->maker);
	put_u64(&w, "makerStart", record->maker_start);
	if (record->sandbox)
		put_bool(&w, "sandbox", true);
	if (record->enforced)
		put_bool(&w, "enforced", true);
	put_i64(&w, "pid", record->pid);
	put_u64(&w, "startTime", record->start_time);
	put_inodes(&w, "namespaces", record->ns_inodes);
	put_cgroups(&w, "cgroups", record->cgroups, record->ncgroups);
	if (record->supervisor) {
		put_i64(&w, "supervisor", record->supervisor);
		put_u64(&w, "supervisorStart", record->supervisor_start);
		put_cgroups(&w, "supervisorCgroups", record->supervisor_cgroups,
			    record->nsupervisor_cgroups);
	}
	put_bool(&w, "ownCgroup", record->own_cgroup);
	put_string(&w, "systemdScope", record->systemd_scope);
	if (record->systemd_user)
		put_bool(&w, "systemdUser", true);
	if (record->rdt_group)
		put_string(&w, "rdtGroup", record->rdt_group);
	if (record->rdt_monitor)
		put_string(&w, "rdtMonitor", record->rdt_monitor);
	put_annotations(&w, "annotations", &record->annotations);
	put_end(&w);
	return writer_close(&w, ret_json, ret_len);
}

/* A negative pid would make kill(2) signal other processes. */
static JSON_READER(read_pid)
{
	int32_t pid = 0;
	int r = json_i32(arena, v, &pid);

	if (r < 0)
		return r;
	if (pid < 0)
		return json_fail(v, "%d is not a pid", pid);
	*(pid_t *)ret = pid;
	return 0;
}

static JSON_READER(read_inodes)
{
	struct json_field fields[OCI_NAMESPACES];

	for (size_t i = 0; i < OCI_NAMESPACES; i++)
		fields[i] = (struct json_field){
			.key = oci_ns_kinds[i].type,
			.read = json_u64,
			.offset = i * sizeof(uint64_t),
			.required = true,
		};
	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_cgroup)
{
	static const struct json_field fields[] = {
		{ "controllers", json_string,
		  offsetof(struct oci_cgroup_path, controllers), true },
		{ "path", json_absolute, offsetof(struct oci_cgroup_path, path),
		  true },
		{ "below", json_absolute,
		  offsetof(struct oci_cgroup_path, below), false },
		{ "inode", json_u64, offsetof(struct oci_cgroup_path, inode),
		  false },
	};

	struct oci_cgroup_path *cgroup = ret;
	int r = json_object(arena, v, fields, COUNT(fields), ret);

	if (r < 0 || cgroup->below)
		return r;
	if (!parent_len(cgroup->path))
		return json_fail(v, "below: required");
	cgroup->below =
		arena_strndup(arena, cgroup->path, parent_len(cgroup->path));
	return cgroup->below ? 0 : -ENOMEM;
}

/* The reader sets array and count, so it gets the whole record. */
static JSON_READER(read_cgroups)
{
	struct oci_record *record = ret;

	return json_array(arena, v, read_cgroup, sizeof *record->cgroups,
			  &record->cgroups, &record->ncgroups);
}

static JSON_READER(read_supervisor_cgroups)
{
	struct oci_record *record = ret;

	return json_array(arena, v, read_cgroup,
			  sizeof *record->supervisor_cgroups,
			  &record->supervisor_cgroups,
			  &record->nsupervisor_cgroups);
}

#define FIELD(member) offsetof(struct oci_record, member)

static const struct json_field record_fields[] = {
	{ "ociVersion", json_filled, FIELD(version), true },
	{ "id", json_filled, FIELD(id), true },
	{ "bundle", json_absolute, FIELD(bundle), true },
	{ "rootfs", json_absolute, FIELD(rootfs), true },
	{ "created", json_filled, FIELD(created), true },
	{ "owner", json_u32, FIELD(owner), true },
	{ "bootId", json_filled, FIELD(boot_id), true },
	{ "kept", json_bool, FIELD(kept), true },
	{ "hooksBegun", json_bool, FIELD(hooks_begun), true },
	{ "maker", read_pid, FIELD(maker), false },
	{ "makerStart", json_u64, FIELD(maker_start), false },
	{ "sandbox", json_bool, FIELD(sandbox), false },
	{ "enforced", json_bool, FIELD(enforced), false },
	{ "pid", read_pid, FIELD(pid), true },
	{ "startTime", json_u64, FIELD(start_time), true },
	{ "namespaces", read_inodes, FIELD(ns_inodes), true },
	{ "cgroups", read_cgroups, 0, true },
	{ "supervisor", read_pid, FIELD(supervisor), false },
	{ "supervisorStart", json_u64, FIELD(supervisor_start), false },
	{ "supervisorCgroups", read_supervisor_cgroups, 0, false },
	{ "ownCgroup", json_bool, FIELD(own_cgroup), true },
	{ "systemdScope", json_string, FIELD(systemd_scope), false },
	{ "systemdUser", json_bool, FIELD(systemd_user), false },
	{ "rdtGroup", json_string, FIELD(rdt_group), false },
	{ "rdtMonitor", json_string, FIELD(rdt_monitor), false },
	{ "annotations", json_annotations, FIELD(annotations), false },
};

int oci_record_parse(struct arena *arena, const char *text, size_t len,
		     struct oci_record *ret)
{
	struct oci_record record = { 0 };
	const struct json_value *root;
	int r = json_parse(arena, text, len, &root);

	if (r < 0)
		return r;
	r = json_object(arena, root, record_fields, COUNT(record_fields),
			&record);
	if (r < 0)
		return r;
	if (record.kept && record.pid == 0)
		return fail(0, "pid: required, because kept is true (the "
			       "container was created)");
	*ret = record;
	return 0;
}
