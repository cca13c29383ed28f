/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/attribute.c - find the key of the policy that denied a path.
 */
#include "runtime/denials/attribute.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/elf.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/hint.h"
#include "runtime/enforce/view.h"

#define READ LANDLOCK_MAY_READ
#define WRITE LANDLOCK_MAY_WRITE
#define EXECUTE LANDLOCK_MAY_EXECUTE
#define MAX_INTERPRETERS 5
#define OF_NEXT_RUN "it is the policy of the next run"
#define OUTSIDE "change it outside the sandbox"
#define NO_CAPABILITIES                              \
	"owner and mode do not permit it without a " \
	"capability, and a sandbox has none"
#define NO_FLAG "no flag allows it"
#define AS_OWNER NO_FLAG ": run as the owner, or change the owner"

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
			ret->advice = OUTSIDE;
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

/* Return the digits of "nvidia1" and "card1"; other files belong to all. */
static const char *gpu_number(const char *path)
{
	static const char *const names[] = { "/dev/nvidia", "/dev/dri/card" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *rest = path + strlen(names[i]);

		if (starts_with(path, names[i]) && *rest &&
		    strspn(rest, "0123456789") == strlen(rest))
			return rest;
	}
	return "0";
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
		.advice = NO_FLAG,
	};
	struct found found;

	find(attribution, wanted, &found);
	if (wanted->error != EROFS &&
	    (!device || wanted->error != ENOENT || !found.exists))
		return 0;
	if (is_gpu(wanted->path)) {
		denial.key = "limits.gpu_devices";
		denial.add = hint_add(attribution, KEY_GPU_DEVICES,
				      gpu_number(wanted->path));
	}
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
			.advice = d->implied ? OUTSIDE : NULL,
		};
		if (d->implied && !streq(d->path, found.path))
			denial.note = "it leads to the policy of the next run";
		if (!d->implied)
			denial.add = hint_remove(attribution, d->key, d->item);
		return denials_add(attribution->denials, &denial);
	}
	return 0;
}

/* True if a list, not a denial, would have to have the path. */
static bool is_unlisted(const struct attribution *attribution, const char *real,
			uint32_t right)
{
	const struct files_list *allowed = &attribution->view->allowed;

	for (size_t i = 0; i < allowed->n; i++)
		if (covers(&allowed->items[i], real, right))
			return false;
	return true;
}

static bool is_exception(const struct attribution *attribution,
			 const struct denial *denial)
{
	const struct files_list *denied = &attribution->view->denied;

	for (size_t i = 0; i < denied->n; i++)
		if (denied->items[i].item == denial->item)
			return denied->items[i].scope;
	return false;
}

/* "remove --deny-read x", and what to add if nothing allows the path. */
static int advise_denied(const struct attribution *attribution,
			 const struct hint_path *path, struct denial *ret)
{
	const char *remove = hint_remove(attribution, ret->key, ret->item);

	if (!remove)
		return -ENOMEM;
	if (is_unlisted(attribution, path->path, path->right)) {
		int r = hint_path(attribution, path, ret);

		if (r < 0)
			return r;
		if (ret->add)
			remove = hint_both(attribution, remove, ret->add);
	}
	ret->add = remove;
	ret->advice = NULL;
	return remove ? 0 : -ENOMEM;
}

static bool shows_link(const struct attribution *attribution, const char *link)
{
	const struct view *view = attribution->view;
	struct denial denial;

	for (size_t i = 0; i < view->nlinks; i++)
		if (streq(view->links[i].path, link))
			return true;
	return !attribute_judge(attribution, link, READ, &denial);
}

/* Return a link on the way to a file that is not in the sandbox; or NULL. */
static const char *hidden_link(const struct attribution *attribution,
			       const struct attribute_path *wanted)
{
	struct files_way way;

	if (attribution->bundle || wanted->error != ENOENT)
		return NULL;
	if (files_way(attribution->denials->arena, attribution->root,
		      wanted->path, &way) < 0) {
		err_clear();
		return NULL;
	}
	for (size_t i = 0; i < way.n; i++)
		if (way.steps[i].target &&
		    !shows_link(attribution, way.steps[i].path))
			return way.steps[i].path;
	return NULL;
}

/* The file is allowed, but a link on the way to it is not in the sandbox. */
static int attribute_links(const struct attribution *attribution,
			   const struct attribute_path *wanted)
{
	const struct hint_path link = {
		.path = hidden_link(attribution, wanted), .right = READ
	};
	struct denial denial;
	int r;

	if (!link.path ||
	    !attribute_judge(attribution, link.path, READ, &denial))
		return 0;
	r = hint_path(attribution, &link, &denial);
	return r < 0 ? r : denials_add(attribution->denials, &denial);
}

/* Say what to change, so that the policy allows it. */
static int advise(const struct attribution *attribution,
		  const struct attribute_path *wanted,
		  const struct found *found, uint32_t right, struct denial *ret)
{
	struct hint_path path = {
		.path = found->path,
		.right = right,
		.name = right == WRITE && (wanted->name || !found->exists),
	};

	/*
	 * A link that is listed is shown, together with its target; one that a
	 * pattern must match, because of a dollar, is not.
	 */
	if (!path.name && hidden_link(attribution, wanted)) {
		path.path = wanted->path;
		path.name = strchr(wanted->path, '$');
	}
	if (ret->advice || !ret->key)
		return 0;
	if (streq(ret->key, policy_key_name(KEY_MOUNT))) {
		ret->add =
			arena_printf(attribution->denials->arena,
				     "remove :ro from --mount %s:", ret->item);
		return ret->add ? 0 : -ENOMEM;
	}
	if (ret->item && !is_exception(attribution, ret))
		return advise_denied(attribution, &path, ret);
	return hint_path(attribution, &path, ret);
}

/*
 * True if the operation would have failed without a policy, too: the file does
 * not exist, or its mode does not permit it.
 */
static bool fails_anyway(const struct attribution *attribution,
			 const struct attribute_path *wanted,
			 const struct found *found, const struct denial *denial)
{
	if (denial->key && streq(denial->key, policy_key_name(KEY_MOUNT)))
		return false;
	if (!found->exists && !(wanted->makes && found->has_parent))
		return wanted->error == ENOENT || !attribution->bundle;
	return !attribution->bundle && !wanted->permitted &&
	       !attribute_is_permitted(attribution, wanted, found->path,
				       found->exists);
}

/* The policy allows it, but root has no capabilities in a sandbox. */
static int attribute_owner(const struct attribution *attribution,
			   const struct attribute_path *wanted,
			   const struct found *found)
{
	uint32_t rights = wanted->rights;
	const struct denial denial = {
		.operation = operation_of(rights & WRITE   ? WRITE :
					  rights & EXECUTE ? EXECUTE :
							     READ),
		.target = found->path,
		.note = NO_CAPABILITIES,
		.advice = wanted->chown ? NO_FLAG : AS_OWNER,
	};

	if (attribution->bundle || wanted->permitted ||
	    !(wanted->error == EACCES ||
	      (wanted->error == EPERM && wanted->owner)) ||
	    !(found->exists || (wanted->makes && found->has_parent)) ||
	    !attribute_lacks_capability(attribution, wanted, found->path,
					found->exists))
		return 0;
	return denials_add(attribution->denials, &denial);
}

int attribute_file(const struct attribution *attribution,
		   const struct attribute_path *wanted)
{
	static const uint32_t rights[] = { WRITE, EXECUTE, READ };
	struct found found;
	struct denial denial;
	bool denied = false;

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
		int r;

		if (!(wanted->rights & rights[i]) ||
		    !attribute_judge(attribution, found.path, rights[i],
				     &denial))
			continue;
		denied = true;
		if (fails_anyway(attribution, wanted, &found, &denial))
			continue;
		r = advise(attribution, wanted, &found, rights[i], &denial);
		return r < 0 ? r : denials_add(attribution->denials, &denial);
	}
	if (wanted->error != ENOENT && !denied)
		return attribute_owner(attribution, wanted, &found);
	return found.exists ? attribute_links(attribution, wanted) : 0;
}

/* ---- programs ---- */

void attribute_interpreter(const struct attribution *attribution,
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
		.access = X_OK,
		.error = error,
	};
	int r = attribute_file(attribution, &wanted);

	wanted.path = next;
	for (int i = 0; i < MAX_INTERPRETERS; i++) {
		if (r < 0 || attribution->denials->n > before)
			return r;
		attribute_interpreter(attribution, i ? wanted.path : path,
				      next);
		if (next[0] != '/')
			return 0;
		r = attribute_file(attribution, &wanted);
	}
	return r;
}
