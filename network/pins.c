/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/pins.c - a table of names; their addresses are in a second table, in
 * which the judge looks.
 */
#include "network/pins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network/rules.h"

#define BUCKETS 4096
#define FNV_START 2166136261U
#define FNV_PRIME 16777619U

struct pin {
	const struct entry *entry;
	const struct net_address *address;
	struct pin *next; /* with the same hash */
};

struct entry {
	struct net_pinned pinned;
	struct entry *before, *after; /* sorted by the time of their end */
	struct entry *next;	      /* with the same hash */
	char name[256];
	struct net_address addresses[NET_PINS_EACH];
	struct pin pins[NET_PINS_EACH];
};

struct net_pins {
	struct entry *names[BUCKETS];
	struct pin *addresses[BUCKETS];
	struct entry *first, *last;
	size_t n;
};

static uint32_t hash_bytes(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint32_t hash = FNV_START;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash % BUCKETS;
}

static uint32_t hash_address(const struct net_address *address)
{
	return hash_bytes(address->bytes, sizeof address->bytes);
}

struct net_pins *net_pins_open(void)
{
	return calloc(1, sizeof(struct net_pins));
}

void net_pins_close(struct net_pins *pins)
{
	if (!pins)
		return;
	while (pins->first) {
		struct entry *entry = pins->first;

		pins->first = entry->after;
		free(entry);
	}
	free(pins);
}

uint32_t net_pins_ttl(int64_t seconds)
{
	if (seconds < 0)
		return NET_TTL_UNKNOWN;
	if (seconds < NET_TTL_LEAST)
		return NET_TTL_LEAST;
	return seconds > NET_TTL_MOST ? NET_TTL_MOST : (uint32_t)seconds;
}

static struct entry *find(const struct net_pins *pins, const char *name)
{
	struct entry *entry = pins->names[hash_bytes(name, strlen(name))];

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	return entry;
}

const struct net_pinned *net_pins_find(const struct net_pins *pins,
				       const char *name)
{
	const struct entry *entry = find(pins, name);

	return entry ? &entry->pinned : NULL;
}

/* The list is sorted: start from its end, where most belong. */
static void link_entry(struct net_pins *pins, struct entry *entry)
{
	struct entry **bucket =
		&pins->names[hash_bytes(entry->name, strlen(entry->name))];
	struct entry *before = pins->last;

	while (before && before->pinned.expires > entry->pinned.expires)
		before = before->before;
	entry->before = before;
	entry->after = before ? before->after : pins->first;
	*(before ? &before->after : &pins->first) = entry;
	*(entry->after ? &entry->after->before : &pins->last) = entry;
	entry->next = *bucket;
	*bucket = entry;
	for (size_t i = 0; i < entry->pinned.n; i++) {
		struct pin **at =
			&pins->addresses[hash_address(&entry->addresses[i])];

		entry->pins[i] =
			(struct pin){ entry, &entry->addresses[i], *at };
		*at = &entry->pins[i];
	}
	pins->n++;
}

static void unlink_entry(struct net_pins *pins, struct entry *entry)
{
	struct entry **at =
		&pins->names[hash_bytes(entry->name, strlen(entry->name))];

	*(entry->before ? &entry->before->after : &pins->first) = entry->after;
	*(entry->after ? &entry->after->before : &pins->last) = entry->before;
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	for (size_t i = 0; i < entry->pinned.n; i++) {
		struct pin **pin =
			&pins->addresses[hash_address(&entry->addresses[i])];

		while (*pin != &entry->pins[i])
			pin = &(*pin)->next;
		*pin = entry->pins[i].next;
	}
	pins->n--;
}

/* When `gone` is called, the pin does not match any more. */
static void
end_entry(struct net_pins *pins, struct entry *entry,
	  void (*gone)(void *ctx, const struct net_address *address), void *ctx)
{
	unlink_entry(pins, entry);
	for (size_t i = 0; i < entry->pinned.n && gone; i++)
		gone(ctx, &entry->addresses[i]);
	free(entry);
}

int net_pins_put(struct net_pins *pins, const struct net_pinned *pinned,
		 void (*gone)(void *ctx, const struct net_address *address),
		 void *ctx)
{
	struct entry *entry, *old = find(pins, pinned->name);
	size_t len = strlen(pinned->name);

	entry = len < sizeof entry->name ? calloc(1, sizeof *entry) : NULL;
	if (!entry)
		return -ENOMEM;
	entry->pinned = *pinned;
	memcpy(entry->name, pinned->name, len);
	entry->pinned.name = entry->name;
	entry->pinned.addresses = entry->addresses;
	if (entry->pinned.n > NET_PINS_EACH)
		entry->pinned.n = NET_PINS_EACH;
	if (entry->pinned.n > 0)
		memcpy(entry->addresses, pinned->addresses,
		       entry->pinned.n * sizeof *entry->addresses);
	link_entry(pins, entry);
	if (old)
		end_entry(pins, old, gone, ctx);
	if (pins->n > NET_PINS_NAMES)
		end_entry(pins,
			  pins->first == entry ? entry->after : pins->first,
			  gone, ctx);
	return 0;
}

int64_t net_pins_expire(struct net_pins *pins, int64_t now,
			void (*gone)(void *ctx,
				     const struct net_address *address),
			void *ctx)
{
	while (pins->first && pins->first->pinned.expires <= now)
		end_entry(pins, pins->first, gone, ctx);
	return pins->first ? pins->first->pinned.expires : 0;
}

bool net_pins_match(const struct net_pins *pins, const struct net_rule *rule,
		    const struct net_address *address)
{
	const struct pin *pin = pins->addresses[hash_address(address)];

	for (; pin; pin = pin->next)
		if (net_address_equal(pin->address, address) &&
		    net_rule_has_name(rule, pin->entry->name))
			return true;
	return false;
}

const char *net_pins_name(const struct net_pins *pins,
			  const struct net_address *address)
{
	const struct pin *pin = pins->addresses[hash_address(address)];

	for (; pin; pin = pin->next)
		if (net_address_equal(pin->address, address))
			return pin->entry->name;
	return NULL;
}
