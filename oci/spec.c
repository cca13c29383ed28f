/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec.c - read config.json, and check its parts against each other. */
#include "oci/oci.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "oci/linux.h"
#include "oci/parse.h"

#define MAX_FILE ((size_t)16 << 20)
#define MAX_HOST_NAME (sizeof((struct utsname *)NULL)->nodename - 1)
#define NOTIFY_ANNOTATION "run.oci.seccomp.receiver"

int oci_read_list(const struct json_value *v, size_t max, const char **ret)
{
	unsigned long bits[OCI_MAX_CPUS / (8 * sizeof(unsigned long))];
	int r = json_expect(v, JSON_STRING);

	if (r < 0)
		return r;
	if (!*v->text)
		return 0;
	r = oci_bit_list(v->text, bits, max);
	if (r < 0)
		return json_fail_in(r, v);
	*ret = v->text;
	return 0;
}

/* 0, or a number without leading zeros. */
static bool semver_number(const char **text)
{
	const char *start = *text;

	while (isdigit((unsigned char)**text))
		(*text)++;
	return *text > start && (*start != '0' || *text == start + 1);
}

/* After the mark, if present: identifiers separated by dots. */
static bool semver_suffix(const char **text, char mark, bool leading_zeros)
{
	if (**text != mark)
		return true;
	do {
		const char *start = ++*text;
		bool digits = true;

		while (isalnum((unsigned char)**text) || **text == '-') {
			digits &= isdigit((unsigned char)**text) != 0;
			(*text)++;
		}
		if (*text == start || (digits && !leading_zeros &&
				       *start == '0' && *text > start + 1))
			return false;
	} while (**text == '.');
	return true;
}

static bool is_semver(const char *text)
{
	for (int i = 0; i < 3; i++)
		if ((i > 0 && *text++ != '.') || !semver_number(&text))
			return false;
	return semver_suffix(&text, '-', /* leading_zeros= */ false) &&
	       semver_suffix(&text, '+', /* leading_zeros= */ true) && !*text;
}

static JSON_READER(read_version)
{
	int r = json_string(arena, v, ret);

	if (r < 0)
		return r;
	if (!is_semver(v->text))
		return json_fail(
			v, "'%.200s' is not a semantic version (such as 1.2.0)",
			v->text);
	if (!starts_with(v->text, "1."))
		return json_fail(
			v, "version %.200s is not supported (supported: 1.x)",
			v->text);
	return 0;
}

static JSON_READER(read_root)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("path", json_filled, struct oci_spec, root_path),
		JSON_FIELD("readonly", json_bool, struct oci_spec,
			   root_readonly),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_host_name)
{
	int r = json_word(arena, v, ret);

	if (r < 0 || strlen(v->text) <= MAX_HOST_NAME)
		return r;
	return json_fail(v, "'%.200s' is longer than %zu bytes", v->text,
			 MAX_HOST_NAME);
}

static JSON_READER(read_process)
{
	struct oci_process *process = arena_alloc(arena, sizeof *process);
	int r;

	if (!process)
		return -ENOMEM;
	r = oci_read_process(arena, v, process);
	if (r < 0)
		return r;
	*(const struct oci_process **)ret = process;
	return 0;
}

static JSON_READER(read_mounts)
{
	struct oci_spec *spec = ret;

	return json_array(arena, v, oci_read_mount, sizeof *spec->mounts,
			  &spec->mounts, &spec->nmounts);
}

static int check_names(const struct oci_spec *spec)
{
	if (spec->linux_.namespaces[OCI_NS_UTS].listed)
		return 0;
	if (spec->hostname)
		return fail(0, "hostname: requires a uts namespace in "
			       "linux.namespaces");
	if (spec->domainname)
		return fail(0, "domainname: requires a uts namespace in "
			       "linux.namespaces");
	return 0;
}

/* An annotation may name the listener; store it in the profile. */
static int check_listener(struct arena *arena, struct oci_spec *spec)
{
	const char *receiver =
		oci_annotation(&spec->annotations, NOTIFY_ANNOTATION);
	const struct oci_seccomp *old = spec->linux_.seccomp;
	struct oci_seccomp *seccomp;

	if (!old || is_set(old->listener_path))
		return 0;
	if (is_set(receiver)) {
		seccomp = arena_alloc(arena, sizeof *seccomp);
		if (!seccomp)
			return -ENOMEM;
		*seccomp = *old;
		seccomp->listener_path = receiver;
		spec->linux_.seccomp = seccomp;
		return 0;
	}
	if (old->listener_metadata)
		return fail(0, "linux.seccomp.listenerMetadata: requires "
			       "listenerPath");
	for (size_t i = 0; i < old->nrules; i++)
		if (old->rules[i].action == SECCOMP_RET_USER_NOTIF)
			return fail(0,
				    "linux.seccomp.syscalls[%zu].action: "
				    "SCMP_ACT_NOTIFY requires listenerPath",
				    i);
	return 0;
}

int oci_spec_parse(struct arena *arena, const char *text, size_t len,
		   struct oci_spec *ret)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("ociVersion", read_version, struct oci_spec,
			      version),
		{ "root", read_root, 0, true },
		JSON_FIELD("hostname", read_host_name, struct oci_spec,
			   hostname),
		JSON_FIELD("domainname", read_host_name, struct oci_spec,
			   domainname),
		JSON_REQUIRED("process", read_process, struct oci_spec,
			      process),
		JSON_WHOLE("mounts", read_mounts),
		JSON_FIELD("hooks", oci_read_hooks, struct oci_spec, hooks),
		JSON_FIELD("annotations", json_annotations, struct oci_spec,
			   annotations),
		JSON_FIELD("linux", oci_read_linux, struct oci_spec, linux_),
	};
	struct oci_spec spec = { .json = text, .json_len = len };
	const struct json_value *root;
	int r;

	if ((r = json_parse(arena, text, len, &root)) < 0 ||
	    (r = json_object(arena, root, fields, COUNT(fields), &spec)) < 0 ||
	    (r = check_names(&spec)) < 0 ||
	    (r = check_listener(arena, &spec)) < 0 ||
	    (r = oci_apply_annotations(arena, &spec)) < 0)
		return r;
	*ret = spec;
	return 0;
}

/* Read a regular file into memory of exactly its size. */
static int read_file(struct arena *arena, int fd, char **ret_text,
		     size_t *ret_len)
{
	struct stat st;
	size_t len = 0;
	char *text;

	if (fstat(fd, &st) < 0)
		return fail(errno, "find out the type and size of this file");
	if (S_ISDIR(st.st_mode))
		return fail(EISDIR, "must be a regular file");
	if (!S_ISREG(st.st_mode))
		return fail(
			0,
			"must be a regular file, not a device, FIFO or socket");
	if ((uintmax_t)st.st_size > MAX_FILE)
		return fail(0,
			    "is larger than %zu MiB, the maximum for a "
			    "configuration",
			    MAX_FILE >> 20);
	text = arena_alloc(arena, (size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (len <= (size_t)st.st_size) {
		ssize_t n = read(fd, text + len, (size_t)st.st_size + 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(errno, "read the contents of this file");
		if (n == 0)
			break;
		len += (size_t)n;
	}
	if (len != (size_t)st.st_size)
		return fail(0, "the file changed while it was read: try again");
	*ret_text = text;
	*ret_len = len;
	return 0;
}

int oci_spec_load(struct arena *arena, int dir, const char *name,
		  struct oci_spec *ret)
{
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	autoclose int fd =
		openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text = NULL;
	size_t len = 0;
	int r;

	if (fd < 0)
		return fail(errno, "open %s", name);
	if ((r = read_file(arena, fd, &text, &len)) < 0 ||
	    (r = oci_spec_parse(arena, text, len, ret)) < 0)
		return fail_in(r, "%s", name);
	return 0;
}

static int read_tree(struct arena *arena, int fd, const struct json_value **ret)
{
	char *text;
	size_t len;
	int r = io_read_all(arena, fd, MAX_FILE, &text, &len);

	return r < 0 ? r : json_parse(arena, text, len, ret);
}

int oci_process_read(struct arena *arena, int fd, struct oci_process *ret)
{
	struct oci_process process = { 0 };
	const struct json_value *root;
	int r;

	if ((r = read_tree(arena, fd, &root)) < 0 ||
	    (r = oci_read_process(arena, root, &process)) < 0)
		return r;
	*ret = process;
	return 0;
}

const char *oci_env_get(const struct strings *env, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = env->n; i-- > 0;)
		if (strncmp(env->items[i], key, len) == 0 &&
		    env->items[i][len] == '=')
			return env->items[i] + len + 1;
	return NULL;
}

const char *oci_annotation(const struct oci_annotations *a, const char *key)
{
	for (size_t i = 0; i < a->n; i++)
		if (streq(a->items[i].key, key))
			return a->items[i].value;
	return NULL;
}
