/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/mounts.c - any mount, up to its steps.
 *
 * The lines are: u for a user namespace, r for a caller without privileges;
 * type; source; destination; then one option a line.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "oci/parse.h"
#include "runtime/plan/mounts.h"
#include "tests/fuzz/plan_check.h"

static struct oci_mount mount;
static struct mount_options options;
static struct facts facts;
static struct oci_spec spec;
static struct plan plan;

static const char *absent_if_empty(const char *text)
{
	return *text ? text : NULL;
}

static int read_mount(struct arena *arena, const char *text, size_t len)
{
	static const struct oci_id_map map = { 0, 100000, 1000 };
	struct oci_linux *l = &spec.linux_;
	struct strings lines;
	int r = fuzz_lines(arena, text, len, &lines);

	if (r < 0)
		return r;
	if (lines.n < 4 || !*lines.items[3])
		return fail(0, "too short");
	spec = (struct oci_spec){ .mounts = &mount, .nmounts = 1 };
	l->namespaces[OCI_NS_MOUNT].listed = true;
	l->namespaces[OCI_NS_USER].listed = strchr(lines.items[0], 'u');
	l->uid_mappings = (struct oci_id_maps){ &map, 1 };
	l->gid_mappings = (struct oci_id_maps){ &map, 1 };
	facts = (struct facts){ .rootless = strchr(lines.items[0], 'r') };
	mount = (struct oci_mount){
		.type = absent_if_empty(lines.items[1]),
		.source = absent_if_empty(lines.items[2]),
		.destination = oci_clean_path(arena, lines.items[3]),
		.options = { lines.items + 4, lines.n - 4 },
	};
	return mount.destination ? 0 : -ENOMEM;
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	static const struct join join = JOIN_NONE;
	const struct make_input in = {
		.arena = arena,
		.facts = &facts,
		.spec = &spec,
		.settings = { .bundle = "/b", .rootfs = "/b/rootfs" },
		.join = &join,
	};
	int r = read_mount(arena, text, len);

	if (r < 0 ||
	    (r = mount_options_parse(arena, &mount.options, &options)) < 0 ||
	    (r = plan_open(arena, &plan)) < 0 ||
	    (r = make_mounts(&in, &plan)) < 0 ||
	    (r = make_root(&in, &plan)) < 0)
		return r;
	return plan_close(&plan);
}

static bool has_param(struct arena *arena, const char *word)
{
	for (size_t i = 0; i < options.nparams; i++) {
		const struct oci_annotation *p = &options.params[i];
		const char *text = p->value ? arena_printf(arena, "%s=%s",
							   p->key, p->value) :
					      p->key;

		if (streq(text, word))
			return true;
	}
	return false;
}

/* Unknown options go to the file system; none gets lost. */
static void demand_all_kept(struct arena *arena)
{
	for (size_t i = 0; i < mount.options.n; i++) {
		const char *word = mount.options.items[i];

		if (!mount_option_known(word) && !strpbrk(word, ",\\\"") &&
		    !starts_with(word, "lowerdir="))
			demand(has_param(arena, word));
	}
	for (size_t i = 0; i < options.nparams; i++) {
		const struct oci_annotation *p = &options.params[i];

		demand(*p->key && !strchr(p->key, '='));
		demand(strlen(p->value ? p->value : p->key) <= 255);
	}
}

/* Said twice it means the same. */
static void demand_idempotent(struct arena *arena)
{
	size_t n = mount.options.n;
	const char **twice =
		arena_grow(arena, mount.options.items, n, 2 * n, sizeof *twice);
	struct mount_options again;

	if (options.npropagation > COUNT(options.propagation) / 2)
		return;
	memcpy(twice + n, mount.options.items, n * sizeof *twice);
	demand(mount_options_parse(arena, &(struct strings){ twice, 2 * n },
				   &again) == 0);
	demand(again.attr_set == options.attr_set &&
	       again.attr_clr == options.attr_clr &&
	       again.rec_set == options.rec_set &&
	       again.rec_clr == options.rec_clr &&
	       again.readonly == options.readonly &&
	       again.nparams == 2 * options.nparams);
}

static void accepted(struct arena *arena)
{
	unsigned int both = options.attr_set & options.attr_clr;

	demand(!(both & ~(unsigned int)MOUNT_ATTR__ATIME));
	demand(options.readonly ==
	       ((options.attr_set & MOUNT_ATTR_RDONLY) != 0));
	demand_all_kept(arena);
	demand_idempotent(arena);
	demand_steps(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
