/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/images.c - open the directories of a checkpoint and set
 * options.
 */
#include "runtime/checkpoint/images.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/protobuf.h"
#include "runtime/enforce/enforce.h"

#define DEFAULT_IMAGES "checkpoint"
/* The file is for the operator, the annotation for one container. */
#define CONFIG_FILE "/etc/criu/sandlock-oci.conf"
#define CONFIG_ANNOTATION "org.criu.config"
#define LOG_ALL 4

struct choice {
	const char *word;
	unsigned int number;
};

/* Values of criu_cg_mode and criu_network_lock_method. */
static const struct choice cgroups_modes[] = {
	{ "ignore", 0 },
	{ "soft", 3 },
	{ "full", 4 },
	{ "strict", 5 },
};
static const struct choice network_locks[] = {
	{ "iptables", 1 },
	{ "nftables", 2 },
	{ "skip", 3 },
};

static int choose(const char *option, const char *word,
		  const struct choice *choices, size_t n, unsigned int *ret)
{
	char words[64] = "";
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		if (streq(choices[i].word, word)) {
			*ret = choices[i].number;
			return 0;
		}
		len += (size_t)snprintf(words + len, sizeof words - len, "%s%s",
					len ? ", " : "", choices[i].word);
	}
	return fail(0, "--%s: unknown value '%s' (known: %s)", option, word,
		    words);
}

bool images_leave_cgroups(const struct image_options *options)
{
	return is_set(options->cgroups_mode) &&
	       streq(options->cgroups_mode, "ignore");
}

static bool is_idmapped(const struct oci_mount *mount)
{
	for (size_t i = 0; i < mount->options.n; i++) {
		const char *word = mount->options.items[i];

		if (streq(word, "idmap") || streq(word, "ridmap") ||
		    starts_with(word, "idmap="))
			return true;
	}
	return mount->has_mappings;
}

int images_check(const struct oci_spec *spec, bool enforced)
{
	if (geteuid() != 0)
		return fail(EPERM, "checkpoint and restore require root");
	if (enforced)
		return fail(
			0,
			"checkpoint is not supported for containers with a "
			"policy (criu cannot restore Landlock and the mounts)");
	for (size_t i = 0; i < spec->nmounts; i++)
		if (is_idmapped(&spec->mounts[i]))
			return fail(0,
				    "mounts[%zu]: criu cannot restore an "
				    "idmapped mount",
				    i);
	return 0;
}

static int open_dir(const char *path, bool make)
{
	int fd;

	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return fail(errno, "create %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? fail(errno, "open %s", path) : fd;
}

static int check_parent(int dir, const char *path)
{
	struct stat st;

	if (path[0] == '/')
		return fail(0,
			    "--parent-path: %s: must be relative to "
			    "--image-path",
			    path);
	if (fstatat(dir, path, &st, 0) < 0)
		return fail(errno, "--parent-path: %s", path);
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR, "--parent-path: %s", path);
	return 0;
}

static int absolute(struct arena *arena, const char *path, const char **ret)
{
	autofree char *real = realpath(path, NULL);

	if (!real)
		return fail(errno, "find the path %s", path);
	*ret = arena_strdup(arena, real);
	return *ret ? 0 : -ENOMEM;
}

void images_close(struct images *images)
{
	closep(&images->dir);
	closep(&images->work);
}

int images_open(struct arena *arena, const struct image_options *options,
		const char *log, bool make, struct images *ret)
{
	const char *path = is_set(options->image_path) ? options->image_path :
							 DEFAULT_IMAGES;
	const char *work = is_set(options->work_path) ? options->work_path :
							path;
	autoimages struct images images = IMAGES_NONE;
	int r;

	images.dir = open_dir(path, make);
	if (images.dir < 0)
		return fail_in(images.dir, "--image-path");
	images.work = open_dir(work, /* make= */ true);
	if (images.work < 0)
		return fail_in(images.work, "--work-path");
	if (is_set(options->parent_path)) {
		r = check_parent(images.dir, options->parent_path);
		if (r < 0)
			return r;
	}
	r = absolute(arena, path, &images.path);
	if (r >= 0)
		r = absolute(arena, work, &images.work_path);
	if (r < 0)
		return r;
	images.log = log;
	images.log_path = arena_printf(arena, "%s/%s", images.work_path, log);
	if (!images.log_path)
		return -ENOMEM;
	/* Remove the log of an earlier failure, so that it is not reported. */
	(void)unlinkat(images.work, log, 0);
	*ret = images;
	images = (struct images)IMAGES_NONE;
	return 0;
}

int images_admit(const struct images *images, gid_t group)
{
	struct stat st;

	if (fstat(images->dir, &st) < 0)
		return fail(errno, "inspect the image directory %s",
			    images->path);
	if (st.st_mode & S_IXOTH ||
	    (st.st_gid == group && st.st_mode & S_IXGRP))
		return 0;
	if (fchown(images->dir, (uid_t)-1, group) < 0 ||
	    fchmod(images->dir, (st.st_mode & 07777) | S_IXGRP) < 0)
		return fail(errno, "allow group %u to enter %s", group,
			    images->path);
	return 0;
}

static const char *config_file(const struct oci_annotations *annotations)
{
	for (size_t i = 0; i < annotations->n; i++)
		if (streq(annotations->items[i].key, CONFIG_ANNOTATION))
			return annotations->items[i].value;
	return access(CONFIG_FILE, R_OK) == 0 ? CONFIG_FILE : NULL;
}

/*
 * criu cannot recreate an interface that came from the host. It never saves a
 * network namespace that the container joined.
 */
static bool has_empty_network(const struct image_options *o,
			      const struct oci_linux *l)
{
	return o->empty_ns.n ||
	       (l->nnet_devices && !l->namespaces[OCI_NS_NETWORK].path);
}

static int put_choices(const struct image_options *o, const struct oci_linux *l,
		       struct pb *request)
{
	unsigned int number = 0;
	int r;

	r = choose("manage-cgroups-mode",
		   is_set(o->cgroups_mode) ? o->cgroups_mode : "soft",
		   cgroups_modes, COUNT(cgroups_modes), &number);
	if (r < 0)
		return r;
	pb_number(request, CRIU_CGROUPS_MODE, number);
	if (is_set(o->network_lock)) {
		r = choose("network-lock", o->network_lock, network_locks,
			   COUNT(network_locks), &number);
		if (r < 0)
			return r;
		pb_number(request, CRIU_NETWORK_LOCK, number);
	}
	for (size_t i = 0; i < o->empty_ns.n; i++)
		if (!streq(o->empty_ns.items[i], "network"))
			return fail(0,
				    "--empty-ns: '%s' is not network, the only "
				    "possible value",
				    o->empty_ns.items[i]);
	if (has_empty_network(o, l))
		pb_number(request, CRIU_EMPTY_NS, CLONE_NEWNET);
	return 0;
}

int images_put(const struct images *images, const struct image_options *o,
	       const struct oci_spec *spec, struct pb *request)
{
	pb_number(request, CRIU_IMAGES_DIR_FD, CRIU_IMAGES_FD);
	pb_number(request, CRIU_WORK_DIR_FD, CRIU_WORK_FD);
	pb_text(request, CRIU_LOG_FILE, images->log);
	pb_number(request, CRIU_LOG_LEVEL, LOG_ALL);
	pb_number(request, CRIU_NOTIFY_SCRIPTS, 1);
	pb_number(request, CRIU_ORPHAN_PTS_MASTER, 1);
	pb_number(request, CRIU_TCP_ESTABLISHED, o->tcp_established);
	pb_number(request, CRIU_EXT_UNIX_SK, o->ext_unix_sk);
	pb_number(request, CRIU_SHELL_JOB, o->shell_job);
	pb_number(request, CRIU_FILE_LOCKS, o->file_locks);
	pb_number(request, CRIU_AUTO_DEDUP, o->auto_dedup);
	pb_number(request, CRIU_LAZY, o->lazy_pages);
	if (is_set(o->parent_path))
		pb_text(request, CRIU_PARENT_IMAGES, o->parent_path);
	pb_text(request, CRIU_CONFIG_FILE, config_file(&spec->annotations));
	return put_choices(o, &spec->linux_, request);
}

int images_explain(struct arena *arena, int r, const struct images *images)
{
	const char *errors = criu_log_errors(arena, images->work, images->log);
	struct stat st;

	if (r != -EREMOTEIO)
		return r;
	if (fstatat(images->work, images->log, &st, 0) < 0)
		return fail_in(r, "criu");
	return fail(0, "criu: %s (log file: %s)", *errors ? errors : err_text(),
		    images->log_path);
}
