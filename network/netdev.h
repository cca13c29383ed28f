/* SPDX-License-Identifier: Apache-2.0 */
/* network/netdev.h - what is kept of an address when its interface moves. */
#pragma once

#include "network/netlink.h"

/*
 * From an answer about an address to the request that gives it to interface
 * `index`; false when it is not one to keep (not permanent, not global).
 */
bool netdev_keep_address(const struct nlmsghdr *answer, unsigned int index,
			 struct netlink_request *ret);
