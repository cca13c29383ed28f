/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/numbers.c - any text as a number, size, id, signal, list or
 * time, beside what it means by definition.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/num.h"
#include "confine/caps.h"
#include "policy/values.h"
#include "runtime/container/container.h"
#include "tests/fuzz/fuzz.h"

#define LIST_BITS 1024
#define TOO_LARGE ((unsigned __int128)1 << 80)

/* The digits at the beginning of text; *ret_len is 0 when there are none. */
static unsigned __int128 digits(const char *text, size_t *ret_len)
{
	unsigned __int128 n = 0;

	for (*ret_len = 0; text[*ret_len] >= '0' && text[*ret_len] <= '9';
	     ++*ret_len)
		if (n < TOO_LARGE)
			n = n * 10 + (unsigned)(text[*ret_len] - '0');
	return n;
}

static void try_plain(const char *text)
{
	size_t len, signed_len;
	bool negative = text[0] == '-';
	unsigned __int128 n = digits(text, &len);
	unsigned __int128 m = digits(text + negative, &signed_len);
	bool whole = len && !text[len];
	bool whole_signed = signed_len && !text[negative + signed_len];
	uint64_t u64 = 0;
	uint32_t u32 = 0;
	int64_t i64 = 0;

	demand((num_u64(text, &u64) == 0) == (whole && n <= UINT64_MAX));
	demand(!(whole && n <= UINT64_MAX) || u64 == n);
	demand((num_u32(text, &u32) == 0) == (whole && n <= UINT32_MAX));
	demand(!(whole && n <= UINT32_MAX) || u32 == n);
	demand((num_id(text, &u32) == 0) == (whole && n < UINT32_MAX));
	demand(!(whole && n < UINT32_MAX) || u32 == n);
	whole_signed &= m <= (unsigned __int128)INT64_MAX + negative;
	demand((num_i64(text, &i64) == 0) == whole_signed);
	demand(!whole_signed || i64 == (negative ? -(__int128)m : (__int128)m));
}

/* Digits, perhaps a fraction, one of kmgt, b or ib; or exactly -1. */
static void try_size(const char *text)
{
	static const char units[] = "kmgt";
	size_t len, fraction = 0;
	unsigned __int128 n = digits(text, &len), part = 0, ten = 1;
	const char *rest = text + len;
	const char *unit;
	bool good = len > 0 && n <= UINT64_MAX;
	int64_t size = 0;
	int r;

	if (*rest == '.') {
		fraction = strspn(++rest, "0123456789");
		good &= fraction > 0;
		for (size_t i = 0; i < fraction && i < 6; i++) {
			part = 10 * part + (unsigned)(rest[i] - '0');
			ten *= 10;
		}
		rest += fraction;
	}
	unit = *rest ? strchr(units, tolower((unsigned char)*rest)) : NULL;
	good &= unit || !fraction;
	if (unit) {
		n <<= 10 * (unit - units + 1);
		part <<= 10 * (unit - units + 1);
		rest++;
		rest += strncasecmp(rest, "ib", 2) == 0;
	}
	n += part / ten;
	rest += *rest == 'b' || *rest == 'B';
	good &= !*rest && n <= INT64_MAX;
	r = num_size(text, &size);
	if (streq(text, "-1"))
		demand(r == 0 && size == -1);
	else
		demand((r == 0) == good && (!good || size == (__int128)n));
}

static void try_signal(const char *text)
{
	int number = oci_signal(text);
	char other[256];

	demand(number >= -1 && number <= 64);
	if (strlen(text) >= sizeof other - 3)
		return;
	for (size_t i = 0; i <= strlen(text); i++)
		other[i] = (char)toupper((unsigned char)text[i]);
	demand(oci_signal(other) == number);
	if (number <= 0 || isdigit((unsigned char)text[0]) ||
	    strncasecmp(text, "SIG", 3) == 0)
		return;
	memmove(other + 3, other, strlen(other) + 1);
	memcpy(other, "SIG", 3);
	demand(oci_signal(other) == number);
}

static void try_capability(const char *text)
{
	int number = caps_number(text);
	const char *name = caps_name(number);

	demand((number >= 0) == (name != NULL));
	if (name)
		demand(caps_number(name) == number &&
		       (strcasecmp(name, text) == 0 ||
			strcasecmp(name + strlen("CAP_"), text) == 0));
}

/* The list of all numbers that it names is the same list. */
static void try_list(struct arena *arena, const char *text)
{
	unsigned long bits[LIST_BITS / 64], again[LIST_BITS / 64];
	char *list = arena_alloc(arena, LIST_BITS * 5);
	size_t len = 0;

	if (oci_bit_list(text, bits, LIST_BITS) < 0) {
		demand_reason(-1);
		return;
	}
	for (size_t i = 0; i < LIST_BITS; i++)
		if (bits[i / 64] >> i % 64 & 1)
			len += (size_t)sprintf(list + len, "%s%zu",
					       len ? "," : "", i);
	demand(len > 0);
	demand(oci_bit_list(list, again, LIST_BITS) == 0);
	demand(memcmp(bits, again, sizeof bits) == 0);
}

static void try_time(const char *text)
{
	struct policy_time time = { 0 };

	if (policy_time_parse(text, &time))
		demand(policy_time_is_valid(&time) &&
		       time.nanoseconds < 1000000000);
}

static void try_id(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_+-.");
	bool good = len && !text[len] && len <= 1024 && !streq(text, ".") &&
		    !streq(text, "..");

	err_clear();
	demand((container_check_id(text) == 0) == good);
	demand(good || *err_text());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	const char *text;

	demand(arena_open(&arena, 1 << 20) == 0);
	text = size < 4096 ? fuzz_text(&arena, (const char *)data, size) : "";
	err_clear();
	try_plain(text);
	try_size(text);
	try_signal(text);
	try_capability(text);
	try_list(&arena, text);
	try_time(text);
	try_id(text);
	arena_close(&arena);
	return 0;
}
