/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec_mounts.c - read mounts, their id mappings, and hooks. */
#include "oci/parse.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

/* The kernel's maximum for a uid_map. */
#define MAX_ID_MAPS 340

const char *oci_clean_path(struct arena *arena, const char *path)
{
	char *clean = arena_alloc(arena, strlen(path) + 2);
	size_t used = 0;

	if (!clean)
		return NULL;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && starts_with(path, "..")) {
			while (used > 0 && clean[--used] != '/')
				;
		} else if (len > 0 && !(len == 1 && *path == '.')) {
			clean[used++] = '/';
			memcpy(clean + used, path, len);
			used += len;
		}
		path += len + (path[len] == '/');
	}
	if (used == 0)
		clean[used++] = '/';
	clean[used] = '\0';
	return clean;
}

JSON_READER(oci_read_inside_path)
{
	const char *path = NULL;
	int r = json_filled(arena, v, &path);

	if (r < 0)
		return r;
	path = oci_clean_path(arena, path);
	if (!path)
		return -ENOMEM;
	*(const char **)ret = path;
	return 0;
}

static JSON_READER(read_id_map)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("containerID", json_id, struct oci_id_map,
			      container_id),
		JSON_REQUIRED("hostID", json_id, struct oci_id_map, host_id),
		JSON_REQUIRED("size", json_u32, struct oci_id_map, size),
	};
	struct oci_id_map *map = ret;
	int r = json_object(arena, v, fields, COUNT(fields), map);

	if (r < 0)
		return r;
	if (map->size == 0)
		return json_fail_key(v, "size", "must be at least 1");
	if (map->size > UINT32_MAX - map->container_id ||
	    map->size > UINT32_MAX - map->host_id)
		return json_fail_key(v, "size",
				     "%u exceeds the highest possible id",
				     map->size);
	return 0;
}

static bool ranges_meet(uint32_t a, uint32_t a_size, uint32_t b,
			uint32_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

JSON_READER(oci_read_id_maps)
{
	struct oci_id_maps *maps = ret;
	int r = json_array(arena, v, read_id_map, sizeof *maps->items,
			   &maps->items, &maps->n);

	if (r < 0)
		return r;
	if (maps->n > MAX_ID_MAPS)
		return json_fail(v, "has %zu entries, but the kernel allows %d",
				 maps->n, MAX_ID_MAPS);
	for (size_t i = 1; i < maps->n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct oci_id_map *a = &maps->items[i];
			const struct oci_id_map *b = &maps->items[j];

			if (ranges_meet(a->container_id, a->size,
					b->container_id, b->size) ||
			    ranges_meet(a->host_id, a->size, b->host_id,
					b->size))
				return json_fail_index(
					fail(0,
					     ": its ids overlap those of entry "
					     "%zu",
					     j),
					i);
		}
	return 0;
}

JSON_READER(oci_read_mount)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("destination", oci_read_inside_path,
			      struct oci_mount, destination),
		JSON_FIELD("source", json_word, struct oci_mount, source),
		JSON_FIELD("type", json_word, struct oci_mount, type),
		JSON_FIELD("options", json_strings, struct oci_mount, options),
		JSON_FIELD("uidMappings", oci_read_id_maps, struct oci_mount,
			   uid_mappings),
		JSON_FIELD("gidMappings", oci_read_id_maps, struct oci_mount,
			   gid_mappings),
	};
	struct oci_mount *mount = ret;
	int r = json_object(arena, v, fields, COUNT(fields), mount);
	bool uids = mount->uid_mappings.n > 0, gids = mount->gid_mappings.n > 0;

	if (r < 0)
		return r;
	if (uids != gids)
		return json_fail_key(v, uids ? "uidMappings" : "gidMappings",
				     "requires %s as well",
				     uids ? "gidMappings" : "uidMappings");
	mount->has_mappings = uids;
	return 0;
}

static JSON_READER(read_timeout)
{
	int64_t seconds = 0;
	int r = json_i64(arena, v, &seconds);

	if (r < 0)
		return r;
	if (seconds <= 0 || seconds > INT32_MAX)
		return json_fail(v, "%s is not a number of seconds above 0",
				 v->text);
	*(uint32_t *)ret = (uint32_t)seconds;
	return 0;
}

static JSON_READER(read_hook)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("path", json_absolute, struct oci_hook, path),
		JSON_FIELD("args", json_strings, struct oci_hook, args),
		JSON_FIELD("env", oci_read_env, struct oci_hook, env),
		JSON_FIELD("timeout", read_timeout, struct oci_hook, timeout),
	};
	struct oci_hook *hook = ret;
	int r = json_object(arena, v, fields, COUNT(fields), hook);

	hook->has_env = hook->env.n > 0;
	return r;
}

static JSON_READER(read_hook_list)
{
	struct oci_hook_list *list = ret;

	return json_array(arena, v, read_hook, sizeof *list->items,
			  &list->items, &list->n);
}

JSON_READER(oci_read_hooks)
{
	struct oci_hooks *hooks = ret;
	int r = json_expect(v, JSON_OBJECT);

	for (enum hook_point point = 0; r == 0 && point < HOOK_POINTS;
	     point++) {
		const char *name = oci_hook_point_name(point);
		const struct json_value *list = json_find(v, name);

		if (list)
			r = read_hook_list(arena, list, &hooks->at[point]);
		if (r < 0)
			return json_fail_member(r, v, name);
	}
	return r;
}

bool oci_mount_is_bind(const struct oci_mount *mount)
{
	if (mount->type && streq(mount->type, "bind"))
		return true;
	for (size_t i = 0; i < mount->options.n; i++)
		if (streq(mount->options.items[i], "bind") ||
		    streq(mount->options.items[i], "rbind"))
			return true;
	return false;
}
