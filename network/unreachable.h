/* SPDX-License-Identifier: Apache-2.0 */
/* network/unreachable.h - tell a sender that nobody listens on a UDP port. */
#pragma once

struct net_endpoint;

/* Send "port unreachable" by a raw socket, as if the destination had sent it. */
void net_unreachable_send(int raw, const struct net_endpoint *sender,
			  const struct net_endpoint *destination);
