/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_layout.c - hierarchies as /proc shows them, and places in them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

static const char hybrid_mounts[] =
	"31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup "
	"rw,cpu,cpuacct\n"
	"37 31 0:34 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
	"36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n"
	"40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup "
	"rw,xattr,name=systemd\n"
	"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
static const char hybrid_own[] = "9:name=systemd:/init.scope\n"
				 "6:freezer:/\n"
				 "5:devices:/box\n"
				 "4:memory:/not/mounted\n"
				 "1:cpu,cpuacct:/box\n"
				 "0::/init.scope\n";
static const char v2_mounts[] =
	"30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";

struct fixture {
	struct arena arena;
	struct cgroup_layout layout;
};

static void parse(struct fixture *f, const char *mounts, const char *own)
{
	assert_int_equal(arena_open(&f->arena, 1 << 20), 0);
	assert_int_equal(layout_parse(&f->arena,
				      arena_strdup(&f->arena, mounts),
				      arena_strdup(&f->arena, own), &f->layout),
			 0);
}

static void test_parse(void **state)
{
	static const struct {
		const char *mounts, *own;
		enum cgroup_mode mode;
		size_t n;
		const char *controllers, *mount, *first_own;
	} cases[] = {
		{ "", "0::/\n", CGROUP_NONE, 0, NULL, NULL, NULL },
		{ hybrid_mounts, hybrid_own, CGROUP_HYBRID, 5, "name=systemd",
		  "/sys/fs/cgroup/systemd", "/init.scope" },
		{ hybrid_mounts, "1:cpu,cpuacct:/a\n", CGROUP_V1, 1,
		  "cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct", "/a" },
		{ v2_mounts, "0::/user.slice/x\n", CGROUP_V2, 1, "",
		  "/sys/fs/cgroup", "/user.slice/x" },
		/* a container's view, its own cgroup mounted as the root */
		{ "1 2 0:3 /docker/ab /cg rw - cgroup2 none rw\n",
		  "0::/docker/ab\n", CGROUP_V2, 1, "", "/cg", "/" },
		{ "1 2 0:3 /docker/ab /cg rw - cgroup2 none rw\n",
		  "0::/docker/ab/x/y\n", CGROUP_V2, 1, "", "/cg", "/x/y" },
		{ "1 2 0:3 /docker/ab /cg rw - cgroup2 none rw\n",
		  "0::/docker/abc\n", CGROUP_V2, 1, "", "/cg", "/" },
		/* seen from a cgroup namespace we are not in */
		{ v2_mounts, "0::/../../x\n", CGROUP_V2, 1, "",
		  "/sys/fs/cgroup", "/" },
		/* the mount that shows us is the better one */
		{ "1 2 0:3 /other /cg rw - cgroup2 none rw\n"
		  "1 2 0:3 / /with\\040space rw - cgroup2 none rw\n",
		  "0::/a\n", CGROUP_V2, 1, "", "/with space", "/a" },
		/* covered by something else, or by a part of itself */
		{ "30 23 0:26 / /cg rw - cgroup2 none rw\n"
		  "50 30 0:40 / /cg rw - tmpfs tmpfs rw\n",
		  "0::/a\n", CGROUP_NONE, 0, NULL, NULL, NULL },
		{ "30 23 0:26 / /cg rw - cgroup2 none rw\n"
		  "50 30 0:26 /a /cg rw - cgroup2 none rw\n",
		  "0::/a\n", CGROUP_V2, 1, "", "/cg", "/" },
		{ "30 23 0:26 / /cg rw - cgroup2 none rw\n"
		  "50 30 0:40 / /cg/a rw - tmpfs tmpfs rw\n",
		  "0::/a\n", CGROUP_V2, 1, "", "/cg", "/a" },
		{ "no mountinfo at all\n - cgroup\n1 2 - cgroup2 x y\n",
		  "no:line\n\n0::odd\n", CGROUP_NONE, 0, NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fixture f;

		parse(&f, cases[i].mounts, cases[i].own);
		assert_int_equal(f.layout.mode, cases[i].mode);
		assert_int_equal(f.layout.n, cases[i].n);
		if (cases[i].n > 0) {
			assert_string_equal(f.layout.items[0].controllers,
					    cases[i].controllers);
			assert_string_equal(f.layout.items[0].mount,
					    cases[i].mount);
			assert_string_equal(f.layout.items[0].own,
					    cases[i].first_own);
		}
		arena_close(&f.arena);
	}
}

static void test_place_v2(void **state)
{
	static const struct {
		const char *own, *path, *expect;
	} cases[] = {
		{ "0::/\n", NULL, "/sys/fs/cgroup/web1" },
		{ "0::/\n", "", "/sys/fs/cgroup/web1" },
		{ "0::/a\n", NULL, "/sys/fs/cgroup/web1" },
		{ "0::/a/b\n", NULL, "/sys/fs/cgroup/a/web1" },
		{ "0::/a/b\n", "pods/x", "/sys/fs/cgroup/a/pods/x" },
		{ "0::/a/b\n", "/pods/x", "/sys/fs/cgroup/pods/x" },
		{ "0::/a/b\n", "//pods/./x//", "/sys/fs/cgroup/pods/x" },
		{ "0::/a/b\n", "/pods/..x", "/sys/fs/cgroup/pods/..x" },
		{ "0::/a/b\n", "/pods/../x", NULL },
		{ "0::/a/b\n", "..", NULL },
		{ "0::/a/b\n", "/", NULL },
		{ "0::/a/b\n", "./", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cgroup cgroup;
		struct fixture f;
		int r;

		parse(&f, v2_mounts, cases[i].own);
		r = cgroup_place(&f.arena, &f.layout, CGROUP_CGROUPFS,
				 cases[i].path, "web1", &cgroup);
		assert_int_equal(r >= 0, cases[i].expect != NULL);
		if (r < 0) {
			assert_non_null(
				strstr(err_text(), "linux.cgroupsPath: '"));
		} else {
			assert_int_equal(cgroup.n, 1);
			assert_string_equal(cgroup.items[0].path,
					    cases[i].expect);
			assert_int_equal(cgroup.items[0].join, -1);
			assert_int_equal(cgroup.items[0].dir, -1);
		}
		arena_close(&f.arena);
	}
}

static void test_place_hybrid(void **state)
{
	static const char *const expect[] = {
		"/sys/fs/cgroup/unified/init.scope/web1",
		"/sys/fs/cgroup/systemd/init.scope/web1",
		"/sys/fs/cgroup/cpu,cpuacct/box/web1",
		"/sys/fs/cgroup/devices/box/web1",
		"/sys/fs/cgroup/freezer/web1",
	};
	struct oci_record record = { 0 };
	struct cgroup cgroup, again;
	struct fixture f;

	(void)state;
	parse(&f, hybrid_mounts, hybrid_own);
	assert_int_equal(cgroup_place(&f.arena, &f.layout, CGROUP_CGROUPFS,
				      NULL, "web1", &cgroup),
			 0);
	assert_int_equal(cgroup.n, COUNT(expect));
	assert_int_equal(cgroup_to_record(&f.arena, &cgroup, &record), 0);
	assert_true(record.own_cgroup);
	assert_int_equal(cgroup_from_record(&f.arena, &record, &again), 0);
	assert_int_equal(again.n, COUNT(expect));
	for (size_t i = 0; i < COUNT(expect); i++) {
		assert_string_equal(cgroup.items[i].path, expect[i]);
		assert_string_equal(again.items[i].path, expect[i]);
		assert_int_equal(again.items[i].v2, i == 0);
		assert_int_equal(again.items[i].join, -1);
	}
	arena_close(&f.arena);
}

static void test_record_with_long_path(void **state)
{
	char path[CGROUP_PATH_SIZE + 1];
	struct oci_cgroup_path item = { .controllers = "", .path = path };
	const struct oci_record record = { .cgroups = &item, .ncgroups = 1 };
	struct cgroup cgroup;
	struct fixture f;

	(void)state;
	parse(&f, hybrid_mounts, hybrid_own);
	memset(path, 'x', CGROUP_PATH_SIZE);
	path[0] = '/';
	path[CGROUP_PATH_SIZE] = '\0';
	assert_int_equal(cgroup_from_record(&f.arena, &record, &cgroup),
			 -ENAMETOOLONG);
	assert_string_equal(err_text(),
			    "the container's state.json has a cgroup path of "
			    "4096 bytes: file name too long");
	arena_close(&f.arena);
}

static void test_narrow(void **state)
{
	static const struct {
		struct oci_resources resources;
		bool devices;
		const char *expect[4];
	} cases[] = {
		{ { 0 }, true, { "", "devices" } },
		{ { 0 }, false, { "" } },
		{ { .cpu.shares = { true, 512 } },
		  true,
		  { "", "cpu,cpuacct", "devices" } },
		{ { .cpu.shares = { true, 512 } },
		  false,
		  { "", "cpu,cpuacct" } },
		/* No hierarchy of v1 has it: v2 is asked. */
		{ { .pids_limit = { true, 5 } }, true, { "", "devices" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cgroup cgroup;
		struct fixture f;

		parse(&f, hybrid_mounts, hybrid_own);
		assert_int_equal(cgroup_place(&f.arena, &f.layout,
					      CGROUP_CGROUPFS, NULL, "web1",
					      &cgroup),
				 0);
		assert_int_equal(cgroup_narrow(&f.arena, &cases[i].resources,
					       cases[i].devices, &cgroup),
				 0);
		for (size_t k = 0; k < cgroup.n; k++) {
			assert_non_null(cases[i].expect[k]);
			assert_string_equal(cgroup.items[k].controllers,
					    cases[i].expect[k]);
		}
		assert_null(cases[i].expect[cgroup.n]);
		arena_close(&f.arena);
	}
}

static void test_managers(void **state)
{
	struct cgroup cgroup;
	struct fixture f;

	(void)state;
	parse(&f, v2_mounts, "0::/\n");
	assert_int_equal(cgroup_place(&f.arena, &f.layout, CGROUP_DISABLED,
				      "/x", "web1", &cgroup),
			 0);
	assert_int_equal(cgroup.n, 0);
	assert_false(cgroup.by_systemd);
	assert_int_equal(cgroup_place(&f.arena, &f.layout, CGROUP_SYSTEMD,
				      "/a.slice/b-c.scope", "web1", &cgroup),
			 0);
	assert_true(cgroup.by_systemd);
	assert_string_equal(cgroup.items[0].path,
			    "/sys/fs/cgroup/a.slice/b-c.scope");
	arena_close(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_place_v2),
		cmocka_unit_test(test_place_hybrid),
		cmocka_unit_test(test_record_with_long_path),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_managers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
