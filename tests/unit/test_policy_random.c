/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy_random.c - any policy, written and read, is itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"
#include "base/util.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_equal.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define POLICIES 3000
#define MAX_ITEMS 4

static struct arena arena;
static uint64_t seed = 0x5eed;

/* xorshift: the same policies on every machine. */
static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t n)
{
	return random_bits() % n;
}

#define ANY_OF(list) (list)[below(COUNT(list))]

/* Text made of pieces that are odd in TOML, in JSON, in paths or globs. */
static const char *odd_text(const char *start)
{
	static const char *const pieces[] = {
		"a",
		"B",
		"0",
		" ",
		"\"",
		"\\\\",
		"'",
		"#",
		"=",
		",",
		"[",
		"]",
		"{",
		"}",
		"*",
		"?",
		".",
		"..",
		"-",
		"~",
		":ro",
		":rw",
		";",
		"@",
		"%",
		"\xc3\xa9",
		"\xe2\x82\xac",
		"\xf0\x9f\x98\x80",
	};
	const char *text = start;

	for (uint64_t n = 1 + below(6); n; n--)
		text = arena_printf(&arena, "%s%s", text, ANY_OF(pieces));
	return text;
}

static const char *odd_path(void)
{
	static const char *const starts[] = { "/", "/a/", "//b/./", "c/",
					      "~/" };
	const char *path = odd_text(ANY_OF(starts));

	return below(3) ? path : arena_printf(&arena, "%s/%s", path, "x*y");
}

/* Newlines and other control bytes, too. */
static const char *any_text(void)
{
	const char *text = below(4) ? odd_text("") : "";

	return below(3) ? text :
			  arena_printf(&arena, "%s\n\t\x01\x7f\x1b%s", text,
				       odd_text(""));
}

static struct policy_raw text_raw(const char *text)
{
	return (struct policy_raw){ .type = POLICY_RAW_TEXT, .text = text };
}

static const char *net_rule(void)
{
	static const char *const hosts[] = {
		"h", "*.example.com", "10.0.0.0/8", "*", "[::1]", "[fe80::/10]",
		""
	};
	static const char *const ports[] = { ":1", ":80,443", ":1-65535",
					     ":*" };
	static const char *const schemes[] = { "", "tcp://", "udp://" };

	return arena_printf(&arena, "%s%s%s", ANY_OF(schemes), ANY_OF(hosts),
			    ANY_OF(ports));
}

static const char *env_name(void)
{
	static const char *const names[] = { "PATH",	  "LC_*",
					     "@standard", "@known-secrets",
					     "true",	  "a.b",
					     "\xc3\xa9" };

	return ANY_OF(names);
}

/* One item of a list, or a single value, that the type takes. */
static struct policy_raw item_of(const struct policy_key_info *key)
{
	static const char *const branches[] = { "commit", "abort", "keep" };
	static const char *const modes[] = { "deny", "loopback", "open" };
	static const char *const groups[] = { "mount", "io", "raw_sockets" };
	static const char *const ports[] = { "*", "0", "1", "80-90" };
	static const char *const presets[] = { "@home", "@tmp", "@project" };
	struct policy_raw raw = { .type = POLICY_RAW_INTEGER };

	switch (key->type) {
	case POLICY_TYPE_BOOL:
		return text_raw(below(2) ? "true" : "false");
	case POLICY_TYPE_NUMBER:
	case POLICY_TYPE_NUMBERS:
		raw.integer =
			(int64_t)(key->min + below(key->max - key->min + 1));
		return raw;
	case POLICY_TYPE_SEED:
		return text_raw(
			arena_printf(&arena, "%llu",
				     (unsigned long long)random_bits()));
	case POLICY_TYPE_SIZE:
		raw.integer = 1 + (int64_t)below(INT64_MAX);
		return raw;
	case POLICY_TYPE_TIME:
		return text_raw(
			arena_printf(&arena, "%u.%09u",
				     (unsigned int)random_bits(),
				     (unsigned int)below(
					     below(2) ? 1 : 1000000000)));
	case POLICY_TYPE_WORD:
	case POLICY_TYPE_COMMANDS:
		return text_raw(odd_text("p"));
	case POLICY_TYPE_PATH:
	case POLICY_TYPE_DIRS:
		return text_raw(odd_path());
	case POLICY_TYPE_PATHS:
		return text_raw(arena_printf(&arena, "%s%s",
					     below(2) ? "-" : "", odd_path()));
	case POLICY_TYPE_TMPFS:
		return text_raw(arena_printf(&arena, "/t%d%s", (int)below(100),
					     below(2) ? ":1.5M" : ""));
	case POLICY_TYPE_DENIALS:
		if (below(3) == 0)
			return text_raw(odd_text("*."));
		return text_raw(odd_path());
	case POLICY_TYPE_PATTERNS:
		return text_raw(below(3) ? odd_path() : ANY_OF(presets));
	case POLICY_TYPE_ARGS:
		return text_raw(any_text());
	case POLICY_TYPE_NAMES:
		return text_raw(env_name());
	case POLICY_TYPE_BRANCH:
		return text_raw(ANY_OF(branches));
	case POLICY_TYPE_MODE:
		return text_raw(ANY_OF(modes));
	case POLICY_TYPE_PORTS:
		return text_raw(ANY_OF(ports));
	case POLICY_TYPE_NET_RULES:
		return text_raw(net_rule());
	case POLICY_TYPE_HTTP_RULES:
		return text_raw(arena_printf(&arena, "GET %s/%d*",
					     below(2) ? "*.h" : "[::1]",
					     (int)below(100)));
	case POLICY_TYPE_GROUPS:
	case POLICY_TYPE_CALLS:
		return text_raw(ANY_OF(groups));
	case POLICY_TYPE_PROTECTIONS:
		return text_raw(policy_protection_name(below(PROTECT_COUNT)));
	default:
		fail_msg("no sample of type %d", key->type);
		return raw;
	}
}

static struct policy_raw pair_of(enum policy_type type, size_t i)
{
	struct policy_raw raw = { .type = POLICY_RAW_STRING };

	switch (type) {
	case POLICY_TYPE_ENV:
		raw.key = arena_printf(&arena, "K.%zu\xc3\xa9\"", i);
		raw.text = any_text();
		return raw;
	case POLICY_TYPE_MOUNTS:
		raw.key = arena_printf(&arena, "/m%zu:%s", i,
				       below(2) ? "\"" : "]");
		raw.text = odd_path();
		return raw;
	default:
		raw.key = arena_printf(&arena, "GET h%zu/*", i);
		raw.text = odd_text("X-Key: ");
		return raw;
	}
}

static struct policy_raw value_of(const struct policy_key_info *key)
{
	const struct policy_type_info *type = policy_type_info(key->type);
	struct policy_raw *items;
	size_t n = below(MAX_ITEMS) + key->filled;
	bool map = type->shape == POLICY_RAW_MAP || type->maybe_map;

	if (type->shape == POLICY_RAW_TEXT)
		return item_of(key);
	if (type->maybe_bool && below(3) == 0)
		return text_raw(below(2) ? "true" : "false");
	items = arena_array(&arena, n, sizeof *items);
	for (size_t i = 0; i < n; i++)
		items[i] = map ? pair_of(key->type, i) : item_of(key);
	return (struct policy_raw){
		.type = map ? POLICY_RAW_MAP : POLICY_RAW_LIST,
		.items = items,
		.n = n,
	};
}

/* Some of the odd paths are refused: fine, they are not set then. */
static size_t make_policy(struct policy *ret)
{
	const struct policy_setter to = { .arena = &arena,
					  .policy = ret,
					  .place = &at_home,
					  .origin = "random" };
	size_t n = 0;

	*ret = (struct policy){ 0 };
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);
		struct policy_raw raw;

		if (below(2))
			continue;
		raw = value_of(info);
		n += policy_set(&to, key, &raw) == 0;
	}
	return n;
}

static void any_policy_survives_being_written(void **state)
{
	size_t keys = 0;

	(void)state;
	for (int i = 0; i < POLICIES; i++) {
		struct policy made, read = { 0 };
		const char *text;

		assert_int_equal(arena_open(&arena, 16 << 20), 0);
		keys += make_policy(&made);
		assert_int_equal(policy_to_toml(&arena, &made, &text), 0);
		if (policy_from_toml(&arena, text, strlen(text), "x.toml",
				     &nowhere, &read) < 0)
			fail_msg("%s\n%s", err_text(), text);
		if (!policy_equal(&made, &read))
			fail_msg("not the same:\n%s", text);
		arena_close(&arena);
	}
	/* Half of all keys, less what is refused. */
	assert_true(keys > POLICIES * KEY_COUNT / 3);
}

/* Too little memory, wherever it ends, is an error and changes nothing. */
static void memory_may_run_out_anywhere(void **state)
{
	const struct policy nothing = { 0 };
	struct arena small;
	struct policy made, read;
	const char *text, *again;
	size_t size, refused = 0;
	int r = -1;

	(void)state;
	assert_int_equal(arena_open(&arena, 16 << 20), 0);
	while (make_policy(&made) < KEY_COUNT / 2)
		;
	assert_int_equal(policy_to_toml(&arena, &made, &text), 0);
	for (size = 64; r < 0; size += 64) {
		assert_int_equal(arena_open(&small, size), 0);
		read = nothing;
		r = policy_from_toml(&small, text, strlen(text), "x", &nowhere,
				     &read);
		if (r < 0)
			assert_memory_equal(&read, &nothing, sizeof read);
		else
			r = policy_to_toml(&small, &read, &again);
		refused += r < 0;
		arena_close(&small);
	}
	assert_true(refused > 100);
	arena_close(&arena);
}

/* Bytes that TOML cannot say are an error, not other bytes. */
static void what_is_not_utf8_cannot_be_written(void **state)
{
	struct policy policy = { 0 };
	const struct policy_setter to = { .arena = &arena,
					  .policy = &policy,
					  .place = &at_home };
	const char *text = "untouched";

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	assert_int_equal(policy_set_list(&to, KEY_READ,
					 (const char *[]){ "/a\xff" }, 1),
			 0);
	assert_true(policy_to_toml(&arena, &policy, &text) < 0);
	assert_string_equal(err_text(),
			    "filesystem.read: '/a\xff' is not valid UTF-8");
	assert_string_equal(text, "untouched");
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_policy_survives_being_written),
		cmocka_unit_test(memory_may_run_out_anywhere),
		cmocka_unit_test(what_is_not_utf8_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
