/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/seatbelt.c - any text as a path or a rule of a policy: its profile
 * has the same rules as that of a harmless text, and allows nothing else.
 *
 * The first byte is the key, each line of the rest is an item.
 */
#include <errno.h>

#include "base/err.h"
#include "confine/seatbelt.h"
#include "policy/glob.h"
#include "policy/glob_parts.h"
#include "tests/fuzz/sbpl.h"

#define MOST_ITEMS 8
#define MOST_BYTES 120 /* of an item: a regular expression may be slow */

static const enum policy_key keys[] = {
	KEY_READ,	   KEY_WRITE,	  KEY_WRITE_ONLY, KEY_EXECUTE,
	KEY_DENY,	   KEY_DENY_READ, KEY_DENY_WRITE, KEY_DENY_EXECUTE,
	KEY_UNIX,	   KEY_NET_ALLOW, KEY_NET_DENY,	  KEY_NET_BIND,
	KEY_NET_DENY_BIND,
};

static enum policy_key key;
static struct strings items;
static const char *profile;

/* ---- a Mac without files ---- */

static int no_file(void *user, struct arena *arena, const char *path,
		   const char **ret)
{
	(void)user;
	(void)arena;
	(void)path;
	*ret = NULL;
	return 0;
}

static const struct seatbelt_facts facts = {
	.context = { .os = POLICY_MACOS,
		     .home = "/Users/u",
		     .project = "/Users/u/p",
		     .read_file = no_file,
		     .real_path = no_file },
};

static struct strings *list_of(struct policy *policy, enum policy_key which)
{
	switch (which) {
	case KEY_READ:
		return &policy->read;
	case KEY_WRITE:
		return &policy->write;
	case KEY_WRITE_ONLY:
		return &policy->write_only;
	case KEY_EXECUTE:
		return &policy->execute;
	case KEY_DENY:
		return &policy->deny;
	case KEY_DENY_READ:
		return &policy->deny_read;
	case KEY_DENY_WRITE:
		return &policy->deny_write;
	case KEY_DENY_EXECUTE:
		return &policy->deny_execute;
	case KEY_UNIX:
		return &policy->unix_;
	case KEY_NET_ALLOW:
		return &policy->net_allow;
	case KEY_NET_DENY:
		return &policy->net_deny;
	case KEY_NET_BIND:
		return &policy->bind;
	default:
		return &policy->deny_bind;
	}
}

/* Below /w everything may be read, written and executed. */
static int make(struct arena *arena, const struct strings *list,
		const char **ret)
{
	static const char *above[] = { "/w", NULL };
	struct policy policy = { .set = { [KEY_WRITE] = true } };

	policy.write = (struct strings){ above, 1 };
	policy.set[key] = true;
	*list_of(&policy, key) = *list;
	return seatbelt_make(arena, &policy, &facts, ret);
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	int r;

	if (len < 2)
		return fail(0, "too short");
	key = keys[(unsigned char)text[0] % COUNT(keys)];
	r = fuzz_lines(arena, text + 1, len - 1, &items);
	if (r < 0)
		return r;
	if (items.n == 0 || items.n > MOST_ITEMS)
		return fail(0, "no items, or too many");
	for (size_t i = 0; i < items.n; i++)
		if (!*items.items[i] || strlen(items.items[i]) > MOST_BYTES)
			return fail(0, "an item is empty or too long");
	return make(arena, &items, &profile);
}

/* ---- what must be true of the profile ---- */

static struct sbpl_form read_profile(struct arena *arena, const char *text)
{
	struct sbpl_reader reader = { arena, text };

	return sbpl_read(&reader, 0);
}

/* A rule for any host has this socket, too. */
static bool is_resolver(const struct sbpl_form *rule)
{
	const struct sbpl_form *filter = &rule->items[rule->n - 1];
	const struct sbpl_form *path;

	if (rule->n != 3 || filter->n != 3 || filter->items[2].n != 2)
		return false;
	path = &filter->items[2].items[1];
	return sbpl_is(&rule->items[1], "network-outbound") && path->quoted &&
	       streq(path->word, "/private/var/run/mDNSResponder");
}

/* Rules that keep directories in place depend on the paths, and only deny. */
static bool is_extra(const struct sbpl_form *rule)
{
	if (key == KEY_NET_ALLOW && is_resolver(rule))
		return true;
	return sbpl_is(&rule->items[0], "deny") &&
	       sbpl_is(&rule->items[1], "file-write-create");
}

static bool same_head(const struct sbpl_form *a, const struct sbpl_form *b)
{
	for (size_t i = 0;; i++) {
		bool more = i < a->n && a->items[i].word;

		if (more != (i < b->n && b->items[i].word))
			return false;
		if (!more)
			return (a->n > i) == (b->n > i);
		if (!streq(a->items[i].word, b->items[i].word))
			return false;
	}
}

static const char *harmless(void)
{
	switch (key) {
	case KEY_NET_ALLOW:
	case KEY_NET_DENY:
		return "localhost:80";
	case KEY_NET_BIND:
	case KEY_NET_DENY_BIND:
		return "80";
	default:
		return "/x";
	}
}

/* The rules are those of a harmless item, one by one. */
static void demand_same_rules(struct arena *arena,
			      const struct sbpl_form *forms)
{
	const char *list[] = { harmless(), NULL }, *text;
	struct sbpl_form other;
	size_t k = 0;

	demand(make(arena, &(struct strings){ list, 1 }, &text) == 0);
	other = read_profile(arena, text);
	for (size_t i = 0; i < forms->n; i++) {
		demand(forms->items[i].n >= 2);
		if (is_extra(&forms->items[i]))
			continue;
		while (k < other.n && is_extra(&other.items[k]))
			k++;
		demand(k < other.n);
		demand(same_head(&forms->items[i], &other.items[k]));
		k++;
	}
}

static bool covers(const char *pattern, const char *path)
{
	struct glob_part part, name;

	if (!*pattern)
		return true;
	part = glob_part_next(&pattern);
	if (!part.len)
		return true;
	for (;;) {
		if (glob_part_is_deep(part) && *pattern &&
		    covers(pattern, path))
			return true;
		if (!*path)
			return false;
		name = glob_part_next(&path);
		if (!glob_part_is_deep(part))
			return glob_part_match(part, name.text, name.len) &&
			       covers(pattern, path);
		if (!*pattern)
			return true;
	}
}

/* True if an item names the path or a directory above it. */
static bool is_listed(const char *path)
{
	for (size_t i = 0; i < items.n; i++) {
		const char *item = items.items[i];

		item += item[0] == '-';
		if (item[0] == '/' ? covers(item, path) : true)
			return true;
	}
	return false;
}

static void demand_verdicts(struct arena *arena, const struct sbpl_form *forms)
{
	static const char *const places[] = { "/nowhere", "/nowhere/x", "/a",
					      "/x/y", "/Users/u/p/z" };
	const char *path = policy_glob_unquote(arena, items.items[0]);

	demand(path);
	demand(!sbpl_allows(forms, "file-write-setugid", "/w/x"));
	for (size_t i = 0; i < COUNT(places); i++) {
		if (!is_listed(places[i])) {
			demand(!sbpl_allows(forms, "file-read-data",
					    places[i]));
			demand(!sbpl_allows(forms, "file-write-data",
					    places[i]));
			demand(!sbpl_allows(forms, "process-exec", places[i]));
		}
	}
	/* A denial that was accepted denies what it names. */
	if (items.items[0][0] != '/' || policy_is_glob(items.items[0]) ||
	    strstr(path, "//") || strstr(path, "/./"))
		return;
	if (key == KEY_DENY || key == KEY_DENY_READ)
		demand(!sbpl_allows(forms, "file-read-data", path));
	if (key == KEY_DENY || key == KEY_DENY_WRITE)
		demand(!sbpl_allows(forms, "file-write-data", path));
	if (key == KEY_DENY || key == KEY_DENY_EXECUTE)
		demand(!sbpl_allows(forms, "process-exec", path));
}

static void accepted(struct arena *arena)
{
	struct sbpl_form forms = read_profile(arena, profile);

	demand(forms.n > 2);
	demand(sbpl_is(&forms.items[0].items[0], "version"));
	demand_same_rules(arena, &forms);
	demand_verdicts(arena, &forms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
