/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve/helper.c - sandlock-resolve: look up the addresses of a name.
 *
 *   sandlock-resolve [--ttl] NAME
 *
 * The host's resolver loads modules (nsswitch.conf), which a static program
 * cannot do. Prints one address in each line; without any it exits with 1 and
 * the reason on standard error, and prints "none" if there is no such name.
 *
 * The resolver does not tell how long the addresses are valid. With --ttl, the
 * program asks DNS for them once more, and prints "ttl SECONDS" if the answer
 * has one of them.
 */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#ifdef __linux__
#include <arpa/nameser.h>
#include <resolv.h>
#include <stdint.h>

#define HEADER 12
#define RECORD 10 /* of a record after its name */
#define MESSAGE 4096

static unsigned int read_16(const unsigned char *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

static uint32_t read_32(const unsigned char *at)
{
	return (uint32_t)read_16(at) << 16 | read_16(at + 2);
}

static int has_address(const struct addrinfo *found, unsigned int type,
		       const unsigned char *data, unsigned int n)
{
	for (const struct addrinfo *a = found; a; a = a->ai_next) {
		const void *at;

		if (a->ai_family == AF_INET && type == ns_t_a && n == 4)
			at = &((const struct sockaddr_in *)(const void *)
				       a->ai_addr)
				      ->sin_addr;
		else if (a->ai_family == AF_INET6 && type == ns_t_aaaa &&
			 n == 16)
			at = &((const struct sockaddr_in6 *)(const void *)
				       a->ai_addr)
				      ->sin6_addr;
		else
			continue;
		if (memcmp(at, data, n) == 0)
			return 1;
	}
	return 0;
}

/* The smallest TTL of an answer with an address that was found; -1: none. */
static int64_t read_ttl(const unsigned char *bytes, int len,
			const struct addrinfo *found)
{
	const unsigned char *end = bytes + len, *at = bytes + HEADER;
	unsigned int questions, answers;
	int64_t ttl = INT64_MAX;
	int known = 0, n;

	if (len < HEADER)
		return -1;
	questions = read_16(bytes + 4);
	answers = read_16(bytes + 6);
	for (; questions > 0; questions--) {
		n = dn_skipname(at, end);
		if (n < 0 || end - at < n + 4)
			return -1;
		at += n + 4;
	}
	for (; answers > 0; answers--) {
		unsigned int size;

		n = dn_skipname(at, end);
		if (n < 0 || end - at < n + RECORD)
			return -1;
		at += n;
		size = read_16(at + 8);
		if (end - at - RECORD < (long)size)
			return -1;
		if (read_32(at + 4) < ttl)
			ttl = read_32(at + 4);
		known |= has_address(found, read_16(at), at + RECORD, size);
		at += RECORD + size;
	}
	return known ? ttl : -1;
}

static void print_ttl(const char *name, const struct addrinfo *found)
{
	static const int types[] = { ns_t_a, ns_t_aaaa };
	static unsigned char answer[MESSAGE];
	int64_t ttl = -1;

	if (res_init() < 0)
		return;
	/* It has just answered, so it does so soon. */
	_res.retrans = 1;
	_res.retry = 1;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		int n = res_query(name, ns_c_in, types[i], answer,
				  sizeof answer);
		int64_t one = n > 0 && n <= (int)sizeof answer ?
				      read_ttl(answer, n, found) :
				      -1;

		if (one >= 0 && (ttl < 0 || one < ttl))
			ttl = one;
	}
	if (ttl >= 0)
		printf("ttl %lld\n", (long long)ttl);
}
#else
static void print_ttl(const char *name, const struct addrinfo *found)
{
	(void)name;
	(void)found;
}
#endif

static int print_addresses(const struct addrinfo *found)
{
	char text[NI_MAXHOST];
	int printed = 0;

	for (const struct addrinfo *a = found; a; a = a->ai_next) {
		if (getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text,
				NULL, 0, NI_NUMERICHOST) != 0 ||
		    strchr(text, '%'))
			continue;
		printf("%s\n", text);
		printed++;
	}
	return printed;
}

static int is_no_name(int error)
{
#ifdef EAI_NODATA
	if (error == EAI_NODATA)
		return 1;
#endif
	return error == EAI_NONAME;
}

int main(int argc, char **argv)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	int wants_ttl = argc == 3 && strcmp(argv[1], "--ttl") == 0;
	const char *name = argv[argc - 1];
	struct addrinfo *found = NULL;
	int r, printed;

	if (argc != 2 && !wants_ttl) {
		fputs("usage: sandlock-resolve [--ttl] NAME\n", stderr);
		return 2;
	}
	r = getaddrinfo(name, NULL, &hints, &found);
	if (r != 0) {
		if (is_no_name(r))
			puts("none");
		fprintf(stderr, "%s\n", gai_strerror(r));
		return 1;
	}
	printed = print_addresses(found);
	if (printed == 0) {
		puts("none");
		fputs("the name has no address\n", stderr);
	}
	if (fflush(stdout) == 0 && printed && wants_ttl)
		print_ttl(name, found);
	freeaddrinfo(found);
	return fflush(stdout) == 0 && printed ? 0 : 1;
}
