/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_spec.c - config.json: each field right, and of wrong type. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/oci.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/spec_sample.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define ARENA ((size_t)48 << 20)

/* C likes single quotes better than JSON does. */
static char *quoted(const char *text)
{
	char *json = strdup(text);

	assert_non_null(json);
	for (char *p = json; *p; p++)
		if (*p == '\'')
			*p = '"';
	return json;
}

/* With an arena of its own; the text has exactly len bytes. */
static int parses(const char *text, size_t len)
{
	AUTO(arena_close) struct arena arena = { 0 };
	autofree char *exact = malloc(len ? len : 1);
	struct oci_spec spec;

	assert_int_equal(arena_open(&arena, ARENA), 0);
	assert_non_null(exact);
	memcpy(exact, text, len);
	err_clear();
	return oci_spec_parse(&arena, exact, len, &spec);
}

static struct oci_spec parse(struct arena *arena, const char *text)
{
	char *json = quoted(text);
	char *copy = arena_strdup(arena, json);
	struct oci_spec spec = { 0 };

	free(json);
	assert_non_null(copy);
	if (oci_spec_parse(arena, copy, strlen(copy), &spec) < 0)
		fail_msg("%s", err_text());
	return spec;
}

static void process_is_read(void **state)
{
	struct oci_spec spec = parse(*state, spec_sample);
	const struct oci_process *p = spec.process;

	assert_true(p->terminal && p->has_console_size);
	assert_int_equal(p->console_height, 24);
	assert_int_equal(p->console_width, 80);
	assert_int_equal(p->user.uid, 1000);
	assert_int_equal(p->user.gid, 4294967294);
	assert_true(p->user.has_umask);
	assert_int_equal(p->user.umask, 022);
	assert_int_equal(p->user.ngroups, 2);
	assert_int_equal(p->user.groups[1], 6);
	assert_int_equal(p->args.n, 3);
	assert_string_equal(p->args.items[2], "");
	assert_null(p->args.items[3]);
	assert_int_equal(p->env.n, 3);
	assert_string_equal(p->env.items[0], "PATH=/bin");
	assert_string_equal(p->env.items[1], "A=2=3");
	assert_string_equal(p->env.items[2], "EMPTY=");
	assert_null(p->env.items[3]);
	assert_string_equal(oci_env_get(&p->env, "A"), "2=3");
	assert_string_equal(oci_env_get(&p->env, "EMPTY"), "");
	assert_null(oci_env_get(&p->env, "PAT"));
	assert_string_equal(p->cwd, "/srv");
	assert_int_equal(p->capabilities->bounding.n, 2);
	assert_string_equal(p->capabilities->bounding.items[0], "CAP_KILL");
	assert_string_equal(p->capabilities->bounding.items[1], "CAP_CHOWN");
	assert_null(p->capabilities->bounding.items[2]);
	assert_int_equal(p->capabilities->effective.n, 1);
	assert_string_equal(p->capabilities->effective.items[0], "CAP_KILL");
	assert_int_equal(p->capabilities->inheritable.n, 1);
	assert_string_equal(p->capabilities->inheritable.items[0],
			    "CAP_NOT_YET");
	assert_int_equal(p->capabilities->permitted.n, 2);
	assert_int_equal(p->capabilities->ambient.n, 1);
	assert_string_equal(p->capabilities->ambient.items[0],
			    "CAP_CHECKPOINT_RESTORE");
	assert_int_equal(p->nrlimits, 2);
	assert_int_equal(p->rlimits[0].type, RLIMIT_NOFILE);
	assert_int_equal(p->rlimits[0].soft, 1024);
	assert_true(p->rlimits[0].hard == UINT64_MAX);
	assert_true(p->no_new_privileges);
	assert_string_equal(p->apparmor_profile, "docker-default");
	assert_string_equal(p->selinux_label, "system_u:system_r:svirt_t:s0");
	assert_true(p->oom_score_adj.set && p->oom_score_adj.value == -500);
	assert_int_equal(p->scheduler->policy, SCHED_DEADLINE);
	assert_int_equal(p->scheduler->flags,
			 SCHED_FLAG_RECLAIM | SCHED_FLAG_RESET_ON_FORK);
	assert_true(p->scheduler->period == UINT64_C(9007199254740993));
	assert_int_equal(p->io_priority->class, 2);
	assert_int_equal(p->io_priority->priority, 7);
	assert_string_equal(p->affinity_initial, "0-1");
	assert_string_equal(p->affinity_final, "2,3");
}

static void top_level_mounts_and_hooks_are_read(void **state)
{
	struct oci_spec spec = parse(*state, spec_sample);
	const struct oci_hook_list *hooks = spec.hooks.at;

	assert_string_equal(spec.version, "1.3.0-rc.1+build.07");
	assert_string_equal(spec.root_path, "rootfs");
	assert_true(spec.root_readonly);
	assert_string_equal(spec.hostname, "web1");
	assert_string_equal(spec.domainname, "example.org");
	assert_int_equal(spec.json_len, sizeof spec_sample - 1);
	assert_int_equal(spec.annotations.n, 2);
	assert_string_equal(oci_annotation(&spec.annotations, "empty"), "");
	assert_null(oci_annotation(&spec.annotations, "none"));
	assert_int_equal(spec.nmounts, 2);
	assert_string_equal(spec.mounts[0].destination, "/dev/pts");
	assert_string_equal(spec.mounts[0].source, "devpts");
	assert_string_equal(spec.mounts[0].options.items[1], "mode=0620");
	assert_false(spec.mounts[0].has_mappings);
	assert_string_equal(spec.mounts[1].destination, "/data");
	assert_null(spec.mounts[1].type);
	assert_true(spec.mounts[1].has_mappings);
	assert_int_equal(spec.mounts[1].uid_mappings.items[1].host_id, 5000);
	assert_int_equal(spec.mounts[1].gid_mappings.items[0].size, UINT32_MAX);
	for (int i = 0; i < HOOK_POINTS; i++)
		assert_int_equal(hooks[i].n, i == HOOK_CREATE_RUNTIME ? 2 : 1);
	assert_string_equal(hooks[HOOK_POSTSTOP].items[0].path, "/g");
	assert_string_equal(hooks[HOOK_CREATE_RUNTIME].items[0].args.items[1],
			    "-x");
	assert_true(hooks[HOOK_CREATE_RUNTIME].items[0].has_env);
	assert_int_equal(hooks[HOOK_CREATE_RUNTIME].items[0].timeout, 30);
	assert_false(hooks[HOOK_CREATE_RUNTIME].items[1].has_env);
}

static void linux_is_read(void **state)
{
	struct oci_spec spec = parse(*state, spec_sample);
	const struct oci_linux *l = &spec.linux_;

	for (int i = 0; i < OCI_NAMESPACES; i++)
		assert_true(l->namespaces[i].listed);
	assert_string_equal(l->namespaces[OCI_NS_NETWORK].path, "/run/netns/x");
	assert_null(l->namespaces[OCI_NS_PID].path);
	assert_int_equal(l->uid_mappings.items[0].host_id, 100000);
	assert_int_equal(l->gid_mappings.items[0].size, 65536);
	assert_true(l->monotonic.set && l->monotonic.secs == -5);
	assert_int_equal(l->monotonic.nanosecs, 999999999);
	assert_true(l->boottime.set && l->boottime.secs == 7);
	assert_int_equal(l->ndevices, 3);
	assert_int_equal(l->devices[0].type, S_IFCHR);
	assert_int_equal(l->devices[0].mode, 0666);
	assert_int_equal(l->devices[0].minor, 229);
	assert_int_equal(l->devices[0].gid, 2);
	assert_int_equal(l->devices[1].type, S_IFIFO);
	assert_false(l->devices[1].has_mode);
	assert_string_equal(l->devices[2].path, "/dev/sda");
	assert_int_equal(l->nnet_devices, 2);
	assert_string_equal(l->net_devices[0].name, "net0");
	assert_string_equal(l->net_devices[1].name, "wlan0");
	assert_string_equal(l->cgroups_path, "/a/b..c");
	assert_string_equal(l->rootfs_propagation_name, "rslave");
	assert_int_equal(l->rootfs_propagation, MS_SLAVE | MS_REC);
	assert_string_equal(l->masked_paths.items[1], "/proc/keys");
	assert_string_equal(l->readonly_paths.items[0], "/proc/sys");
	assert_string_equal(l->mount_label,
			    "system_u:object_r:svirt_file_t:s0");
	assert_int_equal(l->nsysctls, 3);
	assert_string_equal(l->sysctls[0].path,
			    "net/ipv4/conf/eth0.1/forwarding");
	assert_string_equal(l->sysctls[1].path, "kernel/shm_rmid_forced");
	assert_string_equal(l->sysctls[2].value, "5");
	assert_string_equal(l->intel_rdt->clos_id, "guaranteed");
	assert_string_equal(l->intel_rdt->mem_bw_schema, "MB:0=20;1=70");
	assert_string_equal(l->intel_rdt->schemata.items[0], "L3:0=f");
	assert_true(l->intel_rdt->enable_monitoring);
	assert_true(l->has_personality && l->personality == PER_LINUX32);
	assert_int_equal(l->memory_policy->mode, 2 | 1 << 15);
	assert_string_equal(l->memory_policy->nodes, "0");
}

static void resources_are_read(void **state)
{
	struct oci_spec spec = parse(*state, spec_sample);
	const struct oci_resources *r = &spec.linux_.resources;

	assert_int_equal(r->ndevices, 2);
	assert_false(r->devices[0].allow);
	assert_int_equal(r->devices[0].type, 'a');
	assert_int_equal(r->devices[0].major, -1);
	assert_true(r->devices[1].r && r->devices[1].w && !r->devices[1].m);
	assert_true(r->memory.limit.value == INT64_C(9007199254740993));
	assert_int_equal(r->memory.reservation.value, 2);
	assert_int_equal(r->memory.swap.value, -1);
	assert_int_equal(r->memory.kernel.value, 4);
	assert_int_equal(r->memory.kernel_tcp.value, 5);
	assert_int_equal(r->memory.swappiness.value, 100);
	assert_true(r->memory.disable_oom_killer.value);
	assert_true(r->memory.use_hierarchy.set);
	assert_false(r->memory.use_hierarchy.value);
	assert_true(r->memory.check_before_update.value);
	assert_int_equal(r->cpu.shares.value, 1024);
	assert_int_equal(r->cpu.quota.value, -1);
	assert_int_equal(r->cpu.burst.value, 10);
	assert_int_equal(r->cpu.period.value, 100000);
	assert_int_equal(r->cpu.realtime_runtime.value, 950000);
	assert_int_equal(r->cpu.realtime_period.value, 1000000);
	assert_string_equal(r->cpu.cpus, "0-3");
	assert_string_equal(r->cpu.mems, "0");
	assert_int_equal(r->cpu.idle.value, 1);
	assert_true(r->pids_limit.set && r->pids_limit.value == 0);
	assert_int_equal(r->block_io.weight.value, 10);
	assert_int_equal(r->block_io.leaf_weight.value, 1000);
	assert_int_equal(r->block_io.weight_devices[0].leaf_weight.value, 300);
	assert_int_equal(r->block_io.read_bps.items[0].rate, 600);
	assert_int_equal(r->block_io.write_bps.items[0].rate, 601);
	assert_int_equal(r->block_io.read_iops.items[0].rate, 602);
	assert_int_equal(r->block_io.write_iops.items[0].minor, 4);
	assert_string_equal(r->hugepage_limits[0].page_size, "2MB");
	assert_true(r->hugepage_limits[0].limit == UINT64_MAX);
	assert_int_equal(r->network.class_id.value, 1048577);
	assert_int_equal(r->network.priorities[0].priority, 500);
	assert_string_equal(r->rdma[0].device, "mlx5_1");
	assert_int_equal(r->rdma[0].objects.value, 10000);
	assert_string_equal(r->unified[0].key, "memory.high");
}

static void seccomp_is_read(void **state)
{
	struct oci_spec spec = parse(*state, spec_sample);
	const struct oci_seccomp *s = spec.linux_.seccomp;

	assert_int_equal(s->default_action, SECCOMP_RET_ERRNO | 38);
	assert_int_equal(s->narchitectures, 2);
	assert_int_equal(s->architectures[0], AUDIT_ARCH_X86_64);
	assert_int_equal(s->architectures[1], OCI_ARCH_X32);
	assert_true(s->has_flags);
	assert_int_equal(s->flags, SECCOMP_FILTER_FLAG_LOG);
	assert_string_equal(s->listener_path, "/run/agent.sock");
	assert_string_equal(s->listener_metadata, "m");
	assert_int_equal(s->nrules, 3);
	assert_string_equal(s->rules[0].names.items[1], "no_such_call");
	assert_int_equal(s->rules[0].action, SECCOMP_RET_ALLOW);
	assert_int_equal(s->rules[0].args[0].index, 5);
	assert_int_equal(s->rules[0].args[0].value, 2114060288);
	assert_true(s->rules[0].args[0].value_two == UINT64_MAX);
	assert_int_equal(s->rules[0].args[0].op, OCI_CMP_MASKED_EQ);
	assert_int_equal(s->rules[1].action, SECCOMP_RET_USER_NOTIF);
	assert_int_equal(s->rules[2].action, SECCOMP_RET_TRACE | 65535);
}

/* The tree as text again, with one value replaced. */
static void print(FILE *out, const struct json_value *v,
		  const struct json_value *victim, const char *instead)
{
	bool map = v->type == JSON_OBJECT;
	const char *separator = "";

	if (v == victim) {
		fputs(instead, out);
	} else if (v->type == JSON_BOOL) {
		fputs(v->truth ? "true" : "false", out);
	} else if (v->type == JSON_NUMBER) {
		fputs(v->text, out);
	} else if (v->type == JSON_STRING) {
		fprintf(out, "\"%s\"", v->text);
	} else {
		fputc(map ? '{' : '[', out);
		json_each (member, v) {
			fputs(separator, out);
			separator = ",";
			if (map)
				fprintf(out, "\"%s\":", member->key);
			print(out, member, victim, instead);
		}
		fputc(map ? '}' : ']', out);
	}
}

struct place {
	const struct json_value *root;
	const struct json_value *v;
	const char *path;
};

static int parse_with(const struct place *at, const char *instead)
{
	autofree char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	print(out, at->root, at->v, instead);
	assert_int_equal(fclose(out), 0);
	return parses(text, len);
}

static void expect_refused(const struct place *at, const char *instead)
{
	size_t len = strlen(at->path);

	if (parse_with(at, instead) == 0)
		fail_msg("%s: %s was taken", at->path, instead);
	if (strncmp(err_text(), at->path, len) != 0 ||
	    (len > 0 && err_text()[len] != ':'))
		fail_msg("%s: %s gives '%s'", at->path, instead, err_text());
}

static void try_wrong_types(const struct place *at)
{
	static const struct {
		enum json_type type;
		const char *text;
	} samples[] = {
		{ JSON_BOOL, "true" },	    { JSON_NUMBER, "7" },
		{ JSON_STRING, "\"7\"" },   { JSON_ARRAY, "[]" },
		{ JSON_ARRAY, "[[null]]" }, { JSON_OBJECT, "{}" },
	};
	static const char *const no_integers[] = {
		"0.5",
		"1e309",
		"1e1",
		"1.0",
		"18446744073709551616",
		"-9223372036854775809",
		"-9223372036854775808",
	};

	for (size_t i = 0; i < COUNT(samples); i++)
		if (samples[i].type != at->v->type)
			expect_refused(at, samples[i].text);
	if (at->v->type == JSON_STRING)
		expect_refused(at, "\"a\\u0000b\"");
	if (at->v->type != JSON_NUMBER)
		return;
	/* The last one is a number where numbers may be negative. */
	for (size_t i = 0; i + 1 < COUNT(no_integers); i++)
		expect_refused(at, no_integers[i]);
	(void)parse_with(at, no_integers[COUNT(no_integers) - 1]);
}

/* Every value of the sample replaced by everything it must not be. */
static void walk(struct arena *arena, const struct place *at)
{
	size_t i = 0;

	try_wrong_types(at);
	(void)parse_with(at, "null");
	if (at->v->type != JSON_ARRAY && at->v->type != JSON_OBJECT)
		return;
	json_each (member, at->v) {
		struct place below = { .root = at->root, .v = member };

		if (member->key)
			below.path = arena_printf(arena, "%s%s%s", at->path,
						  *at->path ? "." : "",
						  member->key);
		else
			below.path =
				arena_printf(arena, "%s[%zu]", at->path, i++);
		assert_non_null(below.path);
		walk(arena, &below);
	}
}

static void wrong_types_are_refused_everywhere(void **state)
{
	autofree char *text = quoted(spec_sample);
	const struct json_value *root;

	assert_int_equal(json_parse(*state, text, strlen(text), &root), 0);
	walk(*state, &(struct place){ .root = root, .v = root, .path = "" });
}

static void truncated_files_are_refused(void **state)
{
	autofree char *text = quoted(spec_sample);
	size_t len = strrchr(text, '}') - text;

	(void)state;
	for (size_t i = 0; i <= len; i++)
		assert_true(parses(text, i) < 0);
	assert_int_equal(parses(text, len + 1), 0);
}

static void nothing_optional_is_needed(void **state)
{
	struct oci_spec spec = parse(
		*state,
		"{'OCIVERSION': '1.0.0', 'root': {'Path': '/r'}, 'process': "
		"{'args': ['a'], 'cwd': '/', 'user': null, 'consoleSize': "
		"null, 'apparmorProfile': 'unconfined', 'later': {'x': 1}}, "
		"'linux': {'resources': null, 'seccomp': {}, 'maskedPaths': "
		"[], 'rootfsPropagation': '', 'sysctl': null, 'intelRdt': {}},"
		" 'hostname': '', 'mounts': null, 'windows': 5}");

	assert_string_equal(spec.root_path, "/r");
	assert_non_null(spec.process->env.items);
	assert_null(spec.process->env.items[0]);
	assert_null(spec.process->apparmor_profile);
	assert_null(spec.process->capabilities);
	assert_false(spec.process->oom_score_adj.set);
	assert_null(spec.hostname);
	assert_null(spec.linux_.seccomp);
	assert_null(spec.linux_.rootfs_propagation_name);
	assert_non_null(spec.linux_.intel_rdt);
	assert_false(spec.linux_.resources.memory.limit.set);
}

static void the_annotation_names_the_listener(void **state)
{
	struct oci_spec spec = parse(
		*state,
		"{'ociVersion': '1.0.0', 'root': {'path': 'r'}, 'process': "
		"{'args': ['a'], 'cwd': '/'}, 'annotations': "
		"{'run.oci.seccomp.receiver': '/run/s'}, 'linux': {'seccomp': "
		"{'defaultAction': 'SCMP_ACT_ALLOW', 'syscalls': [{'names': "
		"['mkdir'], 'action': 'SCMP_ACT_NOTIFY'}]}}}");

	assert_string_equal(spec.linux_.seccomp->listener_path, "/run/s");
	assert_false(spec.linux_.seccomp->has_flags);
}

/* A file of this text to read from, or a pipe's worth of it. */
static int text_fd(const char *text)
{
	autofree char *json = quoted(text);
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], json, strlen(json)), strlen(json));
	close(fds[1]);
	return fds[0];
}

static void bare_objects_come_through_pipes(void **state)
{
	autoclose int process = text_fd("{'args': ['a'], 'cwd': '/'}");
	autoclose int no_args = text_fd("{'args': [], 'cwd': '/'}");
	struct oci_process p;

	assert_int_equal(oci_process_read(*state, process, &p), 0);
	assert_string_equal(p.args.items[0], "a");
	assert_true(oci_process_read(*state, no_args, &p) < 0);
	assert_string_equal(err_text(), "args: must have at least one entry");
}

static void expect_no_load(struct arena *arena, int dir, const char *error)
{
	struct oci_spec spec;

	assert_true(oci_spec_load(arena, dir, "config.json", &spec) < 0);
	assert_string_equal(err_text(), error);
	assert_int_equal(unlinkat(dir, "config.json", 0) == 0 ||
				 unlinkat(dir, "config.json", AT_REMOVEDIR) ==
					 0 ||
				 errno == ENOENT,
			 1);
}

static void only_small_regular_files_are_read(void **state)
{
	char path[] = "/tmp/test_spec.XXXXXX";
	autoclose int dir = open(mkdtemp(path), O_RDONLY | O_DIRECTORY);
	int fd;

	assert_true(dir >= 0);
	expect_no_load(*state, dir,
		       "open config.json: no such file or directory");
	assert_int_equal(mkdirat(dir, "config.json", 0755), 0);
	expect_no_load(*state, dir,
		       "config.json: must be a regular file: is a directory");
	assert_int_equal(mkfifoat(dir, "config.json", 0644), 0);
	expect_no_load(*state, dir,
		       "config.json: must be a regular file, not a device, "
		       "FIFO or socket");
	fd = openat(dir, "config.json", O_CREAT | O_WRONLY, 0644);
	expect_no_load(*state, dir,
		       "config.json: is empty, but must contain JSON");
	close(fd);
	fd = openat(dir, "config.json", O_CREAT | O_WRONLY, 0644);
	assert_int_equal(ftruncate(fd, (16 << 20) + 1), 0);
	expect_no_load(*state, dir,
		       "config.json: is larger than 16 MiB, the maximum for a "
		       "configuration");
	close(fd);
	assert_int_equal(rmdir(path), 0);
}

static void a_file_is_loaded_and_kept(void **state)
{
	char path[] = "/tmp/test_spec.XXXXXX";
	autofree char *text = quoted(spec_sample);
	int fd = mkstemp(path);
	struct oci_spec spec;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(oci_spec_load(*state, AT_FDCWD, path, &spec), 0);
	assert_int_equal(spec.json_len, strlen(text));
	assert_memory_equal(spec.json, text, spec.json_len);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(process_is_read),
		arena_test(top_level_mounts_and_hooks_are_read),
		arena_test(linux_is_read),
		arena_test(resources_are_read),
		arena_test(seccomp_is_read),
		arena_test(wrong_types_are_refused_everywhere),
		arena_test(truncated_files_are_refused),
		arena_test(nothing_optional_is_needed),
		arena_test(the_annotation_names_the_listener),
		arena_test(bare_objects_come_through_pipes),
		arena_test(only_small_regular_files_are_read),
		arena_test(a_file_is_loaded_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
