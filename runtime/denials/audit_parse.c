/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/audit_parse.c - parse audit records: "key=value key=value".
 */
#include <arpa/inet.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "confine/landlock.h"
#include "runtime/denials/audit.h"

#ifndef AUDIT_LANDLOCK_ACCESS
#define AUDIT_LANDLOCK_ACCESS 1423
#define AUDIT_LANDLOCK_DOMAIN 1424
#endif

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE

static const struct {
	const char *name;
	uint32_t right;
} blockers[] = {
	{ "fs.execute", LANDLOCK_MAY_EXECUTE },
	{ "fs.read_file", READ },
	{ "fs.read_dir", READ },
	{ "fs.write_file", WRITE },
	{ "fs.truncate", WRITE },
	{ "fs.remove_dir", WRITE },
	{ "fs.remove_file", WRITE },
	{ "fs.make_char", WRITE },
	{ "fs.make_dir", WRITE },
	{ "fs.make_reg", WRITE },
	{ "fs.make_sock", WRITE },
	{ "fs.make_fifo", WRITE },
	{ "fs.make_block", WRITE },
	{ "fs.make_sym", WRITE },
	{ "fs.refer", WRITE },
	{ "fs.resolve_unix", LANDLOCK_MAY_CONNECT },
};

/* Return the value of a key, up to the next blank; NULL if there is none. */
static const char *value_of(const char *text, const char *key, size_t *ret_len)
{
	size_t n = strlen(key);

	while (*text) {
		size_t len = strcspn(text, " ");

		if (len > n && strncmp(text, key, n) == 0 && text[n] == '=') {
			*ret_len = len - n - 1;
			return text + n + 1;
		}
		text += len;
		text += strspn(text, " ");
	}
	return NULL;
}

static uint64_t number_of(const char *text, const char *key, int base)
{
	size_t len;
	const char *value = value_of(text, key, &len);

	return value ? strtoull(value, NULL, base) : 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* A path is quoted, or in hexadecimal if it contains special characters. */
static void read_path(const char *text, char ret[PATH_MAX])
{
	size_t len, n = 0;
	const char *value = value_of(text, "path", &len);

	ret[0] = '\0';
	if (!value)
		return;
	if (*value == '"') {
		/*
		 * A path with a blank is in hexadecimal, so the quote ends the
		 * value.
		 */
		snprintf(ret, PATH_MAX, "%.*s", (int)strcspn(value + 1, "\""),
			 value + 1);
		return;
	}
	for (; n < PATH_MAX - 1 && 2 * n + 1 < len; n++) {
		int high = digit(value[2 * n]), low = digit(value[2 * n + 1]);

		if (high < 0 || low < 0)
			break;
		ret[n] = (char)(high << 4 | low);
	}
	ret[n] = '\0';
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(text, word, len) == 0;
}

static uint32_t rights_of(const char *text)
{
	size_t len;
	const char *list = value_of(text, "blockers", &len);
	uint32_t rights = 0;

	for (size_t at = 0; list && at < len;) {
		size_t n = strcspn(list + at, ", ");

		for (size_t i = 0; i < COUNT(blockers); i++)
			if (is_word(list + at, n, blockers[i].name))
				rights |= blockers[i].right;
		at += n + 1;
	}
	return rights;
}

/* The kernel leaves out an address of zeros and port 0. */
static void put_address(const char *text, const char *host, const char *port,
			union audit_address *ret)
{
	char name[INET6_ADDRSTRLEN] = "";
	size_t len;
	const char *value = value_of(text, host, &len);

	if (value)
		snprintf(name, sizeof name, "%.*s", (int)len, value);
	if (inet_pton(AF_INET6, name, &ret->in6.sin6_addr) == 1) {
		ret->in6.sin6_family = AF_INET6;
	} else {
		ret->in.sin_family = AF_INET;
		(void)inet_pton(AF_INET, name, &ret->in.sin_addr);
	}
	ret->in.sin_port = htons((uint16_t)number_of(text, port, 10));
}

static void read_address(const char *text, struct audit_event *ret)
{
	size_t len;
	const char *blocker = value_of(text, "blockers", &len);

	if (!blocker)
		return;
	if (is_word(blocker, len, "net.bind_tcp")) {
		ret->call = "bind";
		put_address(text, "saddr", "src", &ret->address);
	} else if (is_word(blocker, len, "net.connect_tcp")) {
		ret->call = "connect";
		put_address(text, "daddr", "dest", &ret->address);
	}
}

/* Return the text after "audit(SECONDS:SERIAL): ". */
static const char *body_of(const char *text)
{
	const char *end = strstr(text, "): ");

	return end ? end + strlen("): ") : text;
}

void audit_parse(uint16_t type, const char *text, struct audit_event *ret)
{
	*ret = (struct audit_event){ .kind = AUDIT_OTHER };
	text = body_of(text);
	switch (type) {
	case AUDIT_LANDLOCK_ACCESS:
		ret->kind = AUDIT_REFUSED;
		ret->domain = number_of(text, "domain", 16);
		ret->rights = rights_of(text);
		read_path(text, ret->path);
		read_address(text, ret);
		break;
	case AUDIT_LANDLOCK_DOMAIN:
		ret->domain = number_of(text, "domain", 16);
		ret->pid = (pid_t)number_of(text, "pid", 10);
		if (ret->pid)
			ret->kind = AUDIT_DOMAIN;
		break;
	case AUDIT_SECCOMP:
		ret->pid = (pid_t)number_of(text, "pid", 10);
		ret->arch = (uint32_t)number_of(text, "arch", 16);
		ret->number = number_of(text, "syscall", 10);
		/* The record contains the action without its errno. */
		if (ret->pid &&
		    number_of(text, "code", 16) == SECCOMP_RET_ERRNO)
			ret->kind = AUDIT_CALL;
		break;
	case AUDIT_TRUSTED_APP:
		ret->kind = AUDIT_MARK;
		ret->pid = (pid_t)number_of(text, "pid", 10);
		break;
	default:
		break;
	}
}
