/* SPDX-License-Identifier: Apache-2.0 */
/* network/listeners.h - which ports of a namespace have a server. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "network/address.h"

/*
 * Find a server of the port in lines of /proc/net/tcp or tcp6, whose sockets
 * that listen come first. *ret is where to connect to it from inside: only a
 * server on a loopback address or on every address counts. *ret_more: all lines
 * were about such sockets, so the next lines may be, too.
 */
bool net_listeners_find(const char *lines, size_t len, sa_family_t family,
			uint16_t port, struct net_endpoint *ret,
			bool *ret_more);
