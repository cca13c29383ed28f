/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_state.c - records survive, printed documents are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/oci.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static const struct oci_cgroup_path cgroups[] = {
	{ "cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/web1",
	  "/sys/fs/cgroup/cpu,cpuacct", 0 },
	{ "", "/sys/fs/cgroup/unified/web1", "/sys/fs/cgroup/unified",
	  18446744073709551615u },
};

static const struct oci_annotation annotations[] = {
	{ "org.example.key", "value" },
	{ "quoted\"key", "line\nbreak" },
};

static const struct oci_record bare = {
	.version = "1.0.2",
	.id = "web1",
	.bundle = "/srv/web1",
	.rootfs = "/srv/web1/rootfs",
	.created = "2024-05-06T07:08:09.123456789Z",
	.boot_id = "8c1f",
};

static struct oci_record full_record(void)
{
	struct oci_record record = bare;

	record.owner = 4294967295U;
	record.kept = true;
	record.hooks_begun = true;
	record.sandbox = true;
	record.pid = 4711;
	record.maker = 4321;
	record.maker_start = UINT64_MAX - 1;
	record.start_time = UINT64_MAX;
	for (size_t i = 0; i < OCI_NAMESPACES; i++)
		record.ns_inodes[i] = 4026531835U + i;
	record.cgroups = cgroups;
	record.ncgroups = COUNT(cgroups);
	record.own_cgroup = true;
	record.systemd_scope = "runc-web1.scope";
	record.systemd_user = true;
	record.annotations =
		(struct oci_annotations){ annotations, COUNT(annotations) };
	return record;
}

static void a_record_is_one_compact_text(void **state)
{
	const char *text;
	size_t len;

	assert_int_equal(oci_record_write(*state, &bare, &text, &len), 0);
	assert_string_equal(
		text,
		"{\"ociVersion\":\"1.0.2\",\"id\":\"web1\","
		"\"bundle\":\"/srv/web1\",\"rootfs\":\"/srv/web1/rootfs\","
		"\"created\":\"2024-05-06T07:08:09.123456789Z\",\"owner\":0,"
		"\"bootId\":\"8c1f\",\"kept\":false,\"hooksBegun\":false,"
		"\"maker\":0,\"makerStart\":0,"
		"\"pid\":0,\"startTime\":0,\"namespaces\":{\"user\":0,"
		"\"cgroup\":0,\"ipc\":0,\"uts\":0,\"network\":0,\"pid\":0,"
		"\"mount\":0,\"time\":0},\"cgroups\":[],\"ownCgroup\":false,"
		"\"systemdScope\":null}");
	assert_int_equal(len, strlen(text));
}

static void assert_same_record(const struct oci_record *a,
			       const struct oci_record *b)
{
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->id, b->id);
	assert_string_equal(a->bundle, b->bundle);
	assert_string_equal(a->rootfs, b->rootfs);
	assert_string_equal(a->created, b->created);
	assert_string_equal(a->boot_id, b->boot_id);
	assert_int_equal(a->owner, b->owner);
	assert_int_equal(a->kept, b->kept);
	assert_int_equal(a->hooks_begun, b->hooks_begun);
	assert_int_equal(a->sandbox, b->sandbox);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->maker, b->maker);
	assert_int_equal(a->maker_start, b->maker_start);
	assert_int_equal(a->start_time, b->start_time);
	assert_memory_equal(a->ns_inodes, b->ns_inodes, sizeof a->ns_inodes);
	assert_int_equal(a->own_cgroup, b->own_cgroup);
	assert_int_equal(!a->systemd_scope, !b->systemd_scope);
	if (a->systemd_scope)
		assert_string_equal(a->systemd_scope, b->systemd_scope);
	assert_int_equal(a->systemd_user, b->systemd_user);
	assert_int_equal(a->ncgroups, b->ncgroups);
	for (size_t i = 0; i < a->ncgroups; i++) {
		assert_string_equal(a->cgroups[i].controllers,
				    b->cgroups[i].controllers);
		assert_string_equal(a->cgroups[i].path, b->cgroups[i].path);
		assert_string_equal(a->cgroups[i].below, b->cgroups[i].below);
		assert_int_equal(a->cgroups[i].inode, b->cgroups[i].inode);
	}
	assert_int_equal(a->annotations.n, b->annotations.n);
	for (size_t i = 0; i < a->annotations.n; i++) {
		assert_string_equal(a->annotations.items[i].key,
				    b->annotations.items[i].key);
		assert_string_equal(a->annotations.items[i].value,
				    b->annotations.items[i].value);
	}
}

static void a_record_comes_back_as_it_went(void **state)
{
	const struct oci_record records[] = { bare, full_record() };
	struct oci_record back;
	const char *text;
	size_t len;

	for (size_t i = 0; i < COUNT(records); i++) {
		assert_int_equal(oci_record_write(*state, &records[i], &text,
						  &len),
				 0);
		if (oci_record_parse(*state, text, len, &back) < 0)
			fail_msg("%s", err_text());
		assert_same_record(&records[i], &back);
	}
}

static void a_cut_record_is_refused_at_every_length(void **state)
{
	const struct oci_record record = full_record();
	struct arena *arena = *state;
	struct oci_record back;
	const char *text;
	size_t len, used;

	assert_int_equal(oci_record_write(arena, &record, &text, &len), 0);
	used = arena->used;
	for (size_t cut = 0; cut < len; cut++) {
		assert_true(oci_record_parse(arena, text, cut, &back) < 0);
		memset(arena->memory + used, 0, arena->used - used);
		arena->used = used;
	}
}

/* text with the first from in it exchanged for to */
static const char *exchanged(struct arena *arena, const char *text,
			     const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to,
			    at + strlen(from));
}

static void a_damaged_record_is_refused_by_name(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} cases[] = {
		{ "\"id\":\"web1\"", "\"id\":1", "id: " },
		{ "\"id\":\"web1\"", "\"id\":\"\"", "id: " },
		{ "\"id\":\"web1\",", "", "id: required" },
		{ "\"/srv/web1\"", "\"srv/web1\"", "bundle: " },
		{ "\"/srv/web1/rootfs\"", "null", "rootfs: required" },
		{ "\"owner\":4294967295", "\"owner\":4294967296", "owner: " },
		{ "\"bootId\":", "\"boot\":", "bootId: required" },
		{ "\"kept\":true", "\"kept\":1", "kept: " },
		{ "\"hooksBegun\":true", "\"hooksBegun\":\"true\"",
		  "hooksBegun: " },
		{ "\"maker\":4321", "\"maker\":-1", "maker: " },
		{ "\"pid\":4711", "\"pid\":-1", "pid: -1 is not a pid" },
		{ "\"pid\":4711", "\"pid\":0",
		  "pid: required, because kept is true (the container was "
		  "created)" },
		{ "\"pid\":4711", "\"pid\":4711.5", "pid: " },
		{ "\"pid\":4711", "\"pid\":4294967297", "pid: " },
		{ "\"startTime\":18", "\"startTime\":-18", "startTime: " },
		{ "\"network\":", "\"net\":", "namespaces.network: required" },
		{ "\"cgroups\":[", "\"cgroups\":[7,", "cgroups[0]: " },
		{ "\"path\":\"/sys", "\"path\":\"sys", "cgroups[0].path: " },
		{ "\"ownCgroup\":true", "\"ownCgroup\":[]", "ownCgroup: " },
		{ "\"systemdScope\":\"runc-web1.scope\"", "\"systemdScope\":1",
		  "systemdScope: " },
		{ "\"value\"", "7", "annotations" },
		{ "\"annotations\":{", "\"annotations\":[{", "" },
		{ "{\"ociVersion\"", "[{\"ociVersion\"", "" },
	};
	const struct oci_record record = full_record();
	struct oci_record back = { .pid = 5 };
	const char *text, *damaged;

	assert_int_equal(oci_record_write(*state, &record, &text, NULL), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		damaged = exchanged(*state, text, cases[i].from, cases[i].to);
		err_clear();
		assert_true(oci_record_parse(*state, damaged, strlen(damaged),
					     &back) < 0);
		if (!strstr(err_text(), cases[i].message))
			fail_msg("'%s', not '%s'", err_text(),
				 cases[i].message);
		assert_int_equal(back.pid, 5);
	}
}

static void state_prints_what_runc_prints(void **state)
{
	const struct oci_record record = full_record();
	const char *text;

	assert_int_equal(oci_state_print(*state, &record, OCI_RUNNING, &text),
			 0);
	assert_string_equal(text,
			    "{\n"
			    "  \"ociVersion\": \"1.0.2\",\n"
			    "  \"id\": \"web1\",\n"
			    "  \"pid\": 4711,\n"
			    "  \"status\": \"running\",\n"
			    "  \"bundle\": \"/srv/web1\",\n"
			    "  \"rootfs\": \"/srv/web1/rootfs\",\n"
			    "  \"created\": \"2024-05-06T07:08:09.123456789Z\",\n"
			    "  \"annotations\": {\n"
			    "    \"org.example.key\": \"value\",\n"
			    "    \"quoted\\\"key\": \"line\\nbreak\"\n"
			    "  },\n"
			    "  \"owner\": \"\"\n"
			    "}\n");
}

static void a_stopped_container_has_no_pid(void **state)
{
	struct oci_record record = bare;
	const char *text;

	record.pid = 4711;
	assert_int_equal(oci_state_print(*state, &record, OCI_STOPPED, &text),
			 0);
	assert_string_equal(text,
			    "{\n"
			    "  \"ociVersion\": \"1.0.2\",\n"
			    "  \"id\": \"web1\",\n"
			    "  \"pid\": 0,\n"
			    "  \"status\": \"stopped\",\n"
			    "  \"bundle\": \"/srv/web1\",\n"
			    "  \"rootfs\": \"/srv/web1/rootfs\",\n"
			    "  \"created\": \"2024-05-06T07:08:09.123456789Z\",\n"
			    "  \"owner\": \"\"\n"
			    "}\n");
}

static void hooks_get_the_specified_fields(void **state)
{
	struct oci_record record = bare;
	const char *text;

	record.annotations = (struct oci_annotations){ annotations, 1 };
	assert_int_equal(oci_state_for_hook(*state, &record, OCI_CREATING, 12,
					    &text),
			 0);
	assert_string_equal(
		text,
		"{\"ociVersion\":\"1.0.2\",\"id\":\"web1\","
		"\"status\":\"creating\",\"pid\":12,\"bundle\":\"/srv/web1\","
		"\"annotations\":{\"org.example.key\":\"value\"}}");
	assert_int_equal(oci_state_for_hook(*state, &bare, OCI_STOPPED, 0,
					    &text),
			 0);
	assert_string_equal(text,
			    "{\"ociVersion\":\"1.0.2\",\"id\":\"web1\","
			    "\"status\":\"stopped\",\"bundle\":\"/srv/web1\"}");
}

static void agents_get_process_and_state(void **state)
{
	struct oci_record record = bare;
	const char *text;

	assert_int_equal(oci_state_for_agent(*state, &record, OCI_CREATING, 12,
					     "meta", &text),
			 0);
	assert_string_equal(
		text,
		"{\"ociVersion\":\"1.0.2\",\"fds\":[\"seccompFd\"],\"pid\":12,"
		"\"metadata\":\"meta\",\"state\":{\"ociVersion\":\"1.0.2\","
		"\"id\":\"web1\",\"status\":\"creating\",\"pid\":12,"
		"\"bundle\":\"/srv/web1\"}}");
	record.pid = 7;
	assert_int_equal(oci_state_for_agent(*state, &record, OCI_RUNNING, 12,
					     NULL, &text),
			 0);
	assert_string_equal(
		text,
		"{\"ociVersion\":\"1.0.2\",\"fds\":[\"seccompFd\"],\"pid\":12,"
		"\"state\":{\"ociVersion\":\"1.0.2\",\"id\":\"web1\","
		"\"status\":\"running\",\"pid\":7,"
		"\"bundle\":\"/srv/web1\"}}");
}

static void list_is_one_line(void **state)
{
	const struct oci_list_row rows[] = {
		{ &bare, OCI_CREATED, "root" },
		{ &bare, OCI_STOPPED, "1000" },
	};
	const char *text;

	assert_int_equal(oci_list_print(*state, NULL, 0, &text), 0);
	assert_string_equal(text, "null\n");
	assert_int_equal(oci_list_print(*state, rows, 2, &text), 0);
	assert_string_equal(
		text, "[{\"ociVersion\":\"1.0.2\",\"id\":\"web1\",\"pid\":0,"
		      "\"status\":\"created\",\"bundle\":\"/srv/web1\","
		      "\"rootfs\":\"/srv/web1/rootfs\","
		      "\"created\":\"2024-05-06T07:08:09.123456789Z\","
		      "\"owner\":\"root\"},"
		      "{\"ociVersion\":\"1.0.2\",\"id\":\"web1\",\"pid\":0,"
		      "\"status\":\"stopped\",\"bundle\":\"/srv/web1\","
		      "\"rootfs\":\"/srv/web1/rootfs\","
		      "\"created\":\"2024-05-06T07:08:09.123456789Z\","
		      "\"owner\":\"1000\"}]\n");
}

static const struct json_value *tree(struct arena *arena, const char *text)
{
	const struct json_value *root = NULL;

	if (json_parse(arena, text, strlen(text), &root) < 0)
		fail_msg("%s", err_text());
	return root;
}

static void the_template_follows_who_asks(void **state)
{
	const struct oci_template for_root = { .cgroup_namespace = true };
	const struct oci_template for_user = { .rootless = true,
					       .uid = 1000,
					       .gid = 100 };
	const char *root, *rootless;

	assert_int_equal(oci_spec_template(*state, &for_root, &root), 0);
	assert_int_equal(oci_spec_template(*state, &for_user, &rootless), 0);
	assert_non_null(strstr(root, "\"type\": \"cgroup\"\n"));
	assert_null(strstr(rootless, "\"type\": \"cgroup\"\n"));
	assert_int_equal(json_find(tree(*state, root), "mounts")->n, 7);
	assert_int_equal(json_find(tree(*state, rootless), "mounts")->n, 7);
	assert_non_null(strstr(root, "\"type\": \"network\""));
	assert_non_null(strstr(root, "\"gid=5\""));
	assert_non_null(strstr(root, "\"resources\""));
	assert_null(strstr(root, "\"uidMappings\""));
	assert_null(strstr(root, "\"type\": \"user\""));
	assert_null(strstr(root, "\"ambient\""));
	assert_null(strstr(root, "\"inheritable\""));

	assert_null(strstr(rootless, "\"type\": \"network\""));
	assert_null(strstr(rootless, "\"gid=5\""));
	assert_null(strstr(rootless, "\"resources\""));
	assert_non_null(strstr(rootless, "\"type\": \"user\""));
	assert_non_null(strstr(rootless, "\"hostID\": 1000,"));
	assert_non_null(strstr(rootless, "\"hostID\": 100,"));
	assert_non_null(strstr(rootless, "\"rbind\""));
}

static void features_are_complete(void **state)
{
	const char *options[] = { "rro", "bind", "noexec", NULL };
	const struct oci_feature_facts facts = {
		.version = "0.1",
		.commit = "",
		.libseccomp_version = "2.5.4",
		.mount_options = { options, 3 },
		.capabilities = { options, 3 },
	};
	const struct json_value *root, *linux_;
	const char *text;

	assert_int_equal(oci_features_print(*state, &facts, &text), 0);
	root = tree(*state, text);
	linux_ = json_find(root, "linux");
	assert_int_equal(json_find(root, "hooks")->n, 6);
	assert_int_equal(json_find(linux_, "capabilities")->n, 3);
	assert_int_equal(json_find(linux_, "namespaces")->n, 8);
	assert_int_equal(json_find(json_find(linux_, "seccomp"), "archs")->n,
			 0);
	assert_non_null(strstr(text, "  \"mountOptions\": [\n"
				     "    \"bind\",\n"
				     "    \"noexec\",\n"
				     "    \"rro\"\n  ],\n"));
	assert_string_equal(options[0], "rro");
	assert_null(strstr(text, "io.sandlock.commit"));
	assert_non_null(strstr(text, "\"io.sandlock.version\": \"0.1\""));
	assert_non_null(strstr(text, "\"ociVersionMax\": \"1.3.0\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_one_compact_text),
		cmocka_unit_test(a_record_comes_back_as_it_went),
		cmocka_unit_test(a_cut_record_is_refused_at_every_length),
		cmocka_unit_test(a_damaged_record_is_refused_by_name),
		cmocka_unit_test(state_prints_what_runc_prints),
		cmocka_unit_test(a_stopped_container_has_no_pid),
		cmocka_unit_test(hooks_get_the_specified_fields),
		cmocka_unit_test(agents_get_process_and_state),
		cmocka_unit_test(list_is_one_line),
		cmocka_unit_test(the_template_follows_who_asks),
		cmocka_unit_test(features_are_complete),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
