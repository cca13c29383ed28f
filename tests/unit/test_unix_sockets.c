/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_unix_sockets.c - lists of bound sockets, and the files of our
 * own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/mountinfo.h"
#include "base/util.h"
#include "confine/unix_sockets.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#include "tests/unit/emulator.h"

#define DEVICE MOUNTINFO_DEVICE(8, 1)

static struct unix_tree tree = { .device = DEVICE, .path = "/" };
static const struct unix_trees trees = { &tree, 1 };

struct test {
	struct arena arena;
	struct unix_sockets list;
};

static int begin(void **state)
{
	struct test *t = calloc(1, sizeof *t);

	if (!t || arena_open(&t->arena, 64 << 20) < 0)
		return -1;
	t->list.trees = &trees;
	*state = t;
	return 0;
}

static int end(void **state)
{
	struct test *t = *state;

	arena_close(&t->arena);
	free(t);
	return 0;
}

/* ---- answers of the kernel ---- */

struct answer {
	_Alignas(struct nlmsghdr) char bytes[4096];
	size_t len;
};

static void *put(struct answer *a, const void *data, size_t len)
{
	void *to = a->bytes + a->len;

	if (len)
		memcpy(to, data, len);
	a->len += NLMSG_ALIGN(len);
	return to;
}

static void put_attribute(struct answer *a, uint16_t type, const void *data,
			  size_t len)
{
	struct rtattr attribute = { (uint16_t)RTA_LENGTH(len), type };

	put(a, &attribute, sizeof attribute);
	put(a, data, len);
}

static void put_socket(struct answer *a, int type, int state, const char *name,
		       uint32_t device, uint32_t inode)
{
	struct nlmsghdr *header =
		put(a, &(struct nlmsghdr){ .nlmsg_type = SOCK_DIAG_BY_FAMILY },
		    sizeof *header);
	struct unix_diag_msg msg = {
		.udiag_type = (uint8_t)type,
		.udiag_state = (uint8_t)state,
		.udiag_ino = 77,
	};
	struct unix_diag_vfs vfs = {
		.udiag_vfs_dev = device,
		.udiag_vfs_ino = inode,
	};

	put(a, &msg, sizeof msg);
	if (name)
		put_attribute(a, UNIX_DIAG_NAME, name, strlen(name));
	if (device)
		put_attribute(a, UNIX_DIAG_VFS, &vfs, sizeof vfs);
	header->nlmsg_len =
		(uint32_t)(a->bytes + a->len - (const char *)header);
}

static void put_end(struct answer *a, uint16_t type, int error)
{
	const struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
	} last = {
		.header = { .nlmsg_len = sizeof last, .nlmsg_type = type },
		.error = { .error = error },
	};

	put(a, &last, sizeof last);
}

static int parse(struct test *t, const struct answer *a)
{
	return unix_diag_parse(&t->arena, a->bytes, a->len, 5, &t->list);
}

static void reachable_sockets_with_a_file_are_taken(void **state)
{
	struct test *t = *state;
	struct answer a = { .len = 0 };

	put_socket(&a, SOCK_STREAM, 10, "/run/x", DEVICE, 1);
	put_socket(&a, SOCK_SEQPACKET, 10, "y", DEVICE, 2);
	put_socket(&a, SOCK_DGRAM, 7, "/run/z", DEVICE, UINT32_MAX);
	/* bound, and not listening yet */
	put_socket(&a, SOCK_STREAM, 7, "/run/early", DEVICE, 4);
	/* connected, but others may send */
	put_socket(&a, SOCK_DGRAM, 1, "/run/peer", DEVICE, 5);
	/* no name: it was bound by a kernel that did not tell */
	put_socket(&a, SOCK_STREAM, 10, NULL, DEVICE, 6);
	/* an accepted end, an abstract name, none, and another device */
	put_socket(&a, SOCK_STREAM, 1, "/run/x", DEVICE, 1);
	put_socket(&a, SOCK_SEQPACKET, 1, "/run/x", DEVICE, 1);
	put_socket(&a, SOCK_STREAM, 10, "abstract", 0, 0);
	put_socket(&a, SOCK_STREAM, 10, NULL, 0, 0);
	put_socket(&a, SOCK_STREAM, 10, "/tmp/x", DEVICE + 1, 1);
	assert_int_equal(parse(t, &a), 0);
	assert_int_equal(t->list.n, 6);
	for (size_t i = 0; i < t->list.n; i++) {
		assert_true(t->list.items[i].identified);
		assert_int_equal(t->list.items[i].state, UNIX_LOST);
		assert_int_equal(t->list.items[i].process, 5);
		assert_int_equal(t->list.items[i].number, 77);
		assert_int_equal(t->list.items[i].device, DEVICE);
	}
	assert_string_equal(t->list.items[0].name, "/run/x");
	assert_string_equal(t->list.items[1].name, "y");
	assert_int_equal(t->list.items[2].inode, UINT32_MAX);
	assert_string_equal(t->list.items[5].name, "");
}

static void the_end_and_errors_are_seen(void **state)
{
	struct test *t = *state;
	struct answer done = { .len = 0 }, error = { .len = 0 };
	struct answer none = { .len = 0 }, cut = { .len = 0 };

	put_socket(&done, SOCK_STREAM, 10, "/run/x", DEVICE, 1);
	put_end(&done, NLMSG_DONE, 0);
	assert_int_equal(parse(t, &done), 1);
	assert_int_equal(t->list.n, 1);
	put_end(&error, NLMSG_ERROR, -ENOENT);
	assert_int_equal(parse(t, &error), -ENOENT);
	put_end(&none, NLMSG_ERROR, 0);
	assert_int_equal(parse(t, &none), -EBADMSG);
	/* shorter than a socket is */
	put(&cut,
	    &(struct nlmsghdr){ .nlmsg_type = SOCK_DIAG_BY_FAMILY,
				.nlmsg_len = NLMSG_LENGTH(0) },
	    NLMSG_LENGTH(0));
	assert_int_equal(parse(t, &cut), -EBADMSG);
	/* an answer that ends in the middle of a socket */
	done.len = 40;
	t->list.n = 0;
	assert_int_equal(parse(t, &done), 0);
	assert_int_equal(t->list.n, 0);
}

/* ---- /proc/net/unix ---- */

static void names_are_read_from_proc(void **state)
{
	struct test *t = *state;
	char text[] =
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"0000000000000000: 00000002 00000000 00010000 0001 01 12 /run/x\n"
		"00000000aaaaaaaa: 00000002 00000000 00000000 0002 01    13 re l\n"
		"0000000000000000: 00000003 00000000 00000000 0001 03 14\n"
		"0000000000000000: 00000003 00000000 00000000 0001 03 15 /run/x\n"
		"0000000000000000: 00000002 00000000 00010000 0001 01 16 @abstract\n"
		"0000000000000000: 00000003 00000000 00000000 0002 03 17 /run/peer\n"
		"0000000000000000: 00000002 00000000 00010000 0005 01 18 /a\n"
		"b\n"
		"ffff888012345678: 00000002 00000000 00010000 0005 01 4294967295 /z\n";
	static const struct {
		const char *name;
		uint32_t number;
	} expected[] = {
		{ "/run/x", 12 },     { "re l", 13 },
		{ "/run/peer", 17 },  { "", 18 }, /* with a newline */
		{ "/z", UINT32_MAX },
	};

	assert_int_equal(unix_names_parse(&t->arena, text, 9, &t->list), 0);
	assert_int_equal(t->list.n, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		assert_string_equal(t->list.items[i].name, expected[i].name);
		assert_int_equal(t->list.items[i].number, expected[i].number);
		assert_int_equal(t->list.items[i].process, 9);
		assert_false(t->list.items[i].identified);
	}
}

static void an_empty_table_has_no_names(void **state)
{
	struct test *t = *state;
	char nothing[] = "", head[] = "Num  Path\n";

	assert_int_equal(unix_names_parse(&t->arena, nothing, 0, &t->list), 0);
	assert_int_equal(unix_names_parse(&t->arena, head, 0, &t->list), 0);
	assert_int_equal(t->list.n, 0);
}

/* ---- files ---- */

static void a_file_has_the_device_and_the_low_half_of_the_inode(void **state)
{
	const struct unix_socket known = { .identified = true,
					   .device = DEVICE,
					   .inode = 0xffffffff };
	const struct unix_socket unknown = { .identified = false };

	(void)state;
	assert_true(unix_socket_is(&known, DEVICE, S_IFSOCK, 0xffffffff));
	assert_true(unix_socket_is(&known, DEVICE, S_IFSOCK, 0x5ffffffff));
	assert_false(unix_socket_is(&known, DEVICE, S_IFSOCK, 0xfffffffe));
	assert_false(unix_socket_is(&known, DEVICE + 1, S_IFSOCK, 0xffffffff));
	assert_false(unix_socket_is(&known, DEVICE, S_IFREG, 0xffffffff));
	assert_true(unix_socket_is(&unknown, 0, S_IFSOCK, 1));
	assert_false(unix_socket_is(&unknown, 0, S_IFCHR, 1));
}

static int bind_at(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	strcpy(address.sun_path, name);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address,
			      sizeof address),
			 0);
	return fd;
}

static const struct unix_socket *named(const struct unix_sockets *list,
				       const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (streq(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

/* Relative names are those of this process alone. */
static void our_own_sockets_are_found(void **state)
{
	struct test *t = *state;
	autoclose int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char dir[] = "/tmp/test_unix_sockets.XXXXXX", name[64];
	const struct unix_socket *socket;
	const struct mountinfo_line *mount;
	struct unix_sockets list;
	struct mountinfo own;
	struct unix_tree here = { .device = 0 };
	struct unix_trees places = { &here, 1 };
	struct unix_processes all, none = { 0 };

	skip_in_emulator();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(mountinfo_read(&t->arena, proc, "self", &own), 0);
	mount = mountinfo_of(&own, dir);
	here.device = mount->device;
	here.path = mountinfo_inner(&t->arena, mount, dir);
	snprintf(name, sizeof name, "%s/absolute", dir);

	autoclose int absolute = bind_at(name);

	assert_int_equal(chdir(dir), 0);

	autoclose int relative = bind_at("relative-of-this-test");

	/* It lists the sockets that exist now. */
	assert_int_equal(unix_survey(&t->arena, proc, 0, &all), 0);
	assert_true(all.n > 0);
	assert_int_equal(unix_sockets_find(&t->arena, proc, &all, &places,
					   &list),
			 0);
	socket = named(&list, name);
	assert_non_null(socket);
	assert_int_equal(socket->state, UNIX_FOUND);
	assert_string_equal(mountinfo_outer(&t->arena, mount, socket->path),
			    name);
	socket = named(&list, "relative-of-this-test");
	assert_non_null(socket);
	assert_int_equal(socket->state, UNIX_FOUND);
	assert_int_equal(link("absolute", "second"), 0);
	assert_int_equal(unix_sockets_find(&t->arena, proc, &all, &places,
					   &list),
			 0);
	assert_int_equal(named(&list, name)->state, UNIX_LINKED);
	assert_true(here.walked);
	assert_true(named(&list, name)->searched_for);
	/* Nothing is asked without a tree. */
	places.n = 0;
	assert_int_equal(unix_sockets_find(&t->arena, -1, &none, &places,
					   &list),
			 0);
	assert_int_equal(list.n, 0);
	(void)unlink("absolute");
	(void)unlink("second");
	(void)unlink("relative-of-this-test");
	assert_int_equal(fchdir(home), 0);
	(void)rmdir(dir);
	(void)absolute;
	(void)relative;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			reachable_sockets_with_a_file_are_taken, begin, end),
		cmocka_unit_test_setup_teardown(the_end_and_errors_are_seen,
						begin, end),
		cmocka_unit_test_setup_teardown(names_are_read_from_proc, begin,
						end),
		cmocka_unit_test_setup_teardown(an_empty_table_has_no_names,
						begin, end),
		cmocka_unit_test(
			a_file_has_the_device_and_the_low_half_of_the_inode),
		cmocka_unit_test_setup_teardown(our_own_sockets_are_found,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
