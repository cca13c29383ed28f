/* SPDX-License-Identifier: Apache-2.0 */
/* network/dns_server.c - decide on queries, resolve names, send answers. */
#include "network/dns_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/util.h"
#include "network/dns_internal.h"

#define ROUNDS 64
#define MESSAGES 65536
#define CLASS_ANY 255

/* ---- answers ---- */

static void send_answer(struct net_dns *dns, const struct dns_from *from,
			const struct dns_query *query,
			const struct dns_answer *answer)
{
	uint8_t bytes[DNS_MOST];
	struct sockaddr_storage to;
	size_t limit = query->datagram, n;
	socklen_t len;

	if (limit < DNS_PLAIN)
		limit = DNS_PLAIN;
	if (limit > DNS_DATAGRAM)
		limit = DNS_DATAGRAM;
	n = dns_answer_write(query, answer, from->client ? DNS_MOST : limit,
			     bytes);
	if (from->client) {
		dns_tcp_send(from->client, bytes, n);
		return;
	}
	len = net_endpoint_write(&from->peer, &to);
	/* A datagram may be lost: the client asks again. */
	(void)sendto(dns->udp.fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL,
		     (struct sockaddr *)&to, len);
}

static void send_code(struct net_dns *dns, const struct dns_from *from,
		      const struct dns_query *query, enum dns_code code)
{
	struct dns_answer answer = { .code = code };

	send_answer(dns, from, query, &answer);
}

static void send_addresses(struct net_dns *dns, const struct dns_from *from,
			   const struct dns_query *query,
			   const struct net_pinned *pinned)
{
	sa_family_t family = query->type == DNS_A ? AF_INET : AF_INET6;
	struct net_address some[NET_PINS_EACH];
	int64_t left = (pinned->expires - now_ms()) / 1000;
	struct dns_answer answer = {
		.code = pinned->exists ? DNS_NO_ERROR : DNS_NO_NAME,
		.addresses = some,
		.ttl = left > 0 ? (uint32_t)left : 0,
	};

	for (size_t i = 0; i < pinned->n && answer.n < COUNT(some); i++)
		if (pinned->addresses[i].family == family)
			some[answer.n++] = pinned->addresses[i];
	send_answer(dns, from, query, &answer);
}

/* A name that was resolved at the start leads to the same addresses for ever. */
static bool find_permanent(const struct net_dns *dns, const char *name,
			   struct net_pinned *ret)
{
	for (size_t i = 0; i < dns->rules->n_allow; i++) {
		const struct net_judge_rule *rule = &dns->rules->allow[i];

		if (rule->rule.host.kind != NET_HOST_NAME ||
		    !net_rule_has_name(&rule->rule, name))
			continue;
		*ret = (struct net_pinned){
			.name = name,
			.exists = true,
			.addresses = rule->pins,
			.n = rule->n_pins,
			.expires = now_ms() + NET_TTL_UNKNOWN * INT64_C(1000),
		};
		return true;
	}
	return false;
}

/* Answer a query for which nothing has to be resolved. */
static bool answer_now(struct net_dns *dns, const struct dns_from *from,
		       const struct dns_query *query)
{
	const struct net_pinned *pinned;
	struct net_pinned permanent;
	enum dns_code code = query->code;

	if (code == DNS_NO_ERROR &&
	    (query->type == DNS_PTR ||
	     (query->class != DNS_IN && query->class != CLASS_ANY)))
		code = DNS_REFUSED;
	else if (code == DNS_NO_ERROR &&
		 (!*query->name || !net_rules_answer(dns->rules, query->name)))
		code = DNS_NO_NAME;
	/* Nothing but addresses: other records may lead elsewhere. */
	if (code != DNS_NO_ERROR ||
	    (query->type != DNS_A && query->type != DNS_AAAA)) {
		send_code(dns, from, query, code);
		return true;
	}
	if (find_permanent(dns, query->name, &permanent))
		pinned = &permanent;
	else
		pinned = net_pins_find(dns->pins, query->name);
	if (pinned)
		send_addresses(dns, from, query, pinned);
	return pinned != NULL;
}

/* ---- lookups ---- */

static void end_waiter(struct dns_waiter *waiter)
{
	if (waiter->from.client)
		waiter->from.client->waiting--;
	waiter->used = false;
}

void dns_forget(struct net_dns *dns, const struct dns_client *client)
{
	for (size_t i = 0; i < DNS_WAITERS; i++)
		if (dns->waiters[i].used &&
		    dns->waiters[i].from.client == client)
			end_waiter(&dns->waiters[i]);
}

/* Tell everybody who waits for the name what has become of it. */
static void answer_waiters(struct net_dns *dns, const char *name)
{
	for (size_t i = 0; i < DNS_WAITERS; i++) {
		struct dns_waiter *waiter = &dns->waiters[i];

		if (!waiter->used || !streq(waiter->query.name, name))
			continue;
		if (!answer_now(dns, &waiter->from, &waiter->query))
			send_code(dns, &waiter->from, &waiter->query,
				  DNS_FAILED);
		end_waiter(waiter);
	}
}

/*
 * Pin a result. A name never leads to loopback, link-local or private addresses
 * or to the host itself, unless a rule names the address.
 */
static int pin(struct net_dns *dns, const char *name,
	       const struct net_lookup_result *result)
{
	struct net_address kept[NET_PINS_EACH];
	uint32_t ttl = result->found == NET_FOUND ? net_pins_ttl(result->ttl) :
						    NET_TTL_NO_NAME;
	struct net_pinned pinned = {
		.name = name,
		.exists = result->found == NET_FOUND,
		.addresses = kept,
		.expires = now_ms() + ttl * INT64_C(1000),
	};
	int r;

	for (size_t i = 0; i < result->n; i++)
		if (net_rules_may_pin(dns->rules, &result->addresses[i]))
			kept[pinned.n++] = result->addresses[i];
	r = net_pins_put(dns->pins, &pinned, dns_withdraw, dns);
	for (size_t i = 0; i < pinned.n && r == 0; i++)
		r = dns_admit(dns, &kept[i]);
	return r;
}

static void end_lookup(struct net_dns *dns, struct dns_lookup *lookup,
		       const struct net_lookup_result *result)
{
	lookup->source.fd = -1;
	/* Without a pin, the clients are told that it has failed. */
	if (result->found != NET_FOUND_NOTHING)
		(void)pin(dns, lookup->name, result);
	answer_waiters(dns, lookup->name);
}

static bool is_running(const struct net_dns *dns, const char *name)
{
	for (size_t i = 0; i < DNS_LOOKUPS; i++)
		if (dns->lookups[i].source.fd >= 0 &&
		    streq(dns->lookups[i].name, name))
			return true;
	return false;
}

static void lookup_ready(struct net_engine *engine, struct net_source *source,
			 uint32_t events);

static int start_lookup(struct net_dns *dns, struct dns_lookup *lookup,
			const char *name)
{
	int r = net_lookup_start(&lookup->lookup, dns->helper, name);

	if (r < 0)
		return r;
	lookup->source = (struct net_source){ .fd = lookup->lookup.out,
					      .ready = lookup_ready };
	r = net_watch(dns->engine, &lookup->source, EPOLLIN);
	if (r < 0) {
		net_lookup_end(&lookup->lookup);
		lookup->source.fd = -1;
		return r;
	}
	memcpy(lookup->name, name, strlen(name) + 1);
	lookup->expires = now_ms() + NET_LOOKUP_SECONDS * INT64_C(1000);
	return 0;
}

/* Start as many as there are places for. */
static void start_lookups(struct net_dns *dns)
{
	size_t free = 0;

	for (size_t i = 0; i < DNS_WAITERS; i++) {
		const char *name = dns->waiters[i].query.name;

		if (!dns->waiters[i].used || is_running(dns, name))
			continue;
		while (free < DNS_LOOKUPS && dns->lookups[free].source.fd >= 0)
			free++;
		if (free == DNS_LOOKUPS)
			return;
		if (start_lookup(dns, &dns->lookups[free], name) < 0)
			answer_waiters(dns, name);
	}
}

static void lookup_ready(struct net_engine *engine, struct net_source *source,
			 uint32_t events)
{
	struct dns_lookup *lookup = (struct dns_lookup *)source;
	struct net_lookup_result result;

	(void)events;
	if (source->fd < 0 || !net_lookup_read(&lookup->lookup, &result))
		return;
	end_lookup(engine->dns, lookup, &result);
	start_lookups(engine->dns);
}

/* ---- queries ---- */

static bool is_same(const struct dns_from *a, const struct dns_from *b)
{
	return a->client == b->client && a->peer.port == b->peer.port &&
	       net_address_equal(&a->peer.address, &b->peer.address);
}

static void wait_for_lookup(struct net_dns *dns, const struct dns_from *from,
			    const struct dns_query *query)
{
	struct dns_waiter *free = NULL;

	for (size_t i = 0; i < DNS_WAITERS; i++) {
		struct dns_waiter *waiter = &dns->waiters[i];

		if (!waiter->used)
			free = waiter;
		else if (is_same(&waiter->from, from) &&
			 waiter->query.id == query->id &&
			 waiter->query.type == query->type &&
			 streq(waiter->query.name, query->name))
			return; /* the client has asked again */
	}
	if (!free) {
		send_code(dns, from, query, DNS_FAILED);
		return;
	}
	*free = (struct dns_waiter){
		.used = true,
		.from = *from,
		.query = *query,
		.expires = now_ms() + NET_LOOKUP_SECONDS * INT64_C(1000),
	};
	if (from->client)
		from->client->waiting++;
	start_lookups(dns);
}

bool dns_take(struct net_dns *dns, const struct dns_from *from,
	      const uint8_t *bytes, size_t n)
{
	struct dns_query query;

	if (dns_query_read(bytes, n, &query) < 0)
		return false;
	if (!answer_now(dns, from, &query))
		wait_for_lookup(dns, from, &query);
	return true;
}

static void udp_ready(struct net_engine *engine, struct net_source *source,
		      uint32_t events)
{
	(void)events;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct dns_from from = { .client = NULL };
		struct sockaddr_storage sender;
		socklen_t len = sizeof sender;
		uint8_t bytes[DNS_MOST];
		ssize_t n = recvfrom(source->fd, bytes, sizeof bytes,
				     MSG_DONTWAIT | MSG_TRUNC,
				     (struct sockaddr *)&sender, &len);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 || (size_t)n > sizeof bytes ||
		    net_endpoint_read((struct sockaddr *)&sender, len,
				      &from.peer) < 0)
			continue;
		(void)dns_take(engine->dns, &from, bytes, (size_t)n);
	}
}

/* ---- the server ---- */

static int64_t earlier(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

static int64_t expire_lookups(struct net_dns *dns, int64_t now)
{
	const struct net_lookup_result none = { .found = NET_FOUND_NOTHING };
	bool ended = false;
	int64_t next = 0;

	for (size_t i = 0; i < DNS_LOOKUPS; i++) {
		struct dns_lookup *lookup = &dns->lookups[i];

		if (lookup->source.fd < 0 || lookup->expires > now)
			continue;
		net_lookup_end(&lookup->lookup);
		end_lookup(dns, lookup, &none);
		ended = true;
	}
	for (size_t i = 0; i < DNS_WAITERS; i++) {
		struct dns_waiter *waiter = &dns->waiters[i];

		if (!waiter->used || waiter->expires > now)
			continue;
		send_code(dns, &waiter->from, &waiter->query, DNS_FAILED);
		end_waiter(waiter);
	}
	if (ended)
		start_lookups(dns);
	for (size_t i = 0; i < DNS_LOOKUPS; i++)
		if (dns->lookups[i].source.fd >= 0)
			next = earlier(next, dns->lookups[i].expires);
	for (size_t i = 0; i < DNS_WAITERS; i++)
		if (dns->waiters[i].used)
			next = earlier(next, dns->waiters[i].expires);
	return next;
}

int net_dns_expire(struct net_dns *dns)
{
	int64_t now = now_ms(), next;

	next = net_pins_expire(dns->pins, now, dns_withdraw, dns);
	next = earlier(next, dns_sweep(dns, now));
	next = earlier(next, expire_lookups(dns, now));
	next = earlier(next, dns_tcp_expire(dns, now));
	return next == 0 ? -1 : (int)(next - now);
}

static int watch(struct net_dns *dns, struct net_source *source, int fd,
		 void (*ready)(struct net_engine *, struct net_source *,
			       uint32_t))
{
	int r;

	source->fd = fd;
	source->ready = ready;
	r = net_watch(dns->engine, source, EPOLLIN);
	return r < 0 ? fail(-r, "watch the sockets for DNS") : 0;
}

int net_dns_open(struct net_engine *engine, const struct net_dns_want *want,
		 struct net_dns **ret)
{
	AUTO(freep) struct net_dns *dns = calloc(1, sizeof *dns);
	const int *sockets = engine->inside.sockets;
	int r;

	if (!dns || !(dns->pins = net_pins_open()))
		return fail(ENOMEM, "start to answer DNS");
	r = arena_open(&dns->messages, MESSAGES);
	if (r < 0) {
		net_pins_close(dns->pins);
		return r;
	}
	dns->engine = engine;
	dns->helper = want->helper;
	dns->rules = want->rules;
	dns->routing = want->routing;
	dns->rules->names = dns->pins;
	for (size_t i = 0; i < DNS_CLIENTS; i++)
		dns->clients[i].source.fd = -1;
	for (size_t i = 0; i < DNS_LOOKUPS; i++) {
		dns->lookups[i].source.fd = -1;
		dns->lookups[i].lookup = (struct net_lookup)NET_LOOKUP_NONE;
	}
	*ret = take_ptr(dns);
	r = watch(*ret, &(*ret)->udp, sockets[NET_SOCKET_DNS_UDP], udp_ready);
	return r < 0 ? r :
		       watch(*ret, &(*ret)->tcp, sockets[NET_SOCKET_DNS_TCP],
			     dns_tcp_accept);
}

void net_dns_close(struct net_dns *dns)
{
	if (!dns)
		return;
	for (size_t i = 0; i < DNS_CLIENTS; i++)
		if (dns->clients[i].source.fd >= 0)
			dns_tcp_close(dns, &dns->clients[i]);
	for (size_t i = 0; i < DNS_LOOKUPS; i++)
		net_lookup_end(&dns->lookups[i].lookup);
	dns->rules->names = NULL;
	net_pins_close(dns->pins);
	arena_close(&dns->messages);
	free(dns);
}
