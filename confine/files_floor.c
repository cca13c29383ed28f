/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files_floor.c - resolve the files of a policy and of its floors.
 *
 * The paths meet only when they are resolved: a path of the policy below one of
 * the floor may be a link that leads elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/files.h"

static const char *floor_env[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	NULL,
};

const struct strings files_floor_env = { floor_env, 1 };

/* True if the file is on the mount of the root itself. */
static bool is_on_root(const struct files_place *place, int fd)
{
	const unsigned int mask = STATX_MNT_ID | STATX_INO;
	struct statx file, root;

	return statx(fd, "", AT_EMPTY_PATH, mask, &file) == 0 &&
	       statx(place->root, "", AT_EMPTY_PATH, mask, &root) == 0 &&
	       file.stx_mnt_id == root.stx_mnt_id &&
	       file.stx_dev_major == root.stx_dev_major &&
	       file.stx_dev_minor == root.stx_dev_minor;
}

/*
 * The author of an image could make a link of a path that the operator allows,
 * and so allow any volume.
 */
bool files_leaves_floor(const struct files_place *place,
			const struct files_entry *entry, int fd)
{
	if (!place->floor || !entry->named ||
	    streq(entry->named, entry->path) || is_on_root(place, fd))
		return false;
	log_notice("%s '%s' of the enforced profile %s: links lead to %s on "
		   "another mount, which it does not allow: list that path, "
		   "too",
		   entry->key, entry->item, place->floor, entry->path);
	return true;
}

/* An allowed path of two presets has the exceptions of both. */
struct pair {
	unsigned int one, other;
};

struct meeting {
	struct arena *arena;
	const struct files_lists *one, *other;
	struct files_lists *ret;
	struct pair *pairs; /* the scope of a pair is its index + 1 */
	size_t npairs;
};

static int find_scope(struct meeting *m, unsigned int one, unsigned int other,
		      unsigned int *ret)
{
	struct pair *grown;

	*ret = 0;
	if (!one && !other)
		return 0;
	for (size_t i = 0; i < m->npairs; i++)
		if (m->pairs[i].one == one && m->pairs[i].other == other) {
			*ret = (unsigned int)i + 1;
			return 0;
		}
	grown = arena_grow(m->arena, m->pairs, m->npairs, m->npairs + 1,
			   sizeof *grown);
	if (!grown)
		return -ENOMEM;
	grown[m->npairs++] = (struct pair){ one, other };
	m->pairs = grown;
	*ret = (unsigned int)m->npairs;
	return 0;
}

/* Rights of both apply to the lower of two paths. */
static int meet_entries(struct meeting *m, const struct files_entry *one,
			const struct files_entry *other)
{
	bool below = files_is_at_or_below(one->path, other->path);
	struct files_entry entry = below ? *one : *other;
	int r;

	entry.rights = one->rights & other->rights;
	if (!entry.rights ||
	    (!below && !files_is_at_or_below(other->path, one->path)))
		return 0;
	r = find_scope(m, one->scope, other->scope, &entry.scope);
	return r < 0 ? r : files_add(m->arena, &m->ret->allowed, &entry);
}

/* Add a denial, or for an exception one for each pair that it applies to. */
static int add_denied(struct meeting *m, const struct files_list *list,
		      bool is_other)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		struct files_entry entry = list->items[i];

		if (!entry.scope)
			r = files_add(m->arena, &m->ret->denied, &entry);
		for (size_t k = 0; r == 0 && entry.scope && k < m->npairs;
		     k++) {
			struct files_entry copy = entry;

			copy.scope = (unsigned int)k + 1;
			if (entry.scope ==
			    (is_other ? m->pairs[k].other : m->pairs[k].one))
				r = files_add(m->arena, &m->ret->denied, &copy);
		}
	}
	return r;
}

int files_meet(struct arena *arena, const struct files_lists *one,
	       const struct files_lists *other, struct files_lists *ret)
{
	struct files_lists both = { 0 };
	struct meeting m = {
		.arena = arena, .one = one, .other = other, .ret = &both
	};
	int r = 0;

	for (size_t i = 0; i < one->allowed.n; i++)
		for (size_t k = 0; r == 0 && k < other->allowed.n; k++)
			r = meet_entries(&m, &one->allowed.items[i],
					 &other->allowed.items[k]);
	if (r == 0)
		r = add_denied(&m, &one->denied, /* is_other= */ false);
	if (r == 0)
		r = add_denied(&m, &other->denied, /* is_other= */ true);
	if (r == 0)
		*ret = both;
	return r;
}

/*
 * The denials of a floor are in the policy already. Its presets do not depend on
 * variables of the caller, nor its paths on links of an image's author.
 */
static int resolve_floor(struct arena *arena, const struct policy_floor *held,
			 const struct files_place *given,
			 const struct policy *policy, struct files_lists *ret)
{
	const struct policy *floor = &held->policy;
	struct files_place place = *given;
	struct policy allows = {
		.read = floor->read,
		.write = floor->write,
		.write_only = floor->write_only,
		.execute = floor->execute,
		.set[KEY_EXECUTE] = floor->set[KEY_EXECUTE],
		/* The policy has the GPUs of both. */
		.set[KEY_GPU_DEVICES] = policy->set[KEY_GPU_DEVICES],
		.gpu_devices = policy->gpu_devices,
	};

	place.env = files_floor_env;
	if (held->home)
		place.home = held->home;
	place.floor = held->bundle ? held->name : NULL;
	return files_resolve_layer(arena, &allows, &place, &ret->allowed,
				   &ret->denied);
}

int files_resolve(struct arena *arena, const struct policy *policy,
		  const struct files_place *place,
		  struct files_list *ret_allowed, struct files_list *ret_denied)
{
	const struct policy_floor *floor;
	struct files_lists all, held;
	int r = files_resolve_layer(arena, policy, place, &all.allowed,
				    &all.denied);

	for (floor = policy->floor; r == 0 && floor;
	     floor = floor->policy.floor) {
		if (!policy_allows_files(&floor->policy))
			continue;
		r = resolve_floor(arena, floor, place, policy, &held);
		if (r == 0)
			r = files_meet(arena, &all, &held, &all);
	}
	if (r < 0)
		return r;
	*ret_allowed = all.allowed;
	*ret_denied = all.denied;
	return 0;
}
