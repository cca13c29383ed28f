/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/netdev.c - move interfaces of the host into a container
 * (linux.netDevices).
 */
#include "network/netdev.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "network/network.h"

#define MAX_ADDRESSES 64

struct addresses {
	unsigned int index; /* of the interface they are on */
	struct netlink_request list[MAX_ADDRESSES];
	size_t n;
};

/* Other flags are states of an address, which the kernel determines again. */
#define KEPT_FLAGS                                                \
	(IFA_F_NODAD | IFA_F_HOMEADDRESS | IFA_F_MANAGETEMPADDR | \
	 IFA_F_NOPREFIXROUTE | IFA_F_MCAUTOJOIN)

static bool is_kept_attribute(unsigned int type)
{
	return type == IFA_ADDRESS || type == IFA_LOCAL ||
	       type == IFA_BROADCAST || type == IFA_RT_PRIORITY;
}

static uint32_t address_flags(const struct nlmsghdr *answer)
{
	const struct ifaddrmsg *address = NLMSG_DATA(answer);
	int left = (int)IFA_PAYLOAD(answer);
	uint32_t flags = address->ifa_flags;

	for (const struct rtattr *a = IFA_RTA(address); RTA_OK(a, left);
	     a = RTA_NEXT(a, left))
		if (a->rta_type == IFA_FLAGS && RTA_PAYLOAD(a) == sizeof flags)
			memcpy(&flags, RTA_DATA(a), sizeof flags);
	return flags;
}

bool netdev_keep_address(const struct nlmsghdr *answer, unsigned int index,
			 struct netlink_request *ret)
{
	const struct ifaddrmsg *address = NLMSG_DATA(answer);
	int left = (int)IFA_PAYLOAD(answer);
	struct ifaddrmsg same;
	uint32_t flags;

	if (answer->nlmsg_type != RTM_NEWADDR ||
	    answer->nlmsg_len < NLMSG_LENGTH(sizeof *address))
		return false;
	flags = address_flags(answer);
	if (!(flags & IFA_F_PERMANENT) ||
	    address->ifa_scope != RT_SCOPE_UNIVERSE)
		return false;
	same = (struct ifaddrmsg){
		.ifa_family = address->ifa_family,
		.ifa_prefixlen = address->ifa_prefixlen,
		.ifa_scope = address->ifa_scope,
		.ifa_index = index,
	};
	netlink_begin(ret, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &same,
		      sizeof same);
	for (const struct rtattr *a = IFA_RTA(address); RTA_OK(a, left);
	     a = RTA_NEXT(a, left))
		if (is_kept_attribute(a->rta_type))
			netlink_put(ret, a->rta_type, RTA_DATA(a),
				    RTA_PAYLOAD(a));
	flags &= KEPT_FLAGS;
	netlink_put(ret, IFA_FLAGS, &flags, sizeof flags);
	return true;
}

static int take_address(const struct nlmsghdr *answer, void *context)
{
	struct addresses *addresses = context;
	const struct ifaddrmsg *address = NLMSG_DATA(answer);

	if (answer->nlmsg_len < NLMSG_LENGTH(sizeof *address) ||
	    address->ifa_index != addresses->index)
		return 0;
	if (addresses->n == MAX_ADDRESSES)
		return -E2BIG;
	if (netdev_keep_address(answer, 0, &addresses->list[addresses->n]))
		addresses->n++;
	return 0;
}

static int read_addresses(int sock, struct addresses *addresses)
{
	struct ifaddrmsg any = { .ifa_family = AF_UNSPEC };
	struct netlink_request request;
	int r;

	netlink_begin(&request, RTM_GETADDR, NLM_F_DUMP, &any, sizeof any);
	r = netlink_ask(sock, &request, take_address, addresses);
	return r < 0 ? fail(-r, "read the addresses of the interface to move") :
		       0;
}

static int take_index(const struct nlmsghdr *answer, void *context)
{
	const struct ifinfomsg *link = NLMSG_DATA(answer);

	if (answer->nlmsg_type == RTM_NEWLINK &&
	    answer->nlmsg_len >= NLMSG_LENGTH(sizeof *link))
		*(unsigned int *)context = (unsigned int)link->ifi_index;
	return 0;
}

/* Find the index of an interface, or -ENODEV; records no error. */
static int find_link(int sock, const char *name, unsigned int *ret_index)
{
	struct ifinfomsg any = { .ifi_family = AF_UNSPEC };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETLINK, NLM_F_ACK, &any, sizeof any);
	netlink_put_text(&request, IFLA_IFNAME, name);
	return netlink_ask(sock, &request, take_index, ret_index);
}

static int rename_link(int sock, unsigned int index, const char *name)
{
	struct ifinfomsg link = { .ifi_index = (int)index };
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	netlink_put_text(&request, IFLA_IFNAME, name);
	return netlink_call(sock, &request);
}

static int move_link(int sock, unsigned int index, int netns, const char *name)
{
	struct ifinfomsg link = { .ifi_index = (int)index };
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	netlink_put(&request, IFLA_NET_NS_FD, &netns, sizeof netns);
	netlink_put_text(&request, IFLA_IFNAME, name);
	return netlink_call(sock, &request);
}

static int set_up(int sock, unsigned int index)
{
	struct ifinfomsg link = {
		.ifi_index = (int)index,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, 0, &link, sizeof link);
	return netlink_call(sock, &request);
}

static int add_addresses(int sock, unsigned int index,
			 struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->n; i++) {
		struct netlink_request *request = &addresses->list[i];
		struct ifaddrmsg *address = NLMSG_DATA(&request->header);
		int r;

		address->ifa_index = index;
		r = netlink_call(sock, request);
		if (r < 0)
			return fail(-r,
				    "restore address #%zu of the interface in "
				    "the container",
				    i);
	}
	return 0;
}

/*
 * A routing socket always belongs to the network namespace it was made in. A
 * child that shares our descriptors makes it there and replaces one of ours, so
 * this process need not join the namespace and return.
 */
static int open_inside(int netns)
{
	struct kernel_clone_args args = {
		.flags = CLONE_FILES,
		.exit_signal = SIGCHLD,
	};
	autoclose int sock = netlink_open();
	int status = 0;
	pid_t pid;

	if (sock < 0)
		return sock;
	pid = sys_clone3(&args);
	if (pid < 0)
		return fail(errno,
			    "create a process to enter the container's network "
			    "namespace");
	if (pid == 0) {
		int inside;

		if (setns(netns, CLONE_NEWNET) < 0)
			_exit(errno);
		inside = netlink_open();
		if (inside < 0)
			_exit(-inside);
		_exit(dup3(inside, sock, O_CLOEXEC) < 0 || close(inside) < 0 ?
			      errno :
			      0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(WIFEXITED(status) ? WEXITSTATUS(status) : EINTR,
			    "enter the container's network namespace");
	return take_fd(&sock);
}

static bool is_pattern(const char *name)
{
	return strstr(name, "%d") != NULL;
}

static int check(int host, int inside, const struct oci_net_device *device)
{
	unsigned int index;
	int r = find_link(host, device->host_name, &index);

	if (r == -ENODEV)
		return fail(0, "the host has no interface %s",
			    device->host_name);
	if (r < 0)
		return fail(-r, "look up interface %s of the host",
			    device->host_name);
	if (is_pattern(device->name))
		return 0;
	r = find_link(inside, device->name, &index);
	if (r == 0)
		return fail(0, "the container already has an interface %s",
			    device->name);
	return r == -ENODEV ? 0 :
			      fail(-r, "look up interface %s in the container",
				   device->name);
}

/* The index may change, so find the interface by a temporary name. */
static int move(int host, int inside, int netns,
		const struct oci_net_device *device)
{
	struct addresses addresses = { .n = 0 };
	char traveller[IFNAMSIZ];
	const char *name = device->name;
	unsigned int index;
	int r = find_link(host, device->host_name, &addresses.index);

	if (r < 0)
		return fail(-r, "look up interface %s of the host",
			    device->host_name);
	r = read_addresses(host, &addresses);
	if (r < 0)
		return r;
	if (is_pattern(name)) {
		snprintf(traveller, sizeof traveller, "mv%u", addresses.index);
		name = traveller;
	}
	r = move_link(host, addresses.index, netns, name);
	if (r < 0)
		return fail(-r, "move the interface into the container as %s",
			    device->name);
	r = find_link(inside, name, &index);
	if (r < 0)
		return fail(-r, "look up interface %s in the container", name);
	if (name == traveller) {
		r = rename_link(inside, index, device->name);
		if (r < 0)
			return fail(-r, "rename the moved interface to %s",
				    device->name);
	}
	r = add_addresses(inside, index, &addresses);
	if (r < 0)
		return r;
	r = set_up(inside, index);
	return r < 0 ? fail(-r, "bring up interface %s in the container",
			    device->name) :
		       0;
}

int network_move_devices(const struct oci_net_device *devices, size_t n,
			 int netns)
{
	autoclose int host = -1, inside = -1;

	if (n == 0)
		return 0;
	host = netlink_open();
	if (host < 0)
		return fail_in(host, "linux.netDevices");
	inside = open_inside(netns);
	if (inside < 0)
		return fail_in(inside, "linux.netDevices");
	/* Check all of them before moving the first one. */
	for (size_t i = 0; i < n; i++) {
		int r = check(host, inside, &devices[i]);

		if (r < 0)
			return fail_in(r, "linux.netDevices[\"%s\"]",
				       devices[i].host_name);
	}
	for (size_t i = 0; i < n; i++) {
		int r = move(host, inside, netns, &devices[i]);

		if (r < 0)
			return fail_in(r, "linux.netDevices[\"%s\"]",
				       devices[i].host_name);
	}
	return 0;
}

int network_restore_devices(const struct oci_net_device *devices, size_t n,
			    int netns, bool joined)
{
	autoclose int inside = -1;
	unsigned int index;
	int r = 0;

	if (n == 0)
		return 0;
	inside = open_inside(netns);
	if (inside < 0)
		return fail_in(inside, "linux.netDevices");
	if (!joined) {
		r = find_link(inside, "lo", &index);
		if (r == 0)
			r = set_up(inside, index);
		if (r < 0)
			return fail(-r,
				    "bring up the loopback interface (lo) of "
				    "the container");
	}
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (!joined || find_link(inside, devices[i].name, &index) < 0)
			r = network_move_devices(&devices[i], 1, netns);
	return r;
}
