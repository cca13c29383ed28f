/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_audit.c - records of the audit log, as the kernel writes them. */
#include <arpa/inet.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "confine/landlock.h"
#include "runtime/denials/audit.h"

#include <cmocka.h>

#define ACCESS 1423
#define DOMAIN 1424
#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE

static void reads_refusals(void **state)
{
	static const struct {
		const char *text;
		uint64_t domain;
		uint32_t rights;
		const char *path;
	} rows[] = {
		{ "audit(1729738800.268:30): domain=195ba459b "
		  "blockers=fs.read_file path=\"/etc/passwd\" dev=\"vda2\" ino=9",
		  0x195ba459b, READ, "/etc/passwd" },
		{ "audit(1.2:3): domain=1 blockers=fs.make_reg,fs.refer "
		  "path=\"/usr/local\" dev=\"vda2\" ino=365",
		  1, WRITE, "/usr/local" },
		{ "audit(1.2:3): domain=1 blockers=fs.read_file,fs.execute "
		  "path=\"/bin/x\"",
		  1, READ | LANDLOCK_MAY_EXECUTE, "/bin/x" },
		{ "audit(1.2:3): domain=1 blockers=fs.resolve_unix "
		  "path=\"/run/sock\" dev=\"tmpfs\" ino=7",
		  1, LANDLOCK_MAY_CONNECT, "/run/sock" },
		/* A blank or a quote in it. */
		{ "audit(1.2:3): domain=1 blockers=fs.write_file "
		  "path=2F746D702F6120622278 dev=\"tmpfs\" ino=1",
		  1, WRITE, "/tmp/a b\"x" },
		{ "audit(1.2:3): domain=1 blockers=fs.write_file path=2F7G", 1,
		  WRITE, "/" },
		/* Not about files. */
		{ "audit(1.2:3): domain=1 blockers=scope.signal opid=1 "
		  "ocomm=\"systemd\"",
		  1, 0, "" },
		{ "audit(1.2:3): domain=1 blockers=net.connect_tcp daddr=127.0.0.1 "
		  "dest=80",
		  1, 0, "" },
		{ "", 0, 0, "" },
		{ "audit(1.2:3): blockers= path=\"", 0, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct audit_event event;

		audit_parse(ACCESS, rows[i].text, &event);
		assert_int_equal(event.kind, AUDIT_REFUSED);
		assert_int_equal(event.domain, rows[i].domain);
		assert_int_equal(event.rights, rows[i].rights);
		assert_string_equal(event.path, rows[i].path);
	}
}

static void reads_addresses(void **state)
{
	static const struct {
		const char *text;
		const char *call;
		const char *address;
		uint16_t port;
	} rows[] = {
		{ "audit(1.2:3): domain=1 blockers=net.bind_tcp saddr=127.0.0.1 "
		  "src=8080",
		  "bind", "127.0.0.1", 8080 },
		{ "audit(1.2:3): domain=1 blockers=net.bind_tcp src=8080",
		  "bind", "0.0.0.0", 8080 },
		{ "audit(1.2:3): domain=1 blockers=net.bind_tcp", "bind",
		  "0.0.0.0", 0 },
		{ "audit(1.2:3): domain=1 blockers=net.connect_tcp daddr=::1 "
		  "dest=80",
		  "connect", "::1", 80 },
		{ "audit(1.2:3): domain=1 blockers=fs.read_file path=\"/x\"",
		  NULL, NULL, 0 },
		{ "audit(1.2:3): domain=1 blockers= src=8080", NULL, NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct audit_event event;
		char text[INET6_ADDRSTRLEN];
		const struct sockaddr_in *in = &event.address.in;

		audit_parse(ACCESS, rows[i].text, &event);
		assert_int_equal(event.kind, AUDIT_REFUSED);
		if (!rows[i].call) {
			assert_null(event.call);
			continue;
		}
		assert_string_equal(event.call, rows[i].call);
		assert_int_equal(ntohs(in->sin_port), rows[i].port);
		assert_non_null(inet_ntop(in->sin_family,
					  in->sin_family == AF_INET ?
						  (const void *)&in->sin_addr :
						  &event.address.in6.sin6_addr,
					  text, sizeof text));
		assert_string_equal(text, rows[i].address);
	}
}

static void reads_domains(void **state)
{
	struct audit_event event;

	(void)state;
	audit_parse(DOMAIN,
		    "audit(1.2:3): domain=195ba459b status=allocated "
		    "mode=enforcing pid=300 uid=0 exe=\"/usr/bin/sandlock\" "
		    "comm=\"sandlock\"",
		    &event);
	assert_int_equal(event.kind, AUDIT_DOMAIN);
	assert_int_equal(event.domain, 0x195ba459b);
	assert_int_equal(event.pid, 300);
	audit_parse(DOMAIN,
		    "audit(1.2:3): domain=195ba459b status=deallocated "
		    "denials=3",
		    &event);
	assert_int_equal(event.kind, AUDIT_OTHER);
}

static void reads_calls(void **state)
{
	static const char refused[] =
		"audit(1.2:3): auid=4294967295 uid=0 gid=0 ses=4294967295 "
		"subj=unconfined pid=77 comm=\"a pid=5\" exe=\"/usr/bin/x\" "
		"sig=0 arch=c000003e syscall=272 compat=0 ip=0x7f code=0x50000";
	static const char logged[] =
		"audit(1.2:3): pid=77 arch=c000003e syscall=435 code=0x7ffc0000";
	struct audit_event event;

	(void)state;
	audit_parse(AUDIT_SECCOMP, refused, &event);
	assert_int_equal(event.kind, AUDIT_CALL);
	assert_int_equal(event.pid, 77);
	assert_int_equal(event.arch, AUDIT_ARCH_X86_64);
	assert_int_equal(event.number, 272);
	audit_parse(AUDIT_SECCOMP, logged, &event);
	assert_int_equal(event.kind, AUDIT_OTHER);
	audit_parse(AUDIT_SYSCALL, refused, &event);
	assert_int_equal(event.kind, AUDIT_OTHER);
}

static void reads_marks(void **state)
{
	struct audit_event event;

	(void)state;
	audit_parse(AUDIT_TRUSTED_APP,
		    "audit(1.2:3): pid=78 uid=0 auid=4294967295 ses=4294967295 "
		    "msg='op=sandbox-end exe=\"sandlock\"'",
		    &event);
	assert_int_equal(event.kind, AUDIT_MARK);
	assert_int_equal(event.pid, 78);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_refusals),
		cmocka_unit_test(reads_addresses),
		cmocka_unit_test(reads_domains),
		cmocka_unit_test(reads_calls),
		cmocka_unit_test(reads_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
