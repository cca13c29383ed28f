/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/attribute_calls.c - find the key that denied a system call.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/calls.h"
#include "confine/confine.h"
#include "confine/landlock.h"
#include "policy/policy.h"
#include "policy/syscalls.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/hint.h"
#include "runtime/enforce/no_namespaces.h"
#include "runtime/enforce/view.h"

#define FILES_STAY                                                        \
	"without namespaces, modes, owners, times and attributes cannot " \
	"be changed"
#define NO_FLAG "no flag allows it"
#define NO_CAPABILITY NO_FLAG ": it needs a capability, and a sandbox has none"
#define WHERE_NAMESPACES \
	"run it where namespaces are available, as sandlock check shows"

static const char *find_in(const char *const *names, uint32_t arch,
			   uint64_t number)
{
	for (; *names; names++)
		if (call_number(arch, *names) == (int)number)
			return *names;
	return NULL;
}

/* ---- sockets ---- */

static bool is_inet(int family)
{
	return family == AF_INET || family == AF_INET6;
}

static int type_of(const uint64_t args[6])
{
	return (int)args[1] & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void print_family(const uint64_t args[6], char *ret, size_t size)
{
	static const struct {
		int family;
		const char *name;
	} names[] = {
		{ AF_UNIX, "AF_UNIX" },	      { AF_INET, "AF_INET" },
		{ AF_INET6, "AF_INET6" },     { AF_PACKET, "AF_PACKET" },
		{ AF_NETLINK, "AF_NETLINK" }, { AF_VSOCK, "AF_VSOCK" },
		{ AF_ALG, "AF_ALG" },	      { AF_BLUETOOTH, "AF_BLUETOOTH" },
		{ AF_TIPC, "AF_TIPC" },	      { AF_CAN, "AF_CAN" },
		{ AF_KEY, "AF_KEY" },	      { AF_XDP, "AF_XDP" },
	};
	int family = (int)args[0];

	snprintf(ret, size, "of family %d", family);
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].family == family)
			snprintf(ret, size, "%s%s", names[i].name,
				 is_inet(family) && type_of(args) == SOCK_RAW ?
					 " SOCK_RAW" :
					 "");
}

/* In its own user namespace a process has all capabilities. */
static bool has_capability(const struct attribution *attribution)
{
	return attribution->bundle ||
	       strings_has(&attribution->policy->extra_allow, "namespaces");
}

static bool is_privileged(const uint64_t args[6])
{
	return args[0] == AF_PACKET || args[0] == AF_KEY || args[0] == AF_XDP ||
	       (is_inet((int)args[0]) && type_of(args) == SOCK_RAW);
}

static bool needs_network(const struct attribution *attribution,
			  const uint64_t args[6])
{
	return attribution->policy->mode == POLICY_MODE_DENY &&
	       is_inet((int)args[0]) && type_of(args) != SOCK_RAW;
}

static const char *other_hosts(const struct attribution *attribution,
			       const uint64_t args[6])
{
	if (attribution->bundle)
		return "other hosts: open";
	if (type_of(args) != SOCK_DGRAM)
		return "other hosts: --net-allow HOST:PORT, or open";
	if (args[2] == IPPROTO_ICMP || args[2] == IPPROTO_ICMPV6)
		return "other hosts: --net-allow icmp://HOST, or open";
	return "other hosts: --net-allow udp://HOST:PORT, or open";
}

/*
 * Raw sockets need network access, too. Where the filter denies Unix sockets,
 * no syscall group would allow the call.
 */
static int hint_socket(const struct attribution *attribution,
		       const uint64_t args[6], struct denial *ret)
{
	bool denied = attribution->policy->mode == POLICY_MODE_DENY;
	const char *group, *mode = NULL;

	if (needs_network(attribution, args)) {
		ret->add = hint_set(attribution, KEY_NET_MODE,
				    attribution->no_namespaces ? "open" :
								 "loopback");
		if (!attribution->no_namespaces)
			ret->also = other_hosts(attribution, args);
		return ret->add ? 0 : -ENOMEM;
	}
	if (attribution->no_namespaces && !attribution->judges_sockets) {
		ret->advice = NO_FLAG;
		return 0;
	}
	if (is_privileged(args) && !has_capability(attribution)) {
		ret->advice = NO_CAPABILITY;
		return 0;
	}
	group = hint_add(attribution, KEY_EXTRA_ALLOW, "raw_sockets");
	if (denied)
		mode = hint_set(attribution, KEY_NET_MODE, "open");
	if (!group || (denied && !mode))
		return -ENOMEM;
	ret->add = denied ? arena_printf(attribution->denials->arena,
					 attribution->bundle ? "%s, and %s" :
							       "%s %s",
					 mode, group) :
			    group;
	return ret->add ? 0 : -ENOMEM;
}

/* The audit log does not contain the family. */
static int attribute_unknown_socket(const struct attribution *attribution)
{
	bool denied = attribution->policy->mode == POLICY_MODE_DENY;
	const uint64_t inet[6] = { AF_INET, SOCK_STREAM };
	const uint64_t other[6] = { AF_PACKET };
	struct denial denial = {
		.operation = "socket",
		.target = "of unknown family",
		.note = denied ?
				"network.mode: deny, or syscalls: raw_sockets" :
				"syscalls: raw_sockets",
	};
	int r = hint_socket(attribution, denied ? inet : other, &denial);

	return r < 0 ? r : denials_add(attribution->denials, &denial);
}

static int attribute_socket(const struct attribution *attribution,
			    const uint64_t args[6])
{
	char family[32];
	struct denial denial = {
		.operation = "socket",
		.target = family,
		.key = "syscalls",
		.item = "raw_sockets",
	};
	int r;

	if (args[0] == UINT64_MAX)
		return attribute_unknown_socket(attribution);
	print_family(args, family, sizeof family);
	r = hint_socket(attribution, args, &denial);
	if (r < 0)
		return r;
	if (is_inet((int)args[0]) &&
	    attribution->policy->mode == POLICY_MODE_DENY) {
		denial.key = "network.mode";
		denial.item = "deny";
	}
	if (attribution->no_namespaces && args[0] == AF_UNIX) {
		denial.key = denial.add = NULL;
		denial.note = "without namespaces, Unix sockets outside the "
			      "sandbox cannot be hidden";
		denial.advice = WHERE_NAMESPACES;
	}
	return denials_add(attribution->denials, &denial);
}

/* ---- other calls ---- */

static const char *group_of(uint32_t arch, uint64_t number,
			    const char **ret_name)
{
	for (int i = 0; i < SYSCALLS_GROUPS; i++) {
		const struct syscall_group_info *info = syscall_group_info(i);
		const char *name = find_in(info->calls, arch, number);

		if (!name)
			name = find_in(info->filtered, arch, number);
		if (!name)
			continue;
		*ret_name = name;
		return info->name;
	}
	return NULL;
}

static bool is_extra(const struct policy *policy, uint32_t arch,
		     uint64_t number, const char **ret_name)
{
	for (size_t i = 0; i < policy->extra_deny.n; i++) {
		const char *name = policy->extra_deny.items[i];

		if (call_number(arch, name) == (int)number) {
			*ret_name = name;
			return true;
		}
	}
	return false;
}

static const char *find_bare(const struct attribution *attribution,
			     uint32_t arch, uint64_t number)
{
	const char *name;

	if (!attribution->no_namespaces)
		return NULL;
	name = find_in(no_namespaces_calls, arch, number);
	return name ? name : confine_process_call(arch, number);
}

static const char *no_namespaces_note(const char *name, uint32_t arch,
				      uint64_t number)
{
	if (confine_process_call(arch, number))
		return "without namespaces, it may change its own limits and "
		       "priorities but not those of other processes";
	if (streq(name, "mq_open") || streq(name, "mq_unlink"))
		return "without namespaces, message queues are shared with the "
		       "host";
	return FILES_STAY;
}

/* The audit log does not contain the request; most are for terminals. */
static bool is_of_file(const char *name, const uint64_t args[6])
{
	return streq(name, "ioctl") && args[0] != UINT64_MAX &&
	       !confine_is_terminal(args[1]);
}

/*
 * Calls that the kernel permits only with a capability, which no flag gives to
 * a sandbox: allowing them in the filter would not help.
 */
static bool needs_capability(const char *name)
{
	static const char *const calls[] = {
		"mount",
		"umount2",
		"pivot_root",
		"chroot",
		"move_mount",
		"fsopen",
		"fsmount",
		"fspick",
		"open_tree_attr",
		"mount_setattr",
		"init_module",
		"finit_module",
		"delete_module",
		"kexec_load",
		"kexec_file_load",
		"reboot",
		"swapon",
		"swapoff",
		"settimeofday",
		"clock_settime",
		"ioperm",
		"iopl",
		"sethostname",
		"setdomainname",
		"acct",
		"open_by_handle_at",
		"vhangup",
	};

	for (size_t i = 0; i < COUNT(calls); i++)
		if (streq(calls[i], name))
			return true;
	return false;
}

/* syscalls.extra_deny has the item; its group is denied by default, too. */
static const char *hint_denied_twice(const struct attribution *attribution,
				     const char *item, const char *group)
{
	const char *remove =
		hint_remove(attribution, "syscalls.extra_deny", item);
	const char *add = hint_add(attribution, KEY_EXTRA_ALLOW, group);

	if (strings_has(&attribution->policy->extra_allow, group))
		return remove;
	return remove && add ? hint_both(attribution, remove, add) : NULL;
}

static int hint_group(const struct attribution *attribution, const char *group,
		      const char *name, struct denial *ret)
{
	bool extra = strings_has(&attribution->policy->extra_deny, group);

	if (needs_capability(name) && !has_capability(attribution)) {
		ret->advice = NO_CAPABILITY;
		return 0;
	}
	ret->add = extra ? hint_denied_twice(attribution, group, group) :
			   hint_add(attribution, KEY_EXTRA_ALLOW, group);
	return ret->add ? 0 : -ENOMEM;
}

/* A single call that the policy denies may also be in a group. */
static const char *hint_extra(const struct attribution *attribution,
			      uint32_t arch, uint64_t number, const char *item)
{
	for (int i = 0; i < SYSCALLS_GROUPS; i++) {
		const struct syscall_group_info *info = syscall_group_info(i);

		if (find_in(info->calls, arch, number))
			return hint_denied_twice(attribution, item, info->name);
	}
	return hint_remove(attribution, "syscalls.extra_deny", item);
}

static int attribute_group(const struct attribution *attribution,
			   const char *group, const char *name,
			   const uint64_t args[6])
{
	struct denial denial = {
		.operation = "call",
		.target = name,
		.key = "syscalls",
		.item = group,
	};
	int r;

	if (streq(name, "socket") || streq(name, "socketpair"))
		return attribute_socket(attribution, args);
	if (strings_has(&attribution->policy->extra_deny, group))
		denial.key = "syscalls.extra_deny";
	if (attribution->no_namespaces && is_of_file(name, args)) {
		denial.key = denial.item = NULL;
		denial.note = FILES_STAY;
		denial.advice = WHERE_NAMESPACES;
		return denials_add(attribution->denials, &denial);
	}
	r = hint_group(attribution, group, name, &denial);
	return r < 0 ? r : denials_add(attribution->denials, &denial);
}

static void find_memfd(const struct attribution *attribution,
		       struct denial *ret)
{
	ret->target = "memfd_create";
	ret->note = "filesystem.execute is set, and a file in memory could "
		    "execute anything";
	ret->add = attribution->bundle ?
			   "remove the annotation io.sandlock.filesystem."
			   "execute" :
			   "remove filesystem.execute (-x)";
}

/* Find what denied the call, other than a syscall group. */
static bool find_reason(const struct attribution *attribution, uint32_t arch,
			uint64_t number, struct denial *ret)
{
	static const char *const sends[] = { "sendto", "sendmsg", "sendmmsg",
					     NULL };

	if (is_extra(attribution->policy, arch, number, &ret->target)) {
		ret->key = "syscalls.extra_deny";
		ret->item = ret->target;
		ret->add = hint_extra(attribution, arch, number, ret->item);
	} else if ((ret->target = find_bare(attribution, arch, number))) {
		ret->note = no_namespaces_note(ret->target, arch, number);
		ret->advice = WHERE_NAMESPACES;
	} else if (call_number(arch, "memfd_create") == (int)number) {
		find_memfd(attribution, ret);
	} else if ((ret->target = find_in(sends, arch, number))) {
		ret->note = "MSG_FASTOPEN would connect to a port without a "
			    "check";
		ret->advice = "call connect() first";
	}
	return ret->target;
}

int attribute_call(const struct attribution *attribution, uint32_t arch,
		   uint64_t number, const uint64_t args[6])
{
	struct denial denial = { .operation = "call" };
	const char *name = NULL, *group;

	if (find_reason(attribution, arch, number, &denial))
		return denials_add(attribution->denials, &denial);
	group = group_of(arch, number, &name);
	return group ? attribute_group(attribution, group, name, args) : 0;
}

int attribute_abi(const struct attribution *attribution)
{
	const struct denial denial = {
		.operation = "call",
		.target = "of another ABI",
		.note = "programs for i386 and x32 are killed under any policy",
		.advice = NO_FLAG,
	};

	return denials_add(attribution->denials, &denial);
}
