/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/devices.c - device rules of a container: defaults, and the writer for
 * v1.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define ANY (-1)

/* Every container needs these; making a node also needs CAP_MKNOD. */
static const struct oci_device_rule defaults[] = {
	{ true, 'c', ANY, ANY, false, false, true },
	{ true, 'b', ANY, ANY, false, false, true },
	{ true, 'c', 1, 3, true, true, true },	   /* null */
	{ true, 'c', 1, 5, true, true, true },	   /* zero */
	{ true, 'c', 1, 7, true, true, true },	   /* full */
	{ true, 'c', 1, 8, true, true, true },	   /* random */
	{ true, 'c', 1, 9, true, true, true },	   /* urandom */
	{ true, 'c', 5, 0, true, true, true },	   /* tty */
	{ true, 'c', 5, 1, true, true, true },	   /* console */
	{ true, 'c', 5, 2, true, true, true },	   /* ptmx */
	{ true, 'c', 136, ANY, true, true, true }, /* pts */
	{ true, 'c', 10, 200, true, true, true },  /* net/tun */
};

size_t device_rules_count(const struct device_rules *rules)
{
	return rules->nasked + COUNT(defaults);
}

const struct oci_device_rule *device_rule(const struct device_rules *rules,
					  size_t i)
{
	return i < rules->nasked ? &rules->asked[i] :
				   &defaults[i - rules->nasked];
}

bool device_rule_is_reset(const struct oci_device_rule *rule)
{
	return rule->type == 'a' && rule->major == ANY && rule->minor == ANY &&
	       rule->r && rule->w && rule->m;
}

size_t device_rules_start(const struct device_rules *rules)
{
	size_t i = rules->nasked;

	while (i > 0 && !device_rule_is_reset(&rules->asked[i - 1]))
		i--;
	return i > 0 ? i - 1 : 0;
}

static bool may_meet(int64_t a, int64_t b)
{
	return a == ANY || b == ANY || a == b;
}

static bool same_devices(const struct oci_device_rule *a,
			 const struct oci_device_rule *b)
{
	return a->type == b->type && a->major == b->major &&
	       a->minor == b->minor;
}

static bool overlap(const struct oci_device_rule *a,
		    const struct oci_device_rule *b)
{
	return (a->type == b->type || a->type == 'a' || b->type == 'a') &&
	       may_meet(a->major, b->major) && may_meet(a->minor, b->minor) &&
	       ((a->r && b->r) || (a->w && b->w) || (a->m && b->m));
}

/*
 * v1 keeps a list of exceptions and removes one only by its exact name: it
 * would accept a denial inside an allowed range, and ignore it.
 */
static int check_v1(const struct device_rules *rules, size_t start)
{
	for (size_t i = start; i < rules->nasked; i++) {
		const struct oci_device_rule *deny = &rules->asked[i];

		for (size_t j = start; !deny->allow && j < i; j++) {
			const struct oci_device_rule *allow = &rules->asked[j];

			if (allow->allow && !device_rule_is_reset(allow) &&
			    overlap(allow, deny) && !same_devices(allow, deny))
				return fail(
					0,
					"linux.resources.devices[%zu]: cgroup "
					"v1 cannot deny part of what "
					"devices[%zu] allows (list the devices "
					"one by one)",
					i, j);
		}
	}
	return 0;
}

struct v1_writer {
	int allow;
	int deny;
};

static int write_one(const struct v1_writer *to,
		     const struct oci_device_rule *rule, char type)
{
	char text[64], major[24] = "*", minor[24] = "*";

	if (rule->major != ANY)
		snprintf(major, sizeof major, "%" PRId64, rule->major);
	if (rule->minor != ANY)
		snprintf(minor, sizeof minor, "%" PRId64, rule->minor);
	snprintf(text, sizeof text, "%c %s:%s %s%s%s", type, major, minor,
		 rule->r ? "r" : "", rule->w ? "w" : "", rule->m ? "m" : "");
	if (write(rule->allow ? to->allow : to->deny, text, strlen(text)) < 0)
		return fail(errno,
			    "write '%s' to devices.%s of the container's "
			    "cgroup",
			    text, rule->allow ? "allow" : "deny");
	return 0;
}

/*
 * For v1 "a" means everything, whatever follows it, so write 'b' and 'c' rules.
 */
static int write_rule(const struct v1_writer *to,
		      const struct oci_device_rule *rule)
{
	int r;

	if (rule->type != 'a' || device_rule_is_reset(rule))
		return write_one(to, rule, rule->type);
	r = write_one(to, rule, 'b');
	return r < 0 ? r : write_one(to, rule, 'c');
}

static int open_writer(const char *path, const char *name)
{
	char file[CGROUP_PATH_SIZE];
	int fd;

	if (snprintf(file, sizeof file, "%s/%s", path, name) >=
	    (int)sizeof file)
		return fail(ENAMETOOLONG, "open the control files of cgroup %s",
			    path);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno,
			     "open %s to restrict the container's devices",
			     file) :
			fd;
}

/*
 * Deny everything first, so that access is never wider than by the old rules or
 * by the new ones. Rules that begin by allowing everything cannot be written
 * so; they are written before the cgroup has a process.
 */
static int apply_v1(const char *path, const struct device_rules *rules)
{
	static const struct oci_device_rule deny_all = { false, 'a',  ANY, ANY,
							 true,	true, true };
	size_t start = device_rules_start(rules);
	bool all = false;
	int r;

	r = check_v1(rules, start);
	if (r < 0)
		return r;

	autoclose int allow = open_writer(path, "devices.allow");
	autoclose int deny = allow < 0 ? -1 : open_writer(path, "devices.deny");
	const struct v1_writer to = { allow, deny };

	if (allow < 0 || deny < 0)
		return allow < 0 ? allow : deny;
	if (rules->nasked == 0 || !device_rule_is_reset(&rules->asked[start]))
		r = write_rule(&to, &deny_all);
	for (size_t i = start; r >= 0 && i < device_rules_count(rules); i++) {
		const struct oci_device_rule *rule = device_rule(rules, i);

		/*
		 * Everything is allowed already, until a rule denies something.
		 */
		if (all && rule->allow)
			continue;
		all = rule->allow && device_rule_is_reset(rule);
		r = write_rule(&to, rule);
		if (r < 0 && i < rules->nasked)
			return fail_in(r, "linux.resources.devices[%zu]", i);
		/*
		 * The caller's own limits may not permit it to allow a default.
		 */
		if (r == -EPERM)
			r = 0;
	}
	return r;
}

int cgroup_apply_devices(struct cgroup *cgroup,
			 const struct oci_resources *resources, bool rootless)
{
	const struct device_rules rules = { resources->devices,
					    resources->ndevices };
	const struct cgroup_member *v1 = member_with(cgroup, "devices", 7);
	const struct cgroup_member *v2 = member_v2(cgroup);
	int r = 0;

	if (v1)
		r = apply_v1(v1->path, &rules);
	else if (v2)
		r = device_program_attach(v2->path, &rules);
	if (is_denied(r) && rootless) {
		log_debug("device rules: %s", err_text());
		return 0;
	}
	return r;
}
