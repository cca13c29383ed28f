/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/attribute_scene.h - the policy and the files of the attribute tests. */
#pragma once

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/util.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/enforce/view.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE
#define EXECUTE LANDLOCK_MAY_EXECUTE
#define ALL (READ | WRITE | EXECUTE)

static struct arena arena;
static char folder[] = "/tmp/test_attribute.XXXXXX";

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
	scene->policy.origin[KEY_EXTRA_DENY] = "--syscalls-extra-deny";
	scene->policy.origin[KEY_NET_DENY_BIND] = "--network-deny-bind";
	scene->policy.origin[KEY_DENY] = "--filesystem-deny";
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
		fd = open(path, O_WRONLY | O_CREAT, 0755);
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
