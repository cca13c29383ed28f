/* SPDX-License-Identifier: Apache-2.0 */
/* cow/origin.c - the overlay's mark "origin". */
#include "cow/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/open.h"
#include "cow/xattrs.h"

/* version, magic, length, flags, type, UUID of the file system */
#define HEAD 21
#define HEAD_TYPE 4

union handle {
	struct file_handle head;
	char space[sizeof(struct file_handle) + ORIGIN_SIZE];
};

bool origin_read(int dir, const char *name, const char *prefix,
		 struct origin *ret)
{
	unsigned char value[HEAD + ORIGIN_SIZE];
	ssize_t len = xattrs_mark(dir, name, prefix, "origin", (char *)value,
				  sizeof value);

	if (len < 0)
		return false;
	*ret = (struct origin){ 0 };
	if (len <= HEAD)
		return true;
	ret->type = value[HEAD_TYPE];
	ret->len = (size_t)len - HEAD;
	memcpy(ret->handle, value + HEAD, ret->len);
	return true;
}

bool origin_is(const struct origin *origin, int dir, const char *name)
{
	union handle h = { .head.handle_bytes = ORIGIN_SIZE };
	int mount;

	if (origin->len == 0 ||
	    name_to_handle_at(dir, name, &h.head, &mount, 0) < 0)
		return true;
	return h.head.handle_type == origin->type &&
	       h.head.handle_bytes == origin->len &&
	       memcmp(h.head.f_handle, origin->handle, origin->len) == 0;
}

/* Without CAP_DAC_READ_SEARCH this fails by EPERM, and nothing is known. */
static int open_origin(const struct origin *origin, int lower)
{
	union handle h = { .head.handle_bytes = (unsigned int)origin->len,
			   .head.handle_type = origin->type };
	autoclose int plain = openat(lower, ".", O_RDONLY | O_CLOEXEC);

	if (origin->len == 0 || plain < 0) {
		errno = EPERM;
		return -1;
	}
	memcpy(h.head.f_handle, origin->handle, origin->len);
	return open_by_handle_at(plain, &h.head, O_PATH | O_CLOEXEC);
}

bool origin_is_gone(const struct origin *origin, int lower)
{
	autoclose int fd = open_origin(origin, lower);
	struct stat st;

	if (fd < 0)
		return errno == ESTALE;
	return fstat(fd, &st) == 0 && st.st_nlink == 0;
}

uint64_t origin_inode(const struct origin *origin, int lower)
{
	autoclose int fd = open_origin(origin, lower);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink > 0 ? st.st_ino :
								   0;
}
