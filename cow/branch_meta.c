/* SPDX-License-Identifier: Apache-2.0 */
/* cow/branch_meta.c - read and write the file `meta`; take the clock. */
#include "cow/branch_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cow/branch.h"
#include "oci/json.h"
#include "oci/write.h"

#define META_VERSION 1
#define META_MAX 65536
#define CLOCK_FILE "clock"
#define CLOCK_TRIES 1000
#define CLOCK_PAUSE_US 100

struct meta {
	uint32_t version;
	uint64_t device, inode;
	int64_t since_s, since_ns;
	int64_t clock_ms, created;
	const char *boot_id, *xattrs;
};

static const struct json_field fields[] = {
	JSON_REQUIRED("version", json_u32, struct meta, version),
	JSON_REQUIRED("device", json_u64, struct meta, device),
	JSON_REQUIRED("inode", json_u64, struct meta, inode),
	JSON_REQUIRED("since", json_i64, struct meta, since_s),
	JSON_REQUIRED("sinceNanoseconds", json_i64, struct meta, since_ns),
	JSON_REQUIRED("clockOffset", json_i64, struct meta, clock_ms),
	JSON_REQUIRED("created", json_i64, struct meta, created),
	JSON_REQUIRED("bootId", json_filled, struct meta, boot_id),
	JSON_REQUIRED("xattrs", json_filled, struct meta, xattrs),
};

int branch_meta_write(struct arena *arena, const struct branch *branch)
{
	struct writer w;
	const char *text;
	size_t len;
	int r;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_u64(&w, "version", META_VERSION);
	put_u64(&w, "device", branch->device);
	put_u64(&w, "inode", branch->inode);
	put_i64(&w, "since", branch->since.tv_sec);
	put_i64(&w, "sinceNanoseconds", branch->since.tv_nsec);
	put_i64(&w, "clockOffset", branch->clock_ms);
	put_i64(&w, "created", branch->created);
	put_string(&w, "bootId", branch->boot_id);
	put_string(&w, "xattrs", branch->xattr_prefix);
	put_end(&w);
	r = writer_close(&w, &text, &len);
	if (r >= 0)
		r = io_replace_at(branch->dir, BRANCH_META, text, len, 0600);
	return r < 0 ? fail_in(r, "branch %s", branch->name) : 0;
}

static const char *known_prefix(const char *prefix)
{
	static const char *const known[] = { "trusted.overlay.",
					     "user.overlay." };

	for (size_t i = 0; i < COUNT(known); i++)
		if (streq(prefix, known[i]))
			return known[i];
	return NULL;
}

static int take(const struct meta *meta, struct branch *branch)
{
	if (meta->version != META_VERSION)
		return fail(0,
			    "meta: version %u is not known to this build, "
			    "which has version %d",
			    meta->version, META_VERSION);
	branch->xattr_prefix = known_prefix(meta->xattrs);
	if (!branch->xattr_prefix)
		return fail(0, "meta: xattrs: '%s' is not known", meta->xattrs);
	if (meta->since_ns < 0 || meta->since_ns > 999999999)
		return fail(0, "meta: sinceNanoseconds: out of range");
	branch->device = meta->device;
	branch->inode = meta->inode;
	branch->since.tv_sec = (time_t)meta->since_s;
	branch->since.tv_nsec = (long)meta->since_ns;
	branch->clock_ms = meta->clock_ms;
	branch->created = meta->created;
	branch->boot_id = meta->boot_id;
	return 0;
}

int branch_meta_read(struct arena *arena, struct branch *branch)
{
	const struct json_value *root;
	struct meta meta = { 0 };
	char *text;
	int r = io_read_at(arena, branch->dir, BRANCH_META, META_MAX, &text);

	if (r >= 0)
		r = json_parse(arena, text, strlen(text), &root);
	if (r >= 0)
		r = json_object(arena, root, fields, COUNT(fields), &meta);
	return r < 0 ? r : take(&meta, branch);
}

/* ---- the clock ---- */

int64_t branch_clock_now(void)
{
	struct timespec real, boot;

	(void)clock_gettime(CLOCK_REALTIME, &real);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	return ((int64_t)real.tv_sec - boot.tv_sec) * 1000 +
	       (real.tv_nsec - boot.tv_nsec) / 1000000;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

/*
 * A file system's clock is coarse, and may run ahead of the coarse clock of
 * the kernel, or be a server's. So the clock is the ctime of a file; wait until
 * the next ctime is later: then every later change is, too.
 */
int branch_clock_take(struct branch *branch)
{
	autoclose int fd = openat(branch->dir, CLOCK_FILE,
				  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  0600);
	struct stat first, now;
	int r = 0;

	if (fd < 0)
		return fail(errno, "branch %s: make the file " CLOCK_FILE,
			    branch->name);
	if (fstat(fd, &first) < 0)
		r = fail(errno, "branch %s: read the clock of files",
			 branch->name);
	for (int i = 0; r == 0; i++) {
		if (fchmod(fd, 0600) < 0 || fstat(fd, &now) < 0)
			r = fail(errno, "branch %s: read the clock of files",
				 branch->name);
		else if (is_later(&now.st_ctim, &first.st_ctim))
			break;
		else if (i == CLOCK_TRIES)
			r = fail(0,
				 "branch %s: the clock of the file system "
				 "does not advance",
				 branch->name);
		else if (i > 0)
			usleep(CLOCK_PAUSE_US);
	}
	(void)unlinkat(branch->dir, CLOCK_FILE, 0);
	if (r < 0)
		return r;
	branch->since = first.st_ctim;
	branch->clock_ms = branch_clock_now();
	branch->created = first.st_ctim.tv_sec;
	return 0;
}

int branch_boot_id(struct arena *arena, const char **ret)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);

	if (n < 0)
		return fail(errno, "read %s", path);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	*ret = arena_strndup(arena, text, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}
