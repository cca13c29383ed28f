/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/http_rule.h - rules of http.allow and http.deny.
 *
 * "METHOD host/path": METHOD may be "*"; the host is exact, "*.example.com" or
 * "*"; in the path "*" matches any bytes. Paths of requests are decoded and
 * cleaned before they are compared, so a rule must be written that way.
 */
#pragma once

#include "policy/net_rule.h"

struct http_rule {
	const char *method; /* NULL: any */
	struct net_host host;
	const char *path; /* begins with a slash */
};

int http_rule_parse(struct arena *arena, const char *text,
		    struct http_rule *ret);
/* True if the text may be a method or the name of a header. */
bool http_is_token(const char *text, size_t len);
