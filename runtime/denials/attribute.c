/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/attribute.c - find the key of the policy that denied a path.
 */
#include "runtime/diagnose/attribute.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/elf.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/diagnose/denials.h"
#include "runtime/enforce/view.h"

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE
#define EXECUTE LANDLOCK_MAY_EXECUTE
#define MAX_INTERPRETERS 5
#define OF_NEXT_RUN \
	"it is the policy of the next run: change it outside the sandbox"

static const char *operation_of(uint32_t right)
{
	switch (right) {
	case WRITE:
		return "write";
	case EXECUTE:
		return "execute";
	default:
		return "read";
	}
}

static const char *list_of(const struct policy *policy, uint32_t right)
{
	if (right == EXECUTE && policy_has(policy, KEY_EXECUTE))
		return "filesystem.execute";
	return right == WRITE ? "filesystem.write" : "filesystem.read";
}

static bool covers(const struct files_entry *entry, const char *real,
		   uint32_t right)
{
	return entry->rights & right && files_is_at_or_below(real, entry->path);
}

/*
 * Return the denial that removes the right from this allowed entry; NULL if
 * none.
 */
static const struct files_entry *taken(const struct attribution *attribution,
				       const struct files_entry *allowed,
				       const char *real, uint32_t right)
{
	const struct files_list *denied = &attribution->view->denied;

	for (size_t i = 0; i < denied->n; i++) {
		const struct files_entry *d = &denied->items[i];

		if (covers(d, real, right) &&
		    (!d->scope || (allowed && d->scope == allowed->scope)))
			return d;
	}
	return NULL;
}

static bool judge_mount(const struct attribution *attribution, const char *real,
			uint32_t right, bool *ret_refused, struct denial *ret)
{
	const struct policy_mounts *mount = &attribution->policy->mount;

	for (size_t i = mount->n; i-- > 0;) {
		const struct policy_mount *m = &mount->items[i];

		if (!files_is_at_or_below(real, m->inside) ||
		    policy_mount_is_absent(m))
			continue;
		*ret_refused = right == WRITE && m->readonly;
		ret->key = "filesystem.mount";
		ret->item = m->inside;
		return true;
	}
	return false;
}

/* True in a tmpfs, where everything is the sandbox's own. */
static bool is_private(const struct view *view, const char *real)
{
	const struct view_bind *above = NULL;

	for (size_t i = 0; i < view->nbinds; i++)
		if (files_is_at_or_below(real, view->binds[i].path))
			above = &view->binds[i];
	return above && above->tmpfs;
}

bool attribute_judge(const struct attribution *attribution, const char *real,
		     uint32_t right, struct denial *ret)
{
	const struct files_list *allowed = &attribution->view->allowed;
	const struct files_entry *by = NULL;
	bool refused;

	*ret = (struct denial){ .operation = operation_of(right),
				.target = real };
	if (judge_mount(attribution, real, right, &refused, ret))
		return refused;
	if (is_private(attribution->view, real))
		return false;
	for (size_t i = 0; i < allowed->n; i++) {
		const struct files_entry *a = &allowed->items[i];
		const struct files_entry *d;

		if (!covers(a, real, right))
			continue;
		d = taken(attribution, a, real, right);
		if (d && d->implied) {
			ret->note = OF_NEXT_RUN;
			return true;
		}
		if (!d)
			return false;
		by = by ? by : d;
	}
	if (!by)
		by = taken(attribution, NULL, real, right);
	ret->key = by ? by->key : list_of(attribution->policy, right);
	ret->item = by ? by->item : NULL;
	return true;
}

/* ---- resolving paths ---- */

struct found {
	char path[PATH_MAX]; /* without links */
	bool exists;
	bool has_parent;
};

/* Get the path of a descriptor in the sandbox. */
static bool name_of(const struct attribution *attribution, int fd,
		    char ret[PATH_MAX])
{
	size_t skip = strlen(attribution->prefix);
	char link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, ret, PATH_MAX - 1);
	if (n < 0)
		return false;
	ret[n] = '\0';
	if (strncmp(ret, attribution->prefix, skip) != 0)
		return false;
	memmove(ret, ret + skip, (size_t)n - skip + 1);
	if (!*ret)
		strcpy(ret, "/");
	return *ret == '/';
}

static bool look_for_name(const struct attribution *attribution,
			  const char *path, struct found *ret)
{
	char parent[PATH_MAX], name[NAME_MAX + 1];
	const char *slash = strrchr(path, '/');
	size_t len = (size_t)(slash - path), at;

	snprintf(parent, sizeof parent, "%.*s", len ? (int)len : 1, path);
	if ((size_t)snprintf(name, sizeof name, "%s", slash + 1) >= sizeof name)
		return false;

	autoclose int dir = root_open(attribution->root, parent,
				      O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (dir < 0 || !name_of(attribution, dir, ret->path))
		return false;
	at = streq(ret->path, "/") ? 0 : strlen(ret->path);
	if (at + strlen(name) + 2 > sizeof ret->path)
		return false;
	ret->has_parent = true;
	ret->exists = fstatat(dir, name, &st,
			      AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
	ret->path[at] = '/';
	strcpy(ret->path + at + 1, name);
	return true;
}

/* Resolve the path on the host, as it is now; only names are examined. */
static void find(const struct attribution *attribution,
		 const struct attribute_path *wanted, struct found *ret)
{
	char path[PATH_MAX];
	size_t len;

	*ret = (struct found){ .exists = false };
	snprintf(path, sizeof path, "%s", wanted->path);
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';

	autoclose int fd =
		root_open(attribution->root, path,
			  O_PATH | O_CLOEXEC | (wanted->link ? O_NOFOLLOW : 0));

	if (fd >= 0 && name_of(attribution, fd, ret->path)) {
		ret->exists = true;
		ret->has_parent = true;
		return;
	}
	if (!look_for_name(attribution, path, ret))
		snprintf(ret->path, sizeof ret->path, "%s", path);
}

/* ---- files ---- */

static bool is_gpu(const char *path)
{
	return strncmp(path, "/dev/nvidia", strlen("/dev/nvidia")) == 0 ||
	       files_is_at_or_below(path, "/dev/dri") ||
	       streq(path, "/dev/kfd");
}

/*
 * The sandbox has its own /proc and /dev, without most processes and devices.
 */
static int attribute_own(const struct attribution *attribution,
			 const struct attribute_path *wanted)
{
	bool device = files_is_at_or_below(wanted->path, "/dev");
	struct denial denial = {
		.operation =
			operation_of(wanted->rights & WRITE ? WRITE : READ),
		.target = wanted->path,
		.note = device ? "the sandbox has its own /dev" :
				 "the sandbox has its own /proc",
	};
	struct found found;

	find(attribution, wanted, &found);
	if (wanted->error != EROFS &&
	    (!device || wanted->error != ENOENT || !found.exists))
		return 0;
	if (is_gpu(wanted->path))
		denial.key = "limits.gpu_devices";
	return denials_add(attribution->denials, &denial);
}

static bool is_refusal(int error)
{
	return error == EACCES || error == EPERM || error == EROFS ||
	       error == ENOENT;
}

/* Whether the mounts that enforce a denied entry pin this path. */
static bool is_kept(const struct files_entry *denied, const char *path)
{
	if (denied->scope || !(denied->rights & WRITE))
		return false;
	for (size_t i = 0; i < denied->nsteps; i++)
		if (files_is_at_or_below(denied->steps[i].path, path))
			return true;
	return files_is_at_or_below(denied->path, path);
}

/* The workload removed or replaced a mount, or a directory above one. */
static int attribute_busy(const struct attribution *attribution,
			  const struct attribute_path *wanted)
{
	const struct files_list *denied = &attribution->view->denied;
	struct found found;
	struct denial denial;

	find(attribution, wanted, &found);
	for (size_t i = 0; i < denied->n; i++) {
		const struct files_entry *d = &denied->items[i];

		if (!is_kept(d, found.path))
			continue;
		denial = (struct denial){
			.operation = operation_of(WRITE),
			.target = found.path,
			.key = d->implied ? NULL : d->key,
			.item = d->implied ? NULL : d->item,
			.note = d->implied ? OF_NEXT_RUN : NULL,
		};
		if (d->implied && !streq(d->path, found.path))
			denial.note = "it leads to the policy of the next run: "
				      "change it outside the sandbox";
		return denials_add(attribution->denials, &denial);
	}
	return 0;
}

int attribute_file(const struct attribution *attribution,
		   const struct attribute_path *wanted)
{
	static const uint32_t rights[] = { WRITE, EXECUTE, READ };
	struct found found;
	struct denial denial;

	if (wanted->path[0] != '/')
		return 0;
	if (wanted->error == EBUSY && wanted->rights & WRITE)
		return attribute_busy(attribution, wanted);
	if (!is_refusal(wanted->error))
		return 0;
	if (files_is_at_or_below(wanted->path, "/proc") ||
	    files_is_at_or_below(wanted->path, "/dev"))
		return attribute_own(attribution, wanted);
	find(attribution, wanted, &found);
	for (size_t i = 0; i < COUNT(rights); i++) {
		if (!(wanted->rights & rights[i]) ||
		    !attribute_judge(attribution, found.path, rights[i],
				     &denial))
			continue;
		/* It would not exist without a policy either. */
		if (wanted->error == ENOENT && !denial.item && !found.exists &&
		    !(wanted->makes && found.has_parent))
			continue;
		return denials_add(attribution->denials, &denial);
	}
	return 0;
}

/* ---- programs ---- */

/* Get the interpreter, "" if there is none; as far as the file is readable. */
static void interpreter_of(const struct attribution *attribution,
			   const char *path, char *ret)
{
	_Alignas(8) char header[ELF_INTERPRETER];
	autoclose int fd =
		root_open(attribution->root, path,
			  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	ret[0] = '\0';
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	n = pread(fd, header, sizeof header, 0);
	if (n <= 0)
		return;
	elf_script_interpreter(header, (size_t)n, ret);
	if (!ret[0])
		elf_interpreter(fd, header, (size_t)n, ret);
}

int attribute_program(const struct attribution *attribution, const char *path,
		      int error)
{
	char next[ELF_INTERPRETER];
	size_t before = attribution->denials->n;
	struct attribute_path wanted = {
		.path = path,
		.rights = EXECUTE,
		.error = error,
	};
	int r = attribute_file(attribution, &wanted);

	wanted.path = next;
	for (int i = 0; i < MAX_INTERPRETERS; i++) {
		if (r < 0 || attribution->denials->n > before)
			return r;
		interpreter_of(attribution, i ? wanted.path : path, next);
		if (next[0] != '/')
			return 0;
		r = attribute_file(attribution, &wanted);
	}
	return r;
}
