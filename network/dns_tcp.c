/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/dns_tcp.c - DNS over TCP: many queries in one connection, answered in
 * any order (RFC 7766).
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "network/dns_internal.h"

#define IDLE_MS 10000
#define EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

void dns_tcp_close(struct net_dns *dns, struct dns_client *client)
{
	dns_forget(dns, client);
	closep(&client->source.fd);
}

/* Returns false if the connection has failed. */
static bool flush(struct dns_client *client)
{
	while (client->out_len > 0) {
		ssize_t n = send(client->source.fd, client->out,
				 client->out_len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		client->out_len -= (size_t)n;
		memmove(client->out, client->out + n, client->out_len);
	}
	return true;
}

/* Have it closed at the end of the turn. */
static void give_up(struct dns_client *client)
{
	client->ended = true;
	client->expires = 0;
}

void dns_tcp_send(struct dns_client *client, const uint8_t *bytes, size_t n)
{
	uint8_t *at = client->out + client->out_len;

	/* A client that does not read its answers is not worth the memory. */
	if (n + 2 > sizeof client->out - client->out_len) {
		give_up(client);
		return;
	}
	at[0] = (uint8_t)(n >> 8);
	at[1] = (uint8_t)n;
	memcpy(at + 2, bytes, n);
	client->out_len += n + 2;
	if (!flush(client))
		give_up(client);
}

/* Returns false if a message is malformed or too large. */
static bool take_messages(struct net_dns *dns, struct dns_client *client)
{
	const struct dns_from from = { .client = client };
	size_t at = 0;

	while (client->in_len - at >= 2 && !client->ended) {
		size_t n = (size_t)client->in[at] << 8 | client->in[at + 1];

		if (n > DNS_MOST)
			return false;
		if (client->in_len - at < 2 + n)
			break;
		if (!dns_take(dns, &from, client->in + at + 2, n))
			return false;
		at += 2 + n;
	}
	client->in_len -= at;
	memmove(client->in, client->in + at, client->in_len);
	return true;
}

static void client_ready(struct net_engine *engine, struct net_source *source,
			 uint32_t events)
{
	struct dns_client *client = (struct dns_client *)source;

	(void)events;
	while (client->source.fd >= 0 && !client->ended) {
		ssize_t n = recv(client->source.fd, client->in + client->in_len,
				 sizeof client->in - client->in_len,
				 MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			client->ended = true;
			break;
		}
		client->expires = now_ms() + IDLE_MS;
		client->in_len += (size_t)n;
		if (!take_messages(engine->dns, client))
			give_up(client);
	}
	if (client->source.fd >= 0 && !flush(client))
		give_up(client);
}

/* A free place, or that of the connection that is idle for the longest time. */
static struct dns_client *find_place(struct net_dns *dns)
{
	struct dns_client *oldest = &dns->clients[0];

	for (size_t i = 0; i < DNS_CLIENTS; i++) {
		if (dns->clients[i].source.fd < 0)
			return &dns->clients[i];
		if (dns->clients[i].expires < oldest->expires)
			oldest = &dns->clients[i];
	}
	dns_tcp_close(dns, oldest);
	return oldest;
}

void dns_tcp_accept(struct net_engine *engine, struct net_source *listener,
		    uint32_t events)
{
	struct net_dns *dns = engine->dns;

	(void)events;
	for (;;) {
		struct dns_client *client;
		int fd = accept4(listener->fd, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			net_tcp_refuse(engine, listener->fd);
		if (fd < 0)
			return;
		client = find_place(dns);
		client->source =
			(struct net_source){ .fd = fd, .ready = client_ready };
		client->ended = false;
		client->waiting = client->in_len = client->out_len = 0;
		client->expires = now_ms() + IDLE_MS;
		if (net_watch(engine, &client->source, EVENTS) < 0)
			closep(&client->source.fd);
	}
}

int64_t dns_tcp_expire(struct net_dns *dns, int64_t now)
{
	int64_t next = 0;

	for (size_t i = 0; i < DNS_CLIENTS; i++) {
		struct dns_client *client = &dns->clients[i];

		if (client->source.fd < 0)
			continue;
		if (client->expires <= now ||
		    (client->ended && client->waiting == 0 &&
		     client->out_len == 0))
			dns_tcp_close(dns, client);
		else if (next == 0 || client->expires < next)
			next = client->expires;
	}
	return next;
}
