/* SPDX-License-Identifier: Apache-2.0 */
/* policy/http_rule.c - parse rules of http.allow and http.deny. */
#include "policy/http_rule.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"

bool http_is_token(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isascii(text[i]) || (!isalnum((unsigned char)text[i]) &&
					  !strchr("!#$%&'*+-.^_`|~", text[i])))
			return false;
	return len > 0;
}

static int read_method(struct arena *arena, const char *text, size_t len,
		       const char **ret)
{
	if (len == 1 && text[0] == '*')
		return 0;
	if (!http_is_token(text, len) || memchr(text, '*', len))
		return fail(0,
			    "'%.*s' is not an HTTP method (such as GET, or * "
			    "for all)",
			    (int)len, text);
	for (size_t i = 0; i < len; i++)
		if (islower((unsigned char)text[i]))
			return fail(0, "method '%.*s' must be in capitals",
				    (int)len, text);
	*ret = arena_strndup(arena, text, len);
	return *ret ? 0 : -ENOMEM;
}

/*
 * Refuse a path that no cleaned path can match: a denial would have no effect.
 */
static int check_path(const char *path)
{
	for (const char *p = path; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return fail(0,
				    "'%s' contains a blank or a control byte",
				    path);
		if (*p == '?' || *p == '#')
			return fail(0,
				    "'%c' is not allowed in a path (a rule "
				    "cannot match queries or fragments)",
				    *p);
		if (*p == '%' && isxdigit((unsigned char)p[1]) &&
		    isxdigit((unsigned char)p[2]))
			return fail(0,
				    "'%.3s' must be written in decoded form "
				    "(the character itself)",
				    p);
		if (*p != '/')
			continue;
		if (p[1] == '/')
			return fail(0, "'//' never matches a request (paths "
				       "are cleaned first): write '/'");
		for (size_t dots = 1; dots <= 2; dots++)
			if (strncmp(p + 1, "..", dots) == 0 &&
			    (p[1 + dots] == '/' || !p[1 + dots]))
				return fail(0,
					    "'%.*s' never matches a request "
					    "(paths are cleaned first): remove "
					    "it",
					    (int)dots + 1, p);
	}
	return 0;
}

static int read_host(struct arena *arena, const char *text, size_t len,
		     struct net_host *ret)
{
	const char *host = arena_strndup(arena, text, len);

	if (!host)
		return -ENOMEM;
	if (len == 0)
		return fail(0, "the host is missing: write METHOD host/path");
	return net_host_parse(arena, host, ret);
}

static int read_rule(struct arena *arena, const char *text,
		     struct http_rule *ret)
{
	size_t method = strcspn(text, " ");
	const char *host = text + method + strspn(text + method, " ");
	const char *path = strchr(host, '/');
	int r;

	if (method == 0 || host == text + method)
		return fail(0, "not of the form METHOD host/path (such as GET "
			       "example.com/*)");
	if (!path)
		return fail(0,
			    "the path is missing; write host/* for all paths");
	r = read_method(arena, text, method, &ret->method);
	if (r == 0)
		r = read_host(arena, host, (size_t)(path - host), &ret->host);
	if (r == 0)
		r = check_path(path);
	ret->path = path;
	return r;
}

int http_rule_parse(struct arena *arena, const char *text,
		    struct http_rule *ret)
{
	struct http_rule rule = { 0 };
	int r = read_rule(arena, text, &rule);

	if (r < 0)
		return fail_in(r, "'%s'", text);
	*ret = rule;
	return 0;
}
