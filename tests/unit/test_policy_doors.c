/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy_doors.c - annotations of pods. */
#include "base/util.h"
#include "policy/near.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_state.h"

/* ---- annotations ---- */

#define ANNOTATIONS(...)                                                      \
	(&(const struct oci_annotations){                                     \
		.items = (const struct oci_annotation[]){ __VA_ARGS__ },      \
		.n = sizeof((const struct oci_annotation[]){ __VA_ARGS__ }) / \
		     sizeof(struct oci_annotation) })

static const char *profile;

static int read_annotations(const struct oci_annotations *all,
			    const char *container, struct policy *ret)
{
	*ret = (struct policy){ 0 };
	profile = "untouched";
	return policy_from_annotations(&arena, all, container, NULL, &nowhere,
				       ret, &profile);
}

static void foreign_annotations_are_none_of_ours(void **state)
{
	const struct oci_annotations *all =
		ANNOTATIONS({ "org.example", "x" },
			    { "io.sandlockx.filesystem.read", "x" },
			    { "xio.sandlock.filesystem.read", "" },
			    { "io.sandbox.read", "\n" }, { "sandlock", "x" });
	struct policy policy;

	(void)state;
	assert_false(policy_is_annotated(all));
	assert_int_equal(read_annotations(all, NULL, &policy), 0);
	says(&policy, "");
	assert_null(profile);
	assert_true(policy_is_annotated(
		ANNOTATIONS({ "a", "b" }, { "io.sandlock.typo", "x" })));
	assert_true(policy_is_annotated(
		ANNOTATIONS({ "web.io.sandlock/limits.cpu", "1" })));
}

static void the_container_wins_over_the_pod(void **state)
{
	const struct oci_annotations *all =
		ANNOTATIONS({ "web.io.sandlock/filesystem.read", "/web" },
			    { "io.sandlock.filesystem.read", "/pod;/all" },
			    { "io.sandlock.limits.cpu", "50" },
			    { "db.io.sandlock/limits.cpu", "10" },
			    { "db.io.sandlock/limits.tasks", "3" },
			    { "io.sandlock.profile", "pod" },
			    { "db.io.sandlock/profile", "db" });
	struct policy policy;

	(void)state;
	assert_int_equal(read_annotations(all, "web", &policy), 0);
	says(&policy, "[filesystem]\nread = [\"/web\"]\n\n"
		      "[limits]\ncpu = 50\n");
	assert_string_equal(profile, "pod");
	assert_string_equal(policy.origin[KEY_READ],
			    "web.io.sandlock/filesystem.read");
	assert_int_equal(read_annotations(all, "db", &policy), 0);
	says(&policy, "[filesystem]\nread = [\"/pod\", \"/all\"]\n\n"
		      "[limits]\ntasks = 3\ncpu = 10\n");
	assert_string_equal(profile, "db");
	assert_int_equal(read_annotations(all, "we", &policy), 0);
	assert_int_equal(policy.cpu, 50);
}

static void names_and_kinds_of_containers(void **state)
{
	const struct oci_annotations *containerd =
		ANNOTATIONS({ "io.kubernetes.cri.container-type", "sandbox" },
			    { "web.io.sandlock/limits.cpu", "10" },
			    { "io.sandlock.network.mode", "open" });
	const struct oci_annotations *crio =
		ANNOTATIONS({ "io.kubernetes.cri-o.ContainerType",
			      "container" },
			    { "io.kubernetes.container.name", "web" });
	struct policy policy;

	(void)state;
	assert_true(policy_is_infra(containerd));
	assert_null(policy_container_name(containerd));
	assert_int_equal(read_annotations(containerd, NULL, &policy), 0);
	says(&policy, "[network]\nmode = \"open\"\n");
	assert_false(policy_is_infra(crio));
	assert_string_equal(policy_container_name(crio), "web");
	assert_string_equal(policy_container_name(ANNOTATIONS(
				    { "io.kubernetes.cri.container-name", "db" },
				    { "io.kubernetes.container.name", "web" })),
			    "db");
	assert_true(policy_is_infra(ANNOTATIONS(
		{ "io.kubernetes.cri-o.ContainerType", "sandbox" })));
	assert_false(policy_is_infra(ANNOTATIONS({ "a", "sandbox" })));
}

static void wrong_annotations_are_refused(void **state)
{
	static const struct {
		struct oci_annotation annotation;
		const char *why;
	} cases[] = {
		{ { "io.sandlock.filesystem.reed", "/" },
		  "io.sandlock.filesystem.reed: unknown key \"reed\" = \"/\" "
		  "(known: read, write, " },
		{ { "io.sandlock.http.credential", "{\"a\": \"secret\"}" },
		  "unknown key \"credential\", a table (known: allow, " },
		{ { "io.sandlock.filesistem.read", "/" },
		  "io.sandlock.filesistem.read: unknown section "
		  "\"filesistem\" = \"/\" (known: config, determinism, " },
		{ { "io.sandlock.filesystem", "/" }, "unknown key" },
		{ { "io.sandlock.config.typo", "/" },
		  "io.sandlock.config.typo: unknown key" },
		{ { "io.sandlock.", "/" }, "io.sandlock.: unknown section" },
		{ { "io.sandlock", "/" }, "io.sandlock: unknown section" },
		{ { "io.sandlock/filesystem.read", "/" },
		  "io.sandlock/filesystem.read: unknown section" },
		{ { "web.io.sandlock/limits.cup", "1" },
		  "web.io.sandlock/limits.cup: unknown key" },
		/* For another container: a typo is a typo. */
		{ { "db.io.sandlock/limits.cpu", "0" },
		  "db.io.sandlock/limits.cpu: '0' is not a number" },
		{ { "io.sandlock.limits.cpu", "0" },
		  "io.sandlock.limits.cpu: '0' is not a number" },
		{ { "io.sandlock.limits.cpu", "" },
		  "io.sandlock.limits.cpu: is empty" },
		{ { "io.sandlock.program.exec", "x" },
		  "io.sandlock.program.exec: cannot be set for a bundle" },
		{ { "io.sandlock.config.http_ca", "/x" },
		  "io.sandlock.config.http_ca: affects the host: the operator "
		  "must allow it (--allow-annotations config.http_ca)" },
		{ { "io.sandlock.profile", "../x" },
		  "io.sandlock.profile: '../x' is a path, not a profile name" },
		{ { "io.sandlock.profile", "" },
		  "io.sandlock.profile: is empty" },
		{ { "io.sandlock.program.env", "A=B" },
		  "io.sandlock.program.env: is not a JSON object" },
		{ { "io.sandlock.program.env", "[]" },
		  "io.sandlock.program.env: is not a JSON object" },
		{ { "io.sandlock.program.env", "{\"A\": 1}" },
		  "A: the value must be a string" },
		{ { "io.sandlock.program.env", "{\"A\": \"\\u0007\"}" },
		  "contains a control byte (0x07)" },
		{ { "io.sandlock.program.env", "{\"A\": {}}" },
		  "A: the value must be a string" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct oci_annotations one = {
			.items = &cases[i].annotation, .n = 1
		};
		const struct policy nothing = { 0 };
		struct policy policy;

		refused(read_annotations(&one, "web", &policy), cases[i].why);
		assert_memory_equal(&policy, &nothing, sizeof policy);
		assert_string_equal(profile, "untouched");
	}
}

static void two_names_of_one_key_are_refused(void **state)
{
	struct policy policy;

	(void)state;
	refused(read_annotations(ANNOTATIONS({ "io.sandlock.network.bind",
					       "80" },
					     { "io.sandlock.network.allow_bind",
					       "80" }),
				 "web", &policy),
		"io.sandlock.network.allow_bind: is given twice, also as "
		"io.sandlock.network.bind");
	/* One for the pod and one for the container is no such thing. */
	assert_int_equal(
		read_annotations(
			ANNOTATIONS({ "io.sandlock.network.bind", "80" },
				    { "web.io.sandlock/network.allow_bind",
				      "81" }),
			"web", &policy),
		0);
	says(&policy, "[network]\nbind = [\"81\"]\n");
}

/* Whom it is for cannot be known: it must not be dropped in silence. */
static void a_container_without_a_name(void **state)
{
	struct policy policy;

	(void)state;
	refused(read_annotations(ANNOTATIONS(
					 { "web.io.sandlock/limits.cpu", "1" }),
				 NULL, &policy),
		"web.io.sandlock/limits.cpu: this container has no name: write "
		"io.sandlock.limits.cpu instead");
	refused(read_annotations(ANNOTATIONS({ ".io.sandlock/limits.cpu", "1" }),
				 NULL, &policy),
		".io.sandlock/limits.cpu: the container name is empty: "
		"write CONTAINER.io.sandlock/limits.cpu, or "
		"io.sandlock.limits.cpu for all containers of a pod");
	refused(read_annotations(ANNOTATIONS({ ".io.sandlock/limits.cpu", "1" }),
				 "web", &policy),
		"the container name is empty");
}

static void what_is_nearly_ours(void **state)
{
	static const char *const near[] = {
		"io.sandlok.limits.cpu",     "io.sandlockk.limits.cpu",
		"io.sandlcok.limits.cpu",    "io.sandlack/limits.cpu",
		"IO.Sandlock.limits.cpu",    "io.SANDLOCK.limits.cpu",
		"sandlock.io/limits.cpu",    "sandlock.limits.cpu",
		"web.io.sandlok/limits.cpu", "web.io.sandlock.limits.cpu",
	};
	static const char *const far[] = {
		"org.example",
		"io.sandbox.read",
		"sandlock",
		"io.sandlockery.x",
		"org.example.io.sandlock",
		"",
		"io.kubernetes.cri-o.ContainerType",
		".",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(near); i++)
		if (!near_is_ours(near[i]))
			fail_msg("%s", near[i]);
	for (size_t i = 0; i < COUNT(far); i++)
		if (near_is_ours(far[i]))
			fail_msg("%s", far[i]);
}

static void the_operator_allows_single_keys(void **state)
{
	const struct strings allowed = {
		.items = (const char *[]){ "config.http_ca", NULL }, .n = 1
	};
	struct policy policy = { 0 };

	(void)state;
	assert_int_equal(policy_from_annotations(
				 &arena,
				 ANNOTATIONS({ "io.sandlock.config.http_ca",
					       "/ca" }),
				 NULL, &allowed, &nowhere, &policy, &profile),
			 0);
	says(&policy, "[config]\nhttp_ca = \"/ca\"\n");
	refused(policy_from_annotations(&arena,
					ANNOTATIONS(
						{ "io.sandlock.config.http_key",
						  "/key" }),
					NULL, &allowed, &nowhere, &policy,
					&profile),
		"--allow-annotations config.http_key");
}

static void keys_that_the_operator_may_allow(void **state)
{
	static const char *const expected[] = {
		"config.fs_storage",  "config.http_ca",	  "config.http_key",
		"config.http_ca_out", "filesystem.mount", "http.credentials",
	};
	struct strings keys = { 0 };

	(void)state;
	assert_int_equal(policy_asked_keys(&arena, &keys), 0);
	assert_int_equal(keys.n, COUNT(expected));
	for (size_t i = 0; i < keys.n; i++)
		assert_string_equal(keys.items[i], expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_annotations_are_none_of_ours),
		cmocka_unit_test(the_container_wins_over_the_pod),
		cmocka_unit_test(names_and_kinds_of_containers),
		cmocka_unit_test(wrong_annotations_are_refused),
		cmocka_unit_test(two_names_of_one_key_are_refused),
		cmocka_unit_test(a_container_without_a_name),
		cmocka_unit_test(what_is_nearly_ours),
		cmocka_unit_test(the_operator_allows_single_keys),
		cmocka_unit_test(keys_that_the_operator_may_allow),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
