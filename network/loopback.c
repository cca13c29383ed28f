/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/loopback.c - set lo up, in the child: no allocation, no formatting.
 */
#include "network/network.h"

#include <errno.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/auto.h"

int network_loopback_up(void)
{
	autoclose int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {
		.ifr_name = "lo",
		.ifr_flags = IFF_UP | IFF_LOOPBACK,
	};

	/* A kernel without IPv4 has no address for lo. */
	if (sock < 0)
		return errno == EAFNOSUPPORT ? 0 : -1;
	/* A new one has no other flags. */
	return ioctl(sock, SIOCSIFFLAGS, &request);
}
