/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_mounts.c - the steps a list of mounts turns into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/plan/join.h"
#include "runtime/plan/mounts.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define FIRST_MOUNT 2 /* after propagation and rootfs */

struct fixture {
	struct arena arena;
	struct facts facts;
	struct oci_spec spec;
	struct oci_mount mount;
	struct join join;
	struct make_input in;
	struct plan plan;
};

static const struct oci_id_map map = { 0, 100000, 1000 };

static int set_up(void **state)
{
	static struct fixture fixture;
	struct fixture *f = &fixture;

	memset(f, 0, sizeof *f);
	*state = f;
	f->join = (struct join)JOIN_NONE;
	f->spec.linux_.namespaces[OCI_NS_MOUNT].listed = true;
	err_clear();
	if (arena_open(&f->arena, 4 << 20) < 0)
		return -1;
	f->in = (struct make_input){
		.arena = &f->arena,
		.facts = &f->facts,
		.spec = &f->spec,
		.settings = { .bundle = "/b", .rootfs = "/b/rootfs" },
		.join = &f->join,
	};
	return plan_open(&f->arena, &f->plan);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_close(&f->arena);
	return 0;
}

static void use_userns(struct fixture *f)
{
	struct oci_linux *l = &f->spec.linux_;

	l->namespaces[OCI_NS_USER].listed = true;
	l->uid_mappings = (struct oci_id_maps){ &map, 1 };
	l->gid_mappings = (struct oci_id_maps){ &map, 1 };
}

/* The one mount of the fixture; options are split in place. */
static int make_one(struct fixture *f, const char *type, const char *source,
		    const char *destination, const char *options)
{
	char *rest = arena_strdup(&f->arena, options), *word;
	const char **words = arena_array(&f->arena, 16, sizeof *words);
	size_t n = 0;

	while (*options && (word = strsep(&rest, ",")))
		words[n++] = word;
	f->mount.type = type;
	f->mount.source = source;
	f->mount.destination = destination;
	f->mount.options = (struct strings){ words, n };
	f->spec.mounts = &f->mount;
	f->spec.nmounts = 1;
	return make_mounts(&f->in, &f->plan);
}

static const struct step *step_at(const struct fixture *f, size_t i)
{
	assert_true(i < f->plan.nsteps);
	return &f->plan.steps[i];
}

/* The first step of a kind at or after from; its number. */
static size_t find(const struct fixture *f, enum step_op op, size_t from)
{
	for (size_t i = from; i < f->plan.nsteps; i++)
		if (f->plan.steps[i].op == op)
			return i;
	fail_msg("no step \"%s\"", step_name(op));
	return 0;
}

static size_t count(const struct fixture *f, enum step_op op)
{
	size_t n = 0;

	for (size_t i = 0; i < f->plan.nsteps; i++)
		n += f->plan.steps[i].op == op;
	return n;
}

static void expect_ops(const struct fixture *f, size_t from,
		       const enum step_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(step_name(step_at(f, from + i)->op),
				    step_name(ops[i]));
}

static void root_comes_first(void **state)
{
	static const struct {
		unsigned long asked, initial;
	} rows[] = {
		{ 0, MS_SLAVE | MS_REC },
		{ MS_PRIVATE, MS_PRIVATE | MS_REC },
		{ MS_SLAVE, MS_SLAVE | MS_REC },
		{ MS_SHARED, MS_SHARED | MS_REC },
		{ MS_UNBINDABLE, MS_SLAVE | MS_REC },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		f->plan.nsteps = 0;
		f->spec.linux_.rootfs_propagation = rows[i].asked;
		assert_int_equal(make_mounts(&f->in, &f->plan), 0);
		assert_int_equal(step_at(f, 0)->op, STEP_PROPAGATION);
		assert_int_equal(step_at(f, 0)->flags, rows[i].initial);
		assert_int_equal(step_at(f, 1)->op, STEP_ROOTFS);
		assert_int_equal(step_at(f, 1)->out, SLOT_ROOT);
	}
}

static void without_a_namespace(void **state)
{
	struct fixture *f = *state;

	f->spec.linux_.namespaces[OCI_NS_MOUNT].listed = false;
	assert_int_equal(make_mounts(&f->in, &f->plan), 0);
	assert_int_equal(make_root(&f->in, &f->plan), 0);
	assert_int_equal(f->plan.nsteps, 2);
	assert_int_equal(step_at(f, 0)->op, STEP_ROOT_HERE);
	assert_int_equal(step_at(f, 1)->op, STEP_CHROOT);
	assert_true(make_one(f, "proc", "proc", "/proc", "") < 0);
	assert_string_equal(
		err_text(),
		"mounts[0]: requires the container's own mount namespace");
}

static void refused(void **state)
{
	static const struct {
		const char *type, *source, *destination, *options, *text;
	} rows[] = {
		{ "tmpfs", NULL, "/", "",
		  "mounts[0].destination: cannot mount over /, which "
		  "root.path provides: remove this mount" },
		{ "tmpfs", NULL, "/proc", "",
		  "mounts[0].destination: \"/proc\" cannot be mounted because "
		  "it is not of type proc" },
		{ "bind", "/x", "/proc/sys", "",
		  "mounts[0].destination: \"/proc/sys\" cannot be mounted "
		  "because it is inside /proc" },
		{ NULL, "/x", "/x", "bind,ro,x",
		  "mounts[0].options[2]: unknown option \"x\" for a bind "
		  "mount" },
		{ NULL, NULL, "/x", "bind",
		  "mounts[0].source: required for a bind mount" },
		{ NULL, "/x", "/x", "ro",
		  "mounts[0].type: required, unless the mount is a bind mount" },
		{ "proc", NULL, "/x", "tmpcopyup",
		  "mounts[0].options: tmpcopyup is only supported for tmpfs" },
		{ NULL, "/x", "/x", "bind,idmap",
		  "mounts[0]: idmap requires uidMappings and gidMappings of "
		  "the mount, or a user namespace" },
		{ "tmpfs", NULL, "/x", "idmap",
		  "mounts[0]: only a bind mount can be idmapped" },
		{ NULL, "/x", "/x", "bind,idmap=uids=1-2;gids=1-2-3",
		  "mounts[0].options: \"1-2\": must be id mappings of the form "
		  "container-host-size, separated by #" },
		{ "cgroup", NULL, "/x", "",
		  "mounts[0]: no cgroup hierarchy is mounted on this host" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		err_clear();
		assert_true(make_one(f, rows[i].type, rows[i].source,
				     rows[i].destination, rows[i].options) < 0);
		assert_string_equal(err_text(), rows[i].text);
	}
}

static void proc_is_plain_and_verified(void **state)
{
	static const enum step_op ops[] = { STEP_MOUNT_POINT, STEP_FSMOUNT,
					    STEP_MOVE_MOUNT };
	struct fixture *f = *state;

	assert_int_equal(make_one(f, "proc", "proc", "/proc", "nosuid"), 0);
	expect_ops(f, FIRST_MOUNT, ops, COUNT(ops));
	assert_int_equal(step_at(f, 2)->flags, POINT_PLAIN);
	assert_int_equal(step_at(f, 3)->fs->attrs, MOUNT_ATTR_NOSUID);
	assert_int_equal(step_at(f, 4)->flags, MOVE_PROC);
	assert_string_equal(step_at(f, 4)->place, "mounts[0]");
}

static void readonly_tmpfs_comes_last(void **state)
{
	struct fixture *f = *state;
	size_t move, last;

	assert_int_equal(make_one(f, "tmpfs", NULL, "/t", "ro,tmpcopyup"), 0);
	assert_false(step_at(f, 3)->fs->attrs & MOUNT_ATTR_RDONLY);
	assert_true(step_at(f, 3)->fs->mode_of_point);
	assert_int_equal(step_at(f, 4)->op, STEP_COPY_UP);
	move = find(f, STEP_MOVE_MOUNT, 0);
	assert_true(step_at(f, move)->in >= SLOT_FREE);
	assert_int_equal(make_root(&f->in, &f->plan), 0);
	last = find(f, STEP_SETATTR, find(f, STEP_PIVOT, 0));
	assert_int_equal(step_at(f, last)->in, step_at(f, move)->in);
	assert_int_equal(step_at(f, last)->attr.attr_set, MOUNT_ATTR_RDONLY);
}

static void binds_find_their_source(void **state)
{
	static const struct {
		const char *source, *path;
		uint16_t in;
	} rows[] = {
		{ "/srv//data/.", "/srv/data", SLOT_NONE },
		{ "data", "/b/data", SLOT_NONE },
		{ "./rootfs/etc", "/etc", SLOT_ROOT },
		{ "/b/rootfs", "/", SLOT_ROOT },
		{ "/b/rootfs2", "/b/rootfs2", SLOT_NONE },
		{ "rootfs/../x", "/b/rootfs/../x", SLOT_NONE },
	};
	static const enum step_op ops[] = { STEP_CLONE_TREE, STEP_MOUNT_POINT,
					    STEP_MOVE_MOUNT };
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		f->plan.nsteps = 0;
		assert_int_equal(make_one(f, NULL, rows[i].source, "/x",
					  "rbind"),
				 0);
		expect_ops(f, FIRST_MOUNT, ops, COUNT(ops));
		assert_string_equal(step_at(f, 2)->text, rows[i].path);
		assert_int_equal(step_at(f, 2)->in, rows[i].in);
		assert_int_equal(step_at(f, 2)->flags, AT_RECURSIVE);
		assert_int_equal(step_at(f, 3)->flags, POINT_LIKE_SOURCE);
	}
}

static void bind_flags_reset_the_unnamed(void **state)
{
	struct fixture *f = *state;
	const struct step *first, *second;

	assert_int_equal(make_one(f, NULL, "/s", "/x", "bind,ro,exec"), 0);
	first = step_at(f, 3);
	second = step_at(f, 4);
	assert_int_equal(first->op, STEP_SETATTR);
	assert_int_equal(first->attr.attr_set, MOUNT_ATTR_RDONLY);
	assert_int_equal(first->attr.attr_clr,
			 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				 MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSYMFOLLOW);
	assert_int_equal(first->on_denied, 4);
	assert_int_equal(first->next, 5);
	assert_int_equal(second->attr.attr_set, MOUNT_ATTR_RDONLY);
	assert_int_equal(second->attr.attr_clr,
			 MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSYMFOLLOW);
	assert_int_equal(second->on_denied, 0);
}

static void user_namespaces_get_sources(void **state)
{
	struct fixture *f = *state;
	const struct plan_source *s;

	use_userns(f);
	assert_int_equal(make_one(f, NULL, "/s", "/x", "rbind"), 0);
	assert_int_equal(make_one(f, NULL, "/s", "/x", "bind,ridmap"), 0);
	assert_int_equal(make_one(f, NULL, "rootfs/s", "/x",
				  "bind,idmap=uids=0-5-1;gids=@0-7-9"),
			 0);
	assert_int_equal(make_one(f, NULL, "rootfs/s", "/x", "bind"), 0);
	s = f->plan.sources;
	assert_int_equal(f->plan.nsources, 3);
	assert_true(s[0].recursive && s[0].locked && !s[0].idmap && !s[0].late);
	assert_true(s[0].asked && !s[0].in_turn && s[2].in_turn);
	assert_int_equal(count(f, STEP_SOURCE), 3);
	assert_true(s[1].idmap && s[1].idmap_recursive && s[1].late);
	assert_true(s[2].idmap && !s[2].idmap_recursive && !s[2].late);
	assert_string_equal(s[2].root, "/b/rootfs");
	assert_string_equal(s[2].path, "/s");
	assert_int_equal(s[2].uid_mappings.items[0].host_id, 5);
	assert_int_equal(s[2].gid_mappings.items[0].host_id, 100007);
	assert_int_equal(s[2].gid_mappings.items[0].size, 9);
}

static void devpts_without_an_unmapped_group(void **state)
{
	struct fixture *f = *state;

	use_userns(f);
	assert_int_equal(make_one(f, "devpts", NULL, "/dev/pts",
				  "gid=5,mode=620"),
			 0);
	assert_int_equal(step_at(f, find(f, STEP_FSMOUNT, 0))->fs->nparams, 2);
	f->plan.nsteps = 0;
	assert_int_equal(make_one(f, "devpts", NULL, "/dev/pts",
				  "gid=1000,mode=620"),
			 0);
	assert_int_equal(step_at(f, find(f, STEP_FSMOUNT, 0))->fs->nparams, 1);
}

static void labels_and_superblocks(void **state)
{
	struct fixture *f = *state;
	const struct step_fs *fs;

	f->facts.selinux = true;
	f->spec.linux_.mount_label = "system_u:object_r:x_t:s0";
	assert_int_equal(make_one(f, "ext4", "/dev/x", "/x", "ro"), 0);
	fs = step_at(f, 3)->fs;
	assert_int_equal(fs->nparams, 2);
	assert_string_equal(fs->params[0].key, "context");
	assert_string_equal(fs->params[1].key, "ro");
	f->plan.nsteps = 0;
	assert_int_equal(make_one(f, "sysfs", "sysfs", "/sys", "ro"), 0);
	assert_int_equal(step_at(f, 3)->fs->nparams, 0);
	/* Root of the host can make one. */
	assert_int_equal(step_at(f, 3)->on_denied, 0);
	assert_int_not_equal(step_at(f, 4)->op, STEP_CLONE_TREE);
	/* Denied to others, the host's is cloned. */
	f->plan.nsteps = 0;
	f->facts.rootless = true;
	assert_int_equal(make_one(f, "sysfs", "sysfs", "/sys", "ro"), 0);
	assert_int_equal(step_at(f, 3)->on_denied, 4);
	assert_int_equal(step_at(f, 4)->op, STEP_CLONE_TREE);
	assert_int_equal(step_at(f, 3)->next, 6);
	assert_int_equal(step_at(f, 6)->op, STEP_MOVE_MOUNT);
}

static void default_devices(void **state)
{
	static const struct oci_device own[] = {
		{ S_IFCHR, "/dev/null", 1, 3, true, 0600, 5, 6 },
		{ S_IFIFO, "/dev/pipe", 0, 0, true, 0666, 0, 0 },
	};
	struct fixture *f = *state;
	const struct step *first;

	f->spec.linux_.devices = own;
	f->spec.linux_.ndevices = COUNT(own);
	assert_int_equal(make_mounts(&f->in, &f->plan), 0);
	assert_int_equal(count(f, STEP_MKNOD), 7);
	assert_int_equal(count(f, STEP_SYMLINK), 6);
	first = step_at(f, FIRST_MOUNT);
	assert_int_equal(first->node.mode, S_IFCHR | 0600);
	assert_int_equal(first->flags, 0);
	assert_int_equal(first->on_denied, FIRST_MOUNT + 1);
	assert_string_equal(first->place, "linux.devices[0]");

	f->plan.nsteps = 0;
	use_userns(f);
	assert_int_equal(make_mounts(&f->in, &f->plan), 0);
	assert_int_equal(count(f, STEP_MKNOD), 1);
	assert_int_equal(count(f, STEP_CLONE_TREE), 5);
	first = step_at(f, find(f, STEP_CLONE_TREE, 0));
	assert_int_equal(first->node.minor, 5);
	/* The parent makes the one that is listed, for the owner inside. */
	assert_int_equal(f->plan.nsources, 1);
	assert_int_equal(f->plan.sources[0].device->mode, 0600);
	assert_int_equal(f->plan.sources[0].device->uid, 100005);
	assert_int_equal(f->plan.sources[0].device->gid, 100006);
}

static void bound_dev_is_left_alone(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make_one(f, NULL, "/dev", "/dev", "rbind"), 0);
	assert_int_equal(count(f, STEP_MKNOD), 0);
	assert_int_equal(count(f, STEP_SYMLINK), 0);
}

static void masks_are_the_hosts_null(void **state)
{
	static const char *paths[] = { "/proc/kcore", "/proc/keys", NULL };
	struct fixture *f = *state;
	size_t null;

	f->spec.linux_.masked_paths = (struct strings){ paths, 2 };
	f->spec.root_readonly = true;
	assert_int_equal(make_root(&f->in, &f->plan), 0);
	null = find(f, STEP_CLONE_TREE, 0);
	assert_true(null < find(f, STEP_PIVOT, 0));
	assert_int_equal(step_at(f, null)->out, SLOT_NULL_MASK);
	assert_int_equal(step_at(f, null)->node.mode, S_IFCHR);
	assert_int_equal(step_at(f, null)->node.major, 1);
	assert_int_equal(step_at(f, null)->node.minor, 3);
	assert_int_equal(count(f, STEP_MASK), 2);
	assert_true(step_at(f, find(f, STEP_MASK, 0))->skip_missing);
	assert_int_equal(step_at(f, f->plan.nsteps - 1)->in, SLOT_ROOT);
}

static void cgroup_of_one_hierarchy(void **state)
{
	struct cgroup_hierarchy v2 = { "", "/sys/fs/cgroup", "/", true };
	struct cgroup_member own = { .controllers = "",
				     .path = "/sys/fs/cgroup/me",
				     .v2 = true };
	struct cgroup cgroup = { .items = &own, .n = 1 };
	struct fixture *f = *state;

	f->facts.cgroups = (struct cgroup_layout){ CGROUP_V2, &v2, 1 };
	f->in.cgroup = &cgroup;
	assert_int_equal(make_one(f, "cgroup", NULL, "/sys/fs/cgroup", "ro"),
			 0);
	assert_string_equal(step_at(f, 3)->fs->type, "cgroup2");
	assert_int_equal(step_at(f, 3)->on_denied, 4);
	assert_string_equal(step_at(f, 4)->text, "/sys/fs/cgroup");
	f->plan.nsteps = 0;
	f->spec.linux_.namespaces[OCI_NS_CGROUP].listed = true;
	assert_int_equal(make_one(f, "cgroup", NULL, "/sys/fs/cgroup", "ro"),
			 0);
	assert_string_equal(step_at(f, 4)->text, "/sys/fs/cgroup/me");
}

static void cgroup_of_many_hierarchies(void **state)
{
	struct cgroup_hierarchy v1[] = {
		{ "cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/", false },
		{ "name=systemd", "/sys/fs/cgroup/systemd", "/", false },
	};
	struct fixture *f = *state;
	const struct step *link, *last;
	size_t first, second;

	f->facts.cgroups = (struct cgroup_layout){ CGROUP_V1, v1, 2 };
	f->spec.linux_.namespaces[OCI_NS_CGROUP].listed = true;
	assert_int_equal(make_one(f, "cgroup", NULL, "/c", "ro"), 0);
	assert_string_equal(step_at(f, 3)->fs->type, "tmpfs");
	assert_false(step_at(f, 3)->fs->attrs & MOUNT_ATTR_RDONLY);
	first = find(f, STEP_FRESH_MOUNT, 0);
	assert_string_equal(step_at(f, first)->text, "/c/cpu,cpuacct");
	assert_int_equal(step_at(f, first)->in, step_at(f, 3)->out);
	assert_string_equal(step_at(f, first)->fs->type, "cgroup");
	assert_string_equal(step_at(f, first)->fs->data, "cpu,cpuacct");
	/* If the kernel denies it, a clone of the host's is attached. */
	assert_int_equal(step_at(f, first)->on_denied, first + 1);
	assert_int_equal(step_at(f, first + 1)->op, STEP_CLONE_TREE);
	assert_int_equal(step_at(f, step_at(f, first)->next - 1)->op,
			 STEP_MOVE_MOUNT);
	link = step_at(f, find(f, STEP_SYMLINK, 0));
	assert_string_equal(link->text, "/c/cpu");
	assert_string_equal(link->text2, "cpu,cpuacct");
	second = find(f, STEP_FRESH_MOUNT, first + 1);
	assert_string_equal(step_at(f, second)->fs->data,
			    "none,name=systemd,xattr");
	last = step_at(f, f->plan.nsteps - 1);
	while (last->op != STEP_SETATTR)
		last--;
	assert_int_equal(last->in, step_at(f, 3)->out);
	assert_int_equal(last->flags, AT_RECURSIVE);
	assert_int_equal(last->attr.attr_set, MOUNT_ATTR_RDONLY);
}

/* A mount directly in the new /dev needs no path, unless another redirects it. */
static void mounts_in_a_new_dev(void **state)
{
	static const struct {
		const char *destinations[3];
		bool fresh;
	} rows[] = {
		{ { "/dev", "/dev/pts" }, true },
		{ { "/dev", "/dev/shm", "/dev/pts" }, true },
		{ { "/dev", "/dev/shm", "/dev/shm/pts" }, false },
		{ { "/dev", "/dev/../dev/pts" }, false },
		{ { "/dev", "/other", "/dev/pts" }, false },
		{ { "/dev", "/dev/../dev", "/dev/pts" }, false },
		{ { "/other", "/dev/pts" }, false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct oci_mount mounts[3] = { 0 };
		const struct step *point;
		size_t n = 0, last;

		for (; n < 3 && rows[i].destinations[n]; n++) {
			mounts[n].type = "tmpfs";
			mounts[n].destination = rows[i].destinations[n];
		}
		f->spec.mounts = mounts;
		f->spec.nmounts = n;
		f->plan.nsteps = 0;
		assert_int_equal(make_mounts(&f->in, &f->plan), 0);
		last = f->plan.nsteps - 1;
		while (f->plan.steps[last].op != STEP_MOUNT_POINT ||
		       !streq(f->plan.steps[last].text,
			      mounts[n - 1].destination))
			last--;
		point = step_at(f, last);
		assert_int_equal(!!(point->flags & POINT_FRESH), rows[i].fresh);
		if (rows[i].fresh)
			assert_int_equal(point->in, step_at(f, 3)->out);
		assert_int_equal(point[-1].op == STEP_FRESH_MOUNT,
				 rows[i].fresh);
	}
}

/* One call does it, if that means the same; the other steps are for errors. */
static void mounts_by_one_call(void **state)
{
	static const struct {
		const char *option, *data;
	} rows[] = {
		{ "mode=1777", "mode=1777" },
		{ "nosuid", "" },
		{ "ro", NULL },
		{ "rro", NULL },
		{ "rshared", NULL },
		{ "tmpcopyup", NULL },
		{ "dest-nofollow", NULL },
		{ "context=a\"b", NULL },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct oci_mount mounts[] = {
			{ .type = "tmpfs", .destination = "/dev" },
			{ .type = "tmpfs", .destination = "/dev/shm" },
		};
		const struct step *step;

		mounts[1].options.items = (const char **)&rows[i].option;
		mounts[1].options.n = 1;
		f->spec.mounts = mounts;
		f->spec.nmounts = COUNT(mounts);
		f->plan.nsteps = 0;
		assert_int_equal(make_mounts(&f->in, &f->plan), 0);
		if (!rows[i].data) {
			assert_int_equal(count(f, STEP_FRESH_MOUNT), 0);
			continue;
		}
		step = step_at(f, find(f, STEP_FRESH_MOUNT, 0));
		assert_string_equal(step->fs->data, rows[i].data);
		assert_int_equal(step->flags, FRESH_TRY);
		assert_int_equal(step_at(f, step->on_denied)->op,
				 STEP_MOUNT_POINT);
		assert_int_equal(step_at(f, step->next - 1)->op,
				 STEP_MOVE_MOUNT);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_comes_first),
		TEST(without_a_namespace),
		TEST(refused),
		TEST(proc_is_plain_and_verified),
		TEST(readonly_tmpfs_comes_last),
		TEST(binds_find_their_source),
		TEST(bind_flags_reset_the_unnamed),
		TEST(user_namespaces_get_sources),
		TEST(devpts_without_an_unmapped_group),
		TEST(labels_and_superblocks),
		TEST(default_devices),
		TEST(bound_dev_is_left_alone),
		TEST(masks_are_the_hosts_null),
		TEST(cgroup_of_one_hierarchy),
		TEST(cgroup_of_many_hierarchies),
		TEST(mounts_in_a_new_dev),
		TEST(mounts_by_one_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
