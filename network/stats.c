/* SPDX-License-Identifier: Apache-2.0 */
/* network/stats.c - write the counters of the interfaces of a namespace. */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "network/network.h"
#include "oci/write.h"

#define COLUMNS 16 /* of numbers in a line of /proc/net/dev */

/* The columns that clients of `events` expect. */
static const struct {
	const char *key;
	size_t column;
} counters[] = {
	{ "RxBytes", 0 },   { "RxPackets", 1 },	 { "RxErrors", 2 },
	{ "RxDropped", 3 }, { "TxBytes", 8 },	 { "TxPackets", 9 },
	{ "TxErrors", 10 }, { "TxDropped", 11 },
};

/* "  eth0: 1 2 3 …"; the lines above have no colon. */
static bool parse_line(const char *line, size_t len, char *ret_name,
		       uint64_t *ret)
{
	const char *name = line + strspn(line, " ");
	const char *colon = memchr(line, ':', len), *at;

	if (!colon || colon - name >= IF_NAMESIZE)
		return false;
	at = colon + 1;
	for (size_t i = 0; i < COLUMNS; i++) {
		int used = 0;

		if (sscanf(at, " %" SCNu64 "%n", &ret[i], &used) != 1 ||
		    at + used > line + len)
			return false;
		at += used;
	}
	memcpy(ret_name, name, (size_t)(colon - name));
	ret_name[colon - name] = '\0';
	return true;
}

void network_put_stats(struct writer *w, const char *key, const char *text)
{
	put_array(w, key);
	while (*text) {
		size_t len = strcspn(text, "\n");
		char name[IF_NAMESIZE];
		uint64_t values[COLUMNS];

		if (parse_line(text, len, name, values)) {
			put_object(w, NULL);
			put_string(w, "Name", name);
			for (size_t i = 0; i < COUNT(counters); i++)
				put_u64(w, counters[i].key,
					values[counters[i].column]);
			put_end(w);
		}
		text += len;
		text += *text == '\n';
	}
	put_end(w);
}
