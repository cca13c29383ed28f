/* SPDX-License-Identifier: Apache-2.0 */
/* network/inside.c - the process inside the namespace. */
#include "network/inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/sys.h"
#include "base/util.h"
#include "network/batch.h"
#include "network/dns.h"
#include "network/filter.h"
#include "network/netlink.h"
#include "network/queue.h"

#define BACKLOG 4096

/* What the process inside reports, with the sockets of NET_SOCKETS. */
struct report {
	int error; /* 0, or errno */
	char text[256];
	bool has[NET_SOCKETS];
};

/* ---- inside ---- */

static void write_sysctl(const char *path, const char *value)
{
	autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* Without it, bursts of errors arrive late; nothing else changes. */
	if (fd >= 0)
		(void)!write(fd, value, strlen(value));
}

/*
 * Only groups that its user namespace has can be named, and only a range of
 * them: the first, which has its root.
 */
static void allow_pings(void)
{
	autoclose int fd = open("/proc/self/gid_map", O_RDONLY | O_CLOEXEC);
	char map[128] = "", range[32];
	unsigned int first, count;

	if (fd < 0 || read(fd, map, sizeof map - 1) < 0 ||
	    sscanf(map, "%u %*u %u", &first, &count) != 2 || count == 0)
		return;
	if (count > INT32_MAX)
		count = INT32_MAX;
	snprintf(range, sizeof range, "%u %u", first, first + count - 1);
	write_sysctl("/proc/sys/net/ipv4/ping_group_range", range);
}

/* A transaction that fails costs milliseconds: ask before. */
static bool has_xtables_queue(int sock)
{
	struct nfgenmsg m = { .nfgen_family = AF_INET };
	struct netlink_request request;

	netlink_begin(&request,
		      NFNL_SUBSYS_NFT_COMPAT << 8 | NFNL_MSG_COMPAT_GET, 0, &m,
		      sizeof m);
	netlink_put_text(&request, NFTA_COMPAT_NAME, "NFQUEUE");
	netlink_put(&request, NFTA_COMPAT_REV, &(uint32_t){ htonl(3) }, 4);
	netlink_put(&request, NFTA_COMPAT_TYPE, &(uint32_t){ htonl(1) }, 4);
	return netlink_call(sock, &request) == 0;
}

static int set_filter(struct arena *arena, const struct net_inside_want *want)
{
	autoclose int sock =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct net_filter filter = {
		.loopback = want->loopback,
		.n_loopback = want->n_loopback,
		.has_v6 = want->routing->has_v6,
		.answers_dns = want->routing->answers_dns,
	};
	struct netlink_batch batch;
	int size = 1 << 20;
	uint32_t failed;
	int r;

	if (sock < 0)
		return fail(errno, "open a netlink socket for nf_tables");
	(void)setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	filter.by_xtables = has_xtables_queue(sock);
	batch_open(&batch, arena);
	net_filter_put(&batch, &filter);
	r = batch_send(&batch, sock, &failed);
	return r < 0 ? fail(-r, "set nf_tables rules: message %u", failed) : 0;
}

static int set_routes(struct arena *arena, const struct net_routing *routing,
		      int *ret_sock)
{
	autoclose int sock = netlink_open();
	struct netlink_batch batch;
	int size = 1 << 20;
	uint32_t failed;
	int r;

	if (sock < 0)
		return sock;
	(void)setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	batch_open(&batch, arena);
	net_routes_put(&batch, routing);
	r = batch_send(&batch, sock, &failed);
	if (r < 0)
		return fail(-r, "set routes: message %u", failed);
	*ret_sock = take_fd(&sock);
	return 0;
}

/* A socket that may be bound to any address. */
static int make_transparent(sa_family_t family, int type)
{
	autoclose int sock =
		socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1, r;

	if (sock < 0)
		return -errno;
	(void)setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (family == AF_INET) {
		r = setsockopt(sock, SOL_IP, IP_TRANSPARENT, &one, sizeof one);
		if (r == 0 && type == SOCK_DGRAM)
			r = setsockopt(sock, SOL_IP, IP_RECVORIGDSTADDR, &one,
				       sizeof one);
	} else {
		(void)setsockopt(sock, SOL_IPV6, IPV6_V6ONLY, &one, sizeof one);
		r = setsockopt(sock, SOL_IPV6, IPV6_TRANSPARENT, &one,
			       sizeof one);
		if (r == 0 && type == SOCK_DGRAM)
			r = setsockopt(sock, SOL_IPV6, IPV6_RECVORIGDSTADDR,
				       &one, sizeof one);
	}
	return r < 0 ? -errno : take_fd(&sock);
}

static int make_bound(sa_family_t family, int type, const char *host,
		      uint16_t port)
{
	autoclose int sock = make_transparent(family, type);
	struct net_endpoint at = { .address.family = family, .port = port };
	struct sockaddr_storage address;
	socklen_t len;

	if (sock < 0)
		return fail(-sock, "create a transparent socket");
	(void)inet_pton(family, host, at.address.bytes);
	len = net_endpoint_write(&at, &address);
	if (bind(sock, (struct sockaddr *)&address, len) < 0 ||
	    (type == SOCK_STREAM && listen(sock, BACKLOG) < 0))
		return fail(errno, "listen for connections of the sandbox");
	return take_fd(&sock);
}

static int make_listener(sa_family_t family, int type)
{
	return make_bound(family, type,
			  family == AF_INET ? NET_LISTEN_V4 : NET_LISTEN_V6,
			  NET_LISTEN_PORT);
}

static int make_dns(int sockets[NET_SOCKETS])
{
	int *tcp = &sockets[NET_SOCKET_DNS_TCP];
	int *udp = &sockets[NET_SOCKET_DNS_UDP];

	*tcp = make_bound(AF_INET, SOCK_STREAM, NET_DNS_V4, DNS_PORT);
	*udp = *tcp < 0 ? -1 :
			  make_bound(AF_INET, SOCK_DGRAM, NET_DNS_V4, DNS_PORT);
	return *udp < 0 ? -1 : 0;
}

static int make_raw(sa_family_t family)
{
	int sock = socket(family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  IPPROTO_RAW);

	return sock < 0 ? fail(errno, "create a raw socket") : sock;
}

static int make_sockets(int sockets[NET_SOCKETS], bool has_v6)
{
	static const sa_family_t families[] = { AF_INET, AF_INET6 };

	sockets[NET_SOCKET_QUEUE] = net_queue_open();
	if (sockets[NET_SOCKET_QUEUE] < 0)
		return -1;
	for (size_t i = 0; i < (has_v6 ? 2 : 1); i++) {
		int *at = &sockets[i ? NET_SOCKET_TCP_V6 : NET_SOCKET_TCP_V4];

		at[0] = make_listener(families[i], SOCK_STREAM);
		at[1] = at[0] < 0 ? -1 : make_listener(families[i], SOCK_DGRAM);
		at[2] = at[1] < 0 ? -1 : make_raw(families[i]);
		if (at[2] < 0)
			return -1;
	}
	return 0;
}

/* A kernel without IPv6 has only the first. */
static void open_tables(int sockets[NET_SOCKETS])
{
	sockets[NET_TABLE_TCP_V4] =
		open("/proc/self/net/tcp", O_RDONLY | O_CLOEXEC);
	sockets[NET_TABLE_TCP_V6] =
		open("/proc/self/net/tcp6", O_RDONLY | O_CLOEXEC);
}

static int set_up(struct arena *arena, const struct net_inside_want *want,
		  int sockets[NET_SOCKETS])
{
	int r;

	if (want->userns >= 0 && setns(want->userns, CLONE_NEWUSER) < 0)
		return fail(errno, "enter the sandbox's user namespace");
	if (setns(want->netns, CLONE_NEWNET) < 0)
		return fail(errno, "enter the sandbox's network namespace");
	if (want->publishes)
		open_tables(sockets);
	if (!want->routing)
		return 0;
	r = set_routes(arena, want->routing, &sockets[NET_SOCKET_ROUTES]);
	if (r < 0)
		return r;
	write_sysctl("/proc/sys/net/ipv4/icmp_ratemask", "0");
	write_sysctl("/proc/sys/net/ipv6/icmp/ratelimit", "0");
	if (want->routing->pings)
		allow_pings();
	r = make_sockets(sockets, want->routing->has_v6);
	if (r == 0 && want->routing->answers_dns)
		r = make_dns(sockets);
	return r < 0 ? r : set_filter(arena, want);
}

/* What the engine asks for. */
struct order {
	sa_family_t family;
	int type;
};

static int make_socket(const struct order *order)
{
	if (order->type == SOCK_DGRAM)
		return make_transparent(order->family, SOCK_DGRAM);
	return socket(order->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		      0);
}

/* Make sockets until the engine ends. */
static void serve(int link)
{
	struct order order;

	while (recv(link, &order, sizeof order, 0) == sizeof order) {
		int fds[NET_POOL];
		size_t n = 0;

		while (n < NET_POOL) {
			fds[n] = make_socket(&order);
			if (fds[n] < 0)
				break;
			n++;
		}
		if (io_send_fds(link, &n, sizeof n, fds, n) < 0)
			break;
		while (n > 0)
			close(fds[--n]);
	}
}

static _Noreturn void run_inside(struct arena *arena,
				 const struct net_inside_want *want, int link)
{
	struct report report = { 0 };
	int sockets[NET_SOCKETS], fds[NET_SOCKETS], r;
	size_t n = 0;

	for (size_t i = 0; i < NET_SOCKETS; i++)
		sockets[i] = -1;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_DUMPABLE, 0);
	r = set_up(arena, want, sockets);
	if (r < 0) {
		report.error = -r;
		strncpy(report.text, err_text(), sizeof report.text - 1);
	}
	for (size_t i = 0; i < NET_SOCKETS; i++) {
		report.has[i] = r >= 0 && sockets[i] >= 0;
		if (report.has[i])
			fds[n++] = sockets[i];
	}
	if (io_send_fds(link, &report, sizeof report, fds, n) < 0 || r < 0 ||
	    dup2(link, 0) < 0 || sys_close_range(1, ~0U, 0) < 0)
		_exit(1);
	serve(0);
	_exit(0);
}

/* ---- outside ---- */

/* Receive a message of this length, with up to `room` descriptors. */
static int receive(int link, void *data, size_t len, int *fds, size_t room,
		   size_t *ret_n)
{
	ssize_t n = io_receive_fds(link, data, len, fds, room, ret_n);

	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EPIPE;
}

static int take_report(struct net_inside *inside)
{
	struct report report = { 0 };
	int fds[NET_POOL], r;
	size_t n, at = 0;

	r = receive(inside->link, &report, sizeof report, fds, COUNT(fds), &n);
	if (r < 0)
		return fail(-r, "set up the network of the sandbox: its "
				"helper ended");
	if (report.error)
		return fail(0, "set up the network of the sandbox: %s",
			    report.text);
	for (size_t i = 0; i < NET_SOCKETS; i++)
		if (report.has[i] && at < n)
			inside->sockets[i] = fds[at++];
	return 0;
}

int net_inside_open(struct arena *arena, const struct net_inside_want *want,
		    struct net_inside *ret)
{
	AUTO(net_inside_close) struct net_inside inside = NET_INSIDE_NONE;
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail(errno, "create a socket pair");
	inside.link = pair[0];
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		run_inside(arena, want, pair[1]);
	}
	close(pair[1]);
	if (pid < 0)
		return fail(errno, "create a process to set up the network");
	inside.pid = pid;
	inside.pidfd = sys_pidfd_open(pid);
	if (inside.pidfd < 0)
		return fail(errno, "open a pidfd of process %d", pid);
	r = take_report(&inside);
	if (r < 0)
		return r;
	*ret = inside;
	inside = (struct net_inside)NET_INSIDE_NONE;
	return 0;
}

/* Take one of a pool, which the process inside fills. */
static int take_from(struct net_inside *inside, struct net_pool *pool,
		     const struct order *order)
{
	if (pool->n == 0) {
		size_t said;
		int r;

		if (send(inside->link, order, sizeof *order, MSG_NOSIGNAL) < 0)
			return -errno;
		r = receive(inside->link, &said, sizeof said, pool->fds,
			    NET_POOL, &pool->n);
		if (r < 0)
			return r;
	}
	if (pool->n == 0)
		return -EMFILE;
	return pool->fds[--pool->n];
}

int net_inside_datagram(struct net_inside *inside, sa_family_t family)
{
	const struct order order = { .family = family, .type = SOCK_DGRAM };

	return take_from(inside, &inside->datagrams[family == AF_INET6],
			 &order);
}

int net_inside_stream(struct net_inside *inside, sa_family_t family)
{
	const struct order order = { .family = family, .type = SOCK_STREAM };

	return take_from(inside, &inside->streams[family == AF_INET6], &order);
}

static void close_pool(struct net_pool *pool)
{
	while (pool->n > 0)
		close(pool->fds[--pool->n]);
}

void net_inside_close(struct net_inside *inside)
{
	for (size_t i = 0; i < NET_SOCKETS; i++)
		closep(&inside->sockets[i]);
	for (size_t v6 = 0; v6 < 2; v6++) {
		close_pool(&inside->datagrams[v6]);
		close_pool(&inside->streams[v6]);
	}
	closep(&inside->link);
	if (inside->pidfd >= 0) {
		siginfo_t info;

		(void)sys_pidfd_send_signal(inside->pidfd, SIGKILL);
		(void)waitid(P_PIDFD, (id_t)inside->pidfd, &info, WEXITED);
	}
	closep(&inside->pidfd);
}
