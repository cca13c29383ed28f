/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_attribute.c - what failed, and which key of the policy is why. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/calls.h"
#include "runtime/diagnose/attribute.h"
#include "runtime/diagnose/denials.h"
#include "runtime/enforce/view.h"

#include <cmocka.h>

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE
#define EXECUTE LANDLOCK_MAY_EXECUTE
#define ALL (READ | WRITE | EXECUTE)
#define X86 AUDIT_ARCH_X86_64

static struct arena arena;
static char folder[] = "/tmp/test_attribute.XXXXXX";

/* ---- the policy of all tests ---- */

static struct files_entry allowed[] = {
	{ .path = "/usr", .rights = READ | EXECUTE, .key = "filesystem.read" },
	{ .path = "/home/u",
	  .rights = READ | EXECUTE,
	  .key = "filesystem.read" },
	{ .path = "/home/u/src", .rights = ALL, .key = "filesystem.write" },
	{ .path = "/etc",
	  .rights = READ | EXECUTE,
	  .key = "filesystem.read",
	  .scope = 1 },
};
static struct files_entry denied[] = {
	{ .path = "/home/u/.ssh",
	  .rights = ALL,
	  .key = "filesystem.deny",
	  .item = "@known-secrets" },
	{ .path = "/home/u/src/gen",
	  .rights = WRITE,
	  .key = "filesystem.deny_write",
	  .item = "gen" },
	{ .path = "/etc/shadow",
	  .rights = ALL,
	  .key = "filesystem.read",
	  .item = "@system",
	  .scope = 1 },
	{ .path = "/home/u/src/uv.toml", .rights = WRITE, .implied = true },
};
static const struct policy_mount mounts[] = {
	{ .inside = "/data", .host = "/srv/data", .readonly = true },
	{ .inside = "/cache", .host = "/srv/cache" },
};
static const struct view view = {
	.allowed = { allowed, COUNT(allowed), COUNT(allowed) },
	.denied = { denied, COUNT(denied), COUNT(denied) },
};
static const char *extra[] = { "listen", "bpf" };
static const char *sockets[] = { "/run/listed" };
static const struct policy policy = {
	.mount = { mounts, COUNT(mounts) },
	.extra_deny = { extra, COUNT(extra) },
	.unix_ = { sockets, COUNT(sockets) },
};

struct scene {
	struct denials denials;
	struct attribution attribution;
	struct policy policy;
};

static void open_scene(struct scene *scene, const char *root)
{
	*scene = (struct scene){ .denials.arena = &arena, .policy = policy };
	scene->attribution = (struct attribution){
		.policy = &scene->policy,
		.view = &view,
		.denials = &scene->denials,
		.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.prefix = streq(root, "/") ? "" : root,
	};
	assert_true(scene->attribution.root >= 0);
}

/* What was found, one a line; and close it. */
static const char *told(struct scene *scene)
{
	FILE *out = tmpfile();
	char *text = arena_alloc(&arena, 4096);
	ssize_t n;

	assert_int_equal(denials_print(&scene->denials, fileno(out)), 0);
	n = pread(fileno(out), text, 4095, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	fclose(out);
	close(scene->attribution.root);
	return text;
}

/* ---- paths ---- */

static void judges_paths(void **state)
{
	static const struct {
		const char *path;
		uint32_t right;
		const char *reason; /* NULL: allowed */
	} rows[] = {
		{ "/usr/bin/ls", READ, NULL },
		{ "/usr/bin/ls", EXECUTE, NULL },
		{ "/usr/bin/ls", WRITE, "not listed in filesystem.write" },
		{ "/usrx", READ, "not listed in filesystem.read" },
		{ "/opt/x", EXECUTE, "not listed in filesystem.read" },
		{ "/home/u/.ssh/id", READ, "filesystem.deny: @known-secrets" },
		{ "/home/u/.ssh", WRITE, "filesystem.deny: @known-secrets" },
		{ "/home/u/.sshx", READ, NULL },
		{ "/home/u/src/a", WRITE, NULL },
		{ "/home/u/src/gen/a", WRITE, "filesystem.deny_write: gen" },
		{ "/home/u/src/gen/a", READ, NULL },
		{ "/home/u/src/uv.toml", READ, NULL },
		{ "/home/u/src/uv.toml", WRITE,
		  "it is the policy of the next run: change it outside the "
		  "sandbox" },
		/* The exceptions of a preset. */
		{ "/etc/hosts", READ, NULL },
		{ "/etc/shadow", READ, "filesystem.read: @system" },
		{ "/data/x", READ, NULL },
		{ "/data/x", WRITE, "filesystem.mount: /data" },
		{ "/cache/x", WRITE, NULL },
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, "/");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct denial denial;
		bool refused = attribute_judge(&scene.attribution, rows[i].path,
					       rows[i].right, &denial);

		if (refused != (rows[i].reason != NULL))
			fail_msg("%s %u", rows[i].path, rows[i].right);
		if (refused)
			assert_string_equal(denial_reason(&arena, &denial),
					    rows[i].reason);
	}
	close(scene.attribution.root);
}

static void names_the_list_to_be_in(void **state)
{
	struct scene scene;
	struct denial denial;

	(void)state;
	open_scene(&scene, "/");
	scene.policy.set[KEY_EXECUTE] = true;
	assert_true(attribute_judge(&scene.attribution, "/opt/x", EXECUTE,
				    &denial));
	assert_string_equal(denial.key, "filesystem.execute");
	assert_null(denial.item);
	close(scene.attribution.root);
}

static void make_tree(const char *root)
{
	static const char *const dirs[] = { "usr",     "usr/bin",     "home",
					    "home/u",  "home/u/.ssh", "opt",
					    "etc",     "dev",	      "dev/dri",
					    "private", "lib" };
	static const char *const files[] = { "opt/tool",  "home/u/.ssh/id",
					     "etc/hosts", "dev/dri/card0",
					     "dev/mem",	  "lib/loader" };
	static const char script[] = "#! /lib/loader -x\n";
	char path[128];
	int fd;

	for (size_t i = 0; i < COUNT(dirs); i++) {
		snprintf(path, sizeof path, "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof path, "%s/%s", root, files[i]);
		fd = open(path, O_WRONLY | O_CREAT, 0644);
		assert_true(fd >= 0);
		close(fd);
	}
	snprintf(path, sizeof path, "%s/usr/bin/script", root);
	fd = open(path, O_WRONLY | O_CREAT, 0755);
	assert_int_equal(write(fd, script, strlen(script)), strlen(script));
	close(fd);
	snprintf(path, sizeof path, "%s/usr/link", root);
	assert_int_equal(symlink("/home/u/.ssh/id", path), 0);
}

static void asks_what_the_host_has(void **state)
{
	static const struct {
		struct attribute_path wanted;
		const char *told;
	} rows[] = {
		{ { "/opt/tool", READ, ENOENT, false, false },
		  "denied: read /opt/tool (not listed in filesystem.read)\n" },
		/* Not there anyway. */
		{ { "/opt/none", READ, ENOENT, false, false }, "" },
		{ { "/none/none", WRITE, ENOENT, true, false }, "" },
		/* It could have been made. */
		{ { "/opt/new", WRITE, ENOENT, true, true },
		  "denied: write /opt/new (not listed in filesystem.write)\n" },
		{ { "/opt/new/", WRITE, ENOENT, true, true },
		  "denied: write /opt/new (not listed in filesystem.write)\n" },
		/* Denied by name, there or not. */
		{ { "/home/u/.ssh/none", READ, ENOENT, false, false },
		  "denied: read /home/u/.ssh/none "
		  "(filesystem.deny: @known-secrets)\n" },
		/* By a link, or around. */
		{ { "/usr/link", READ, ENOENT, false, false },
		  "denied: read /home/u/.ssh/id "
		  "(filesystem.deny: @known-secrets)\n" },
		{ { "/usr/link", READ, ENOENT, false, true }, "" },
		{ { "/usr/../opt/./tool", READ, ENOENT, false, false },
		  "denied: read /opt/tool (not listed in filesystem.read)\n" },
		/* The policy allows it: permissions, or another error. */
		{ { "/etc/hosts", READ, EACCES, false, false }, "" },
		{ { "/opt/tool", READ, EINVAL, false, false }, "" },
		{ { "/opt/tool", READ, ELOOP, false, false }, "" },
		{ { "opt/tool", READ, ENOENT, false, false }, "" },
		/* Both are missing: the right to write includes reading. */
		{ { "/opt/tool", READ | WRITE, ENOENT, false, false },
		  "denied: write /opt/tool (not listed in "
		  "filesystem.write)\n" },
		{ { "/etc/hosts", READ | WRITE, EROFS, false, false },
		  "denied: write /etc/hosts (not listed in "
		  "filesystem.write)\n" },
		/* Its own. */
		{ { "/dev/mem", READ, ENOENT, false, false },
		  "denied: read /dev/mem (the sandbox has its own /dev)\n" },
		{ { "/dev/dri/card0", READ | WRITE, ENOENT, false, false },
		  "denied: write /dev/dri/card0 (not listed in "
		  "limits.gpu_devices)\n" },
		{ { "/dev/none", READ, ENOENT, false, false }, "" },
		{ { "/dev/mem", READ, EACCES, false, false }, "" },
		{ { "/proc/99/environ", READ, ENOENT, false, false }, "" },
		{ { "/proc/sys/kernel/x", WRITE, EROFS, false, false },
		  "denied: write /proc/sys/kernel/x "
		  "(the sandbox has its own /proc)\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scene scene;

		open_scene(&scene, folder);
		assert_int_equal(attribute_file(&scene.attribution,
						&rows[i].wanted),
				 0);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void finds_who_loads_a_program(void **state)
{
	struct scene scene;

	(void)state;
	open_scene(&scene, folder);
	assert_int_equal(attribute_program(&scene.attribution,
					   "/usr/bin/script", ENOENT),
			 0);
	assert_int_equal(attribute_program(&scene.attribution, "/opt/tool",
					   ENOENT),
			 0);
	assert_int_equal(attribute_program(&scene.attribution, "/usr/bin/no",
					   ENOENT),
			 0);
	assert_string_equal(
		told(&scene),
		"denied: execute /lib/loader (not listed in filesystem.read)\n"
		"denied: execute /opt/tool (not listed in filesystem.read)\n");
}

/* ---- calls ---- */

static void names_groups_and_keys(void **state)
{
	static const struct {
		const char *call;
		uint64_t first;
		enum policy_mode mode;
		const char *told;
	} rows[] = {
		{ "unshare", 0, POLICY_MODE_DENY,
		  "denied: call unshare (syscalls: namespaces; "
		  "add --syscalls-extra-allow namespaces)\n" },
		{ "clone", 0, POLICY_MODE_DENY,
		  "denied: call clone (syscalls: namespaces; "
		  "add --syscalls-extra-allow namespaces)\n" },
		{ "listen", 0, POLICY_MODE_DENY,
		  "denied: call listen (syscalls.extra_deny: listen)\n" },
		{ "bpf", 0, POLICY_MODE_DENY,
		  "denied: call bpf (syscalls.extra_deny: bpf)\n" },
		{ "memfd_create", 0, POLICY_MODE_DENY,
		  "denied: call memfd_create (not listed in "
		  "filesystem.execute)\n" },
		{ "socket", AF_INET, POLICY_MODE_DENY,
		  "denied: socket AF_INET (network.mode: deny; "
		  "add --network-mode loopback or open)\n" },
		{ "socket", AF_INET6, POLICY_MODE_OPEN,
		  "denied: socket AF_INET6 (syscalls: raw_sockets; "
		  "add --syscalls-extra-allow raw_sockets)\n" },
		{ "socket", AF_PACKET, POLICY_MODE_DENY,
		  "denied: socket AF_PACKET (syscalls: raw_sockets; "
		  "add --network-mode open --syscalls-extra-allow "
		  "raw_sockets)\n" },
		{ "socket", 30, POLICY_MODE_OPEN,
		  "denied: socket AF_TIPC (syscalls: raw_sockets; "
		  "add --syscalls-extra-allow raw_sockets)\n" },
		{ "socket", 63, POLICY_MODE_OPEN,
		  "denied: socket of family 63 (syscalls: raw_sockets; "
		  "add --syscalls-extra-allow raw_sockets)\n" },
		{ "sendto", 0, POLICY_MODE_DENY,
		  "denied: call sendto (MSG_FASTOPEN would connect to a port "
		  "without a check: call connect() first)\n" },
		{ "read", 0, POLICY_MODE_DENY, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t args[6] = { rows[i].first };
		int number = call_number(X86, rows[i].call);
		struct scene scene;

		open_scene(&scene, "/");
		scene.policy.mode = rows[i].mode;
		assert_int_equal(attribute_call(&scene.attribution, X86,
						(uint64_t)number, args),
				 0);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_addresses(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(443) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(53) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct scene scene;

	(void)state;
	inet_pton(AF_INET, "192.0.2.1", &in.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
	open_scene(&scene, folder);
	scene.policy.mode = POLICY_MODE_LOOPBACK;
	attribute_address(&scene.attribution, "connect", &in, sizeof in,
			  ENETUNREACH);
	attribute_address(&scene.attribution, "sendto", &in6, sizeof in6,
			  ENETUNREACH);
	/* A server that says no; too short; none of the network's. */
	attribute_address(&scene.attribution, "connect", &in, sizeof in,
			  ECONNREFUSED);
	attribute_address(&scene.attribution, "connect", &in, 4, ENETUNREACH);
	attribute_address(&scene.attribution, "connect", &un, 1, ENOENT);
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ECONNREFUSED);
	snprintf(un.sun_path, sizeof un.sun_path, "/opt/sock");
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	attribute_address(&scene.attribution, "bind", &un, sizeof un, ENOENT);
	assert_string_equal(
		told(&scene),
		"denied: connect 192.0.2.1:443 (network.mode: loopback)\n"
		"denied: send [2001:db8::1]:53 (network.mode: loopback)\n"
		"denied: write /opt/sock (not listed in filesystem.write)\n");
}

/* TCP that Landlock refused, or would not have. */
static void names_ports(void **state)
{
	static const struct kernel_landlock_port ports[] = {
		{ LANDLOCK_ACCESS_NET_BIND_TCP, 80 },
		{ LANDLOCK_ACCESS_NET_CONNECT_TCP, 443 },
	};
	static const struct landlock_plan some = {
		.handled.handled_net = LANDLOCK_ACCESS_NET_BIND_TCP,
		.ports = ports,
		.nports = COUNT(ports),
	};
	static const struct landlock_plan both = {
		.handled.handled_net = LANDLOCK_ACCESS_NET_BIND_TCP |
				       LANDLOCK_ACCESS_NET_CONNECT_TCP,
		.ports = ports,
		.nports = COUNT(ports),
	};
	static const char *closed[] = { "22", "8000-8080" };
	static const struct {
		const struct landlock_plan *net;
		const char *call;
		uint16_t port;
		const char *told;
	} rows[] = {
		{ NULL, "bind", 81, "" },
		{ &some, "bind", 80, "" },
		{ &some, "bind", 443,
		  "denied: bind 127.0.0.1:443 (not listed in "
		  "network.bind)\n" },
		{ &some, "bind", 0,
		  "denied: bind 127.0.0.1:0 (not listed in network.bind)\n" },
		{ &some, "bind", 8080,
		  "denied: bind 127.0.0.1:8080 (network.deny_bind: "
		  "8000-8080)\n" },
		{ &some, "connect", 80, "" },
		{ &both, "connect", 443, "" },
		{ &both, "connect", 80,
		  "denied: connect 127.0.0.1:80 (network.mode: deny)\n" },
	};
	struct sockaddr_in in = { .sin_family = AF_INET };

	(void)state;
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scene scene;

		open_scene(&scene, "/");
		scene.attribution.net = rows[i].net;
		scene.policy.deny_bind =
			(struct strings){ closed, COUNT(closed) };
		in.sin_port = htons(rows[i].port);
		attribute_port(&scene.attribution, rows[i].call, &in,
			       sizeof in);
		/* Too short for a port, and none of the network's. */
		attribute_port(&scene.attribution, rows[i].call, &in, 3);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_what_is_lost_without_namespaces(void **state)
{
	static const struct {
		bool no_namespaces;
		const char *call;
		uint64_t args[6];
		const char *told;
	} rows[] = {
		{ false,
		  "fchmodat",
		  { 0, 0, 04755 },
		  "denied: call fchmodat (syscalls: suid; "
		  "add --syscalls-extra-allow suid)\n" },
		{ false, "fchownat", { 0 }, "" },
		{ false, "prlimit64", { 1 }, "" },
		{ true,
		  "prlimit64",
		  { 1 },
		  "denied: call prlimit64 (without namespaces, it may change "
		  "its own limits and priorities but not those of other "
		  "processes)\n" },
		{ true,
		  "mq_unlink",
		  { 0 },
		  "denied: call mq_unlink (without namespaces, message queues "
		  "are shared with the host)\n" },
		{ true,
		  "ioctl",
		  { 0, FS_IOC_SETFLAGS },
		  "denied: call ioctl (without namespaces, modes, owners, "
		  "times and attributes cannot be changed)\n" },
		{ true,
		  "ioctl",
		  { 0, TIOCSTI },
		  "denied: call ioctl (syscalls: terminal; "
		  "add --syscalls-extra-allow terminal)\n" },
		{ true,
		  "ioctl",
		  { 0, TIOCEXCL },
		  "denied: call ioctl (syscalls: terminal; "
		  "add --syscalls-extra-allow terminal)\n" },
		{ true,
		  "ioctl",
		  { UINT64_MAX },
		  "denied: call ioctl (syscalls: terminal; "
		  "add --syscalls-extra-allow terminal)\n" },
		{ true,
		  "fchmodat",
		  { 0 },
		  "denied: call fchmodat (without namespaces, modes, owners, "
		  "times and attributes cannot be changed)\n" },
		{ true,
		  "socket",
		  { AF_UNIX },
		  "denied: socket AF_UNIX (without namespaces, Unix sockets "
		  "outside the sandbox cannot be hidden)\n" },
		{ false,
		  "socket",
		  { AF_UNIX },
		  "denied: socket AF_UNIX (syscalls: raw_sockets; "
		  "add --network-mode open --syscalls-extra-allow "
		  "raw_sockets)\n" },
		{ false,
		  "socket",
		  { AF_INET6, SOCK_RAW | SOCK_CLOEXEC },
		  "denied: socket AF_INET6 SOCK_RAW (network.mode: deny; "
		  "add --network-mode open --syscalls-extra-allow "
		  "raw_sockets)\n" },
		{ true,
		  "socket",
		  { AF_INET, SOCK_DGRAM },
		  "denied: socket AF_INET (network.mode: deny; "
		  "add --network-mode open)\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int number = call_number(X86, rows[i].call);
		struct scene scene;

		open_scene(&scene, "/");
		scene.attribution.no_namespaces = rows[i].no_namespaces;
		attribute_call(&scene.attribution, X86, (uint64_t)number,
			       rows[i].args);
		assert_string_equal(told(&scene), rows[i].told);
	}
}

static void names_sockets_of_the_host(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct scene scene;

	(void)state;
	snprintf(un.sun_path, sizeof un.sun_path, "%s/private/s", folder);
	assert_int_equal(bind(sock, (void *)&un, sizeof un), 0);
	snprintf(un.sun_path, sizeof un.sun_path, "/private/s");
	open_scene(&scene, folder);
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	assert_string_equal(told(&scene), "denied: connect /private/s (not "
					  "listed in network.unix)\n");
	open_scene(&scene, folder);
	sockets[0] = "/private";
	attribute_address(&scene.attribution, "connect", &un, sizeof un,
			  ENOENT);
	sockets[0] = "/run/listed";
	assert_string_equal(told(&scene), "");
	close(sock);
}

/* ---- the list ---- */

static void lists_once_and_tames(void **state)
{
	const struct denial rude = {
		.operation = "read",
		.target = "/a\033[2J\n\\b\xc2\x9b\xc3\xa9",
		.note = "why",
	};
	struct scene scene;

	(void)state;
	open_scene(&scene, "/");
	assert_int_equal(denials_add(&scene.denials, &rude), 0);
	assert_int_equal(denials_add(&scene.denials, &rude), 0);
	assert_string_equal(told(&scene),
			    "denied: read /a\\x1b[2J\\x0a\\x5cb\\xc2\\x9b"
			    "\xc3\xa9 (why)\n");
}

static void stops_at_a_thousand(void **state)
{
	struct scene scene;
	char name[16];

	(void)state;
	open_scene(&scene, "/");
	for (int i = 0; i < 1005; i++) {
		const struct denial denial = { .operation = "read",
					       .target = name,
					       .note = "why" };

		snprintf(name, sizeof name, "/%d", i);
		assert_int_equal(denials_add(&scene.denials, &denial), 0);
	}
	assert_int_equal(scene.denials.n, 1000);
	assert_int_equal(scene.denials.more, 5);
	close(scene.attribution.root);
}

static int prepare(void **state)
{
	(void)state;
	if (arena_open(&arena, 16 << 20) < 0 || !mkdtemp(folder))
		return -1;
	make_tree(folder);
	return 0;
}

static int clear(void **state)
{
	char command[64];

	(void)state;
	arena_close(&arena);
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_paths),
		cmocka_unit_test(names_the_list_to_be_in),
		cmocka_unit_test(asks_what_the_host_has),
		cmocka_unit_test(finds_who_loads_a_program),
		cmocka_unit_test(names_groups_and_keys),
		cmocka_unit_test(names_addresses),
		cmocka_unit_test(names_ports),
		cmocka_unit_test(names_what_is_lost_without_namespaces),
		cmocka_unit_test(names_sockets_of_the_host),
		cmocka_unit_test(lists_once_and_tames),
		cmocka_unit_test(stops_at_a_thousand),
	};

	return cmocka_run_group_tests(tests, prepare, clear);
}
