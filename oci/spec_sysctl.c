/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/spec_sysctl.c - read linux.sysctl: convert paths, refuse those of the
 * host.
 */
#include "oci/parse.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

/*
 * Like sysctl(8), the first separator decides. If it is a dot, dots separate
 * and a slash stands for a dot (net.ipv4.conf.eth0/1.mtu); else slashes
 * separate.
 */
static void separate(char *path)
{
	if (path[strcspn(path, "./")] == '/')
		return;
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
		else if (*p == '/')
			*p = '.';
}

static bool is_plain_path(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, "/");

		if (len == 0 || (len == 1 && path[0] == '.') ||
		    (len == 2 && starts_with(path, "..")))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

static int read_sysctl(struct arena *arena, const struct json_value *v,
		       struct oci_sysctl *ret)
{
	char *path = arena_strdup(arena, v->key);
	int r = json_string(arena, v, &ret->value);

	if (!path)
		return -ENOMEM;
	if (r < 0)
		return r;
	separate(path);
	if (strchr(path, '\n') || !is_plain_path(path))
		return json_fail(
			v, "not a sysctl name such as net.ipv4.ip_forward");
	if (strchr(v->text, '\n'))
		return json_fail(v, "must not contain a newline");
	ret->key = v->key;
	ret->path = path;
	return 0;
}

JSON_READER(oci_read_sysctls)
{
	struct oci_linux *linux_ = ret;
	struct oci_sysctl *sysctls;
	size_t n = 0;
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	sysctls = arena_array(arena, v->n, sizeof *sysctls);
	if (!sysctls)
		return -ENOMEM;
	json_each (member, v) {
		if (member->type == JSON_NULL)
			continue;
		r = read_sysctl(arena, member, &sysctls[n]);
		if (r < 0)
			return json_fail_member(r, v, member->key);
		n++;
	}
	linux_->sysctls = sysctls;
	linux_->nsysctls = n;
	return 0;
}

/* The namespace of a sysctl, by a path, or by a prefix that ends with '/'. */
static const struct {
	const char *prefix;
	enum oci_ns ns;
} owners[] = {
	{ "net/", OCI_NS_NETWORK },   { "fs/mqueue/", OCI_NS_IPC },
	{ "kernel/msg", OCI_NS_IPC }, { "kernel/sem", OCI_NS_IPC },
	{ "kernel/shm", OCI_NS_IPC }, { "kernel/domainname", OCI_NS_UTS },
	{ "user/", OCI_NS_USER },
};

int oci_sysctl_owner(const char *path)
{
	for (size_t i = 0; i < COUNT(owners); i++)
		if (starts_with(path, owners[i].prefix))
			return owners[i].ns;
	return -1;
}

static int check_sysctl(const struct oci_linux *linux_, const char *path)
{
	int ns = oci_sysctl_owner(path);

	if (streq(path, "kernel/hostname"))
		return fail(0, ": use the field hostname instead");
	if (ns < 0)
		return fail(0,
			    ": would change the whole host (no namespace has "
			    "its own value)");
	if (!linux_->namespaces[ns].listed)
		return fail(
			0,
			": requires a namespace of type %s in linux.namespaces",
			oci_ns_kinds[ns].type);
	return 0;
}

int oci_check_sysctls(const struct json_value *linux_value,
		      const struct oci_linux *linux_)
{
	for (size_t i = 0; i < linux_->nsysctls; i++) {
		const struct oci_sysctl *s = &linux_->sysctls[i];
		int r = check_sysctl(linux_, s->path);

		if (r < 0) {
			r = fail_at(r, ".%.200s", s->key);
			return json_fail_member(r, linux_value, "sysctl");
		}
	}
	return 0;
}
