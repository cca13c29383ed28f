/* SPDX-License-Identifier: Apache-2.0 */
/* network/netdev.h - keep addresses of an interface that is moved. */
#pragma once

#include "network/netlink.h"

/*
 * Convert an answer about an address to the request that adds it to interface
 * `index`; false if it is not kept (not permanent, not global).
 */
bool netdev_keep_address(const struct nlmsghdr *answer, unsigned int index,
			 struct netlink_request *ret);
