/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/print_words.c - the flags and numbers of a step, in words.
 */
#include "runtime/plan/print_words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/kernel.h"
#include "base/text.h"
#include "base/util.h"
#include "confine/caps.h"
#include "runtime/plan/mounts.h"
#include "runtime/plan/plan.h"

struct bit {
	uint64_t flag;
	const char *word;
};

/* Put the words of all bits; a bit without a word is shown as a number. */
static void put_bits(struct text *out, uint64_t bits, const struct bit *words,
		     size_t n)
{
	const char *comma = "";

	for (size_t i = 0; i < n; i++)
		if (words[i].flag && (bits & words[i].flag) == words[i].flag) {
			text_put(out, "%s%s", comma, words[i].word);
			bits &= ~words[i].flag;
			comma = ", ";
		}
	if (bits)
		text_put(out, "%s%#" PRIx64, comma, bits);
}

const char *words_namespaces(struct arena *arena, uint64_t flags)
{
	struct text out = { .arena = arena };
	const char *names;

	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (flags & (uint32_t)oci_ns_kinds[i].flag)
			text_put(&out, "%s%s", out.len ? ", " : "",
				 oci_ns_kinds[i].type);
	text_put(&out, "%s", "");
	return text_close(&out, &names) < 0 ? NULL : names;
}

const char *words_caps(struct arena *arena, uint64_t caps)
{
	struct text out = { .arena = arena };
	const char *names;

	for (int i = 0; i < 64; i++) {
		const char *name;

		if (!(caps >> i & 1))
			continue;
		name = caps_name(i);
		if (name)
			text_put(&out, "%s%s", out.len ? ", " : "", name);
		else
			text_put(&out, "%scapability %d", out.len ? ", " : "",
				 i);
	}
	if (!caps)
		text_put(&out, "none");
	return text_close(&out, &names) < 0 ? NULL : names;
}

const char *words_limit(struct arena *arena, uint64_t limit)
{
	return limit == RLIM_INFINITY ? "unlimited" :
					arena_printf(arena, "%" PRIu64, limit);
}

void words_put_attributes(struct text *out, uint64_t attributes)
{
	static const struct bit words[] = {
		{ MOUNT_ATTR_RDONLY, "read-only" },
		{ MOUNT_ATTR_NOSUID, "nosuid" },
		{ MOUNT_ATTR_NODEV, "nodev" },
		{ MOUNT_ATTR_NOEXEC, "noexec" },
		/* The three kinds of atime share their bits. */
		{ MOUNT_ATTR__ATIME, "any atime" },
		{ MOUNT_ATTR_STRICTATIME, "strictatime" },
		{ MOUNT_ATTR_NOATIME, "noatime" },
		{ MOUNT_ATTR_NODIRATIME, "nodiratime" },
		{ MOUNT_ATTR_IDMAP, "idmapped" },
		{ MOUNT_ATTR_NOSYMFOLLOW, "nosymfollow" },
	};

	if (!attributes)
		text_put(out, "none");
	put_bits(out, attributes, words, COUNT(words));
}

void words_put_propagation(struct text *out, uint64_t flags)
{
	static const struct bit words[] = {
		{ MS_REC, "recursive" },	 { MS_SHARED, "shared" },
		{ MS_SLAVE, "slave" },		 { MS_PRIVATE, "private" },
		{ MS_UNBINDABLE, "unbindable" },
	};

	put_bits(out, flags, words, COUNT(words));
}

void words_put_slot(struct text *out, uint16_t slot)
{
	static const char *const names[] = {
		[SLOT_PROC] = "the runtime's /proc",
		[SLOT_ROOT] = "the root",
		[SLOT_POINT] = "the mount point",
		[SLOT_TREE] = "the mount",
		[SLOT_NEW_PROC] = "the container's /proc",
		[SLOT_NULL_MASK] = "the null mask",
		[SLOT_EMPTY_MASK] = "the empty mask",
		[SLOT_GATE] = "the gate",
		[SLOT_CONSOLE] = "the console",
		[SLOT_USERNS] = "the user namespace",
		[SLOT_RULESET] = "the ruleset",
		[SLOT_CGROUP] = "the cgroup",
	};

	if (slot < COUNT(names) && names[slot])
		text_put(out, "%s", names[slot]);
	else if (slot >= SLOT_NAMESPACE && slot < SLOT_FREE)
		text_put(out, "the %s namespace",
			 oci_ns_kinds[slot - SLOT_NAMESPACE].type);
	else
		text_put(out, "slot %u", slot);
}

/* ---- flags, by step ---- */

static const struct bit recursive[] = { { AT_RECURSIVE, "recursive" } };
static const struct bit points[] = {
	{ POINT_FILE, "a file" },
	{ POINT_PLAIN, "no links in its path" },
	{ POINT_NOFOLLOW, "the link itself" },
	{ POINT_LIKE_SOURCE, "a file or directory like the source" },
	{ POINT_FRESH, "in a new mount" },
	{ POINT_NEW_ROOT, "in the new root itself" },
};
static const struct bit fresh[] = { { FRESH_TRY, "if possible" } };
static const struct bit trees[] = { { AT_RECURSIVE, "recursive" },
				    { CLONE_PLAIN, "no links in its path" } };
static const struct bit moves[] = { { MOVE_PROC, "only a procfs" },
				    { MOVE_LATE_READONLY, "read-only later" },
				    { MOVE_NEW_DEV, "a new /dev" } };
static const struct bit nodes[] = { { NODE_KEEP,
				      "any existing file is kept" } };
static const struct bit pivots[] = { { PIVOT_SHARED, "shared mounts" } };
static const struct bit cwds[] = { { CWD_TRY, "if possible" } };
static const struct bit groups[] = { { KEEP_GROUPS, "groups are kept" } };
static const struct bit personalities[] = {
	{ ADDR_NO_RANDOMIZE, "no address randomization" },
	{ PER_LINUX32, "linux32" },
};

static const struct {
	enum step_op op;
	const struct bit *words;
	size_t n;
} known[] = {
	{ STEP_MOUNT_POINT, points, COUNT(points) },
	{ STEP_FRESH_MOUNT, fresh, COUNT(fresh) },
	{ STEP_CLONE_TREE, trees, COUNT(trees) },
	{ STEP_SETATTR, recursive, COUNT(recursive) },
	{ STEP_MOVE_MOUNT, moves, COUNT(moves) },
	{ STEP_MKNOD, nodes, COUNT(nodes) },
	{ STEP_PIVOT, pivots, COUNT(pivots) },
	{ STEP_CWD, cwds, COUNT(cwds) },
	{ STEP_BECOME_ROOT, groups, COUNT(groups) },
	{ STEP_USER, groups, COUNT(groups) },
};

static void put_step_flags(struct text *out, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_UNSHARE:
	case STEP_PROPAGATION:
	case STEP_SETNS:
		return; /* in the text of the step */
	case STEP_ROOTFS:
		text_put(out, ", ");
		words_put_propagation(out, s->flags);
		return;
	case STEP_STOP:
		text_put(out, ", waits %u times more", s->flags);
		return;
	default:
		break;
	}
	text_put(out, ", ");
	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].op == s->op) {
			put_bits(out, s->flags, known[i].words, known[i].n);
			return;
		}
	put_bits(out, s->flags, NULL, 0);
}

static void put_step_number(struct text *out, const struct step *s)
{
	switch ((enum step_op)s->op) {
	case STEP_STOP:
	case STEP_UMASK:
		return; /* in the text of the step */
	case STEP_DUMPABLE:
		text_put(out, ", %s", s->number ? "on" : "off");
		return;
	case STEP_PERSONALITY:
		text_put(out, ", ");
		put_bits(out, (uint64_t)s->number, personalities,
			 COUNT(personalities));
		return;
	case STEP_HOME:
		text_put(out, ", of user %" PRId64, s->number);
		return;
	default:
		if (s->number)
			text_put(out, ", %" PRId64, s->number);
	}
}

void words_put_flags(struct text *out, const struct step *step)
{
	if (step->flags)
		put_step_flags(out, step);
	put_step_number(out, step);
}
