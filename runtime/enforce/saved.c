/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/saved.c - write an enforcement as JSON, and read it back. */
#include "runtime/enforce/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/utf8.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/write.h"

#define FORMAT 1
#define MAX_SAVED (32UL << 20)
#define MAX_CODE 4096 /* BPF_MAXINSNS */
#define CODE_DIGITS 16

static const struct json_choice kinds[] = {
	{ "bundle", ENFORCE_BUNDLE },
	{ "sandbox", ENFORCE_SANDBOX },
	{ "sandboxWithoutNamespaces", ENFORCE_SANDBOX_NO_NAMESPACES },
};

/* ---- strings of any bytes: {"hex": "…"} where they are not UTF-8 ---- */

static const char digits[] = "0123456789abcdef";

static void put_bytes(struct writer *w, const char *key, const char *text)
{
	size_t len = strlen(text);
	char *hex;

	if (utf8_is(text)) {
		put_string(w, key, text);
		return;
	}
	hex = arena_alloc(w->arena, 2 * len + 1);
	for (size_t i = 0; hex && i < len; i++) {
		hex[2 * i] = digits[(unsigned char)text[i] >> 4];
		hex[2 * i + 1] = digits[(unsigned char)text[i] & 15];
	}
	if (!hex)
		w->error = -ENOMEM;
	put_object(w, key);
	put_string(w, "hex", hex);
	put_end(w);
}

static void put_list(struct writer *w, const char *key,
		     const struct strings *list)
{
	put_array(w, key);
	for (size_t i = 0; i < list->n; i++)
		put_bytes(w, NULL, list->items[i]);
	put_end(w);
}

/* Parse n hexadecimal digits; -1 if invalid. */
static int64_t parse_hex(const char *text, size_t n)
{
	int64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return -1;
		value = value << 4 | (digit - digits);
	}
	return value;
}

static int parse_bytes(struct arena *arena, const struct json_value *v,
		       const char **ret)
{
	size_t len = strlen(v->text) / 2;
	char *text = arena_alloc(arena, len + 1);

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++) {
		int64_t byte = parse_hex(v->text + 2 * i, 2);

		if (byte <= 0)
			return json_fail(v, "must be hexadecimal");
		text[i] = (char)byte;
	}
	if (strlen(v->text) != 2 * len)
		return json_fail(v, "must be hexadecimal");
	*ret = text;
	return 0;
}

static bool is_field(const struct json_field *fields, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (streq(fields[i].key, key))
			return true;
	return false;
}

/*
 * Require exactly these members: one that this version does not know may be
 * something it would have to enforce.
 */
static int read_exactly(struct arena *arena, const struct json_value *v,
			const struct json_field *fields, size_t n, void *ret)
{
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	json_each (member, v)
		if (!is_field(fields, n, member->key))
			return json_fail(v, "has the unknown key '%.200s'",
					 member->key);
	if (v->n != n)
		return json_fail(v, "lacks a key");
	return json_object(arena, v, fields, n, ret);
}

static JSON_READER(read_bytes)
{
	struct {
		const char *hex;
	} given = { 0 };
	const struct json_field fields[] = {
		{ "hex", json_string, 0, true },
	};
	int r;

	if (v->type == JSON_STRING)
		return json_string(arena, v, ret);
	r = read_exactly(arena, v, fields, COUNT(fields), &given);
	return r < 0 ? r : parse_bytes(arena, v->first, ret);
}

static JSON_READER(read_list)
{
	struct strings *list = ret;
	struct strings found = { 0 };
	const char **items = NULL;
	int r = json_expect(v, JSON_ARRAY);

	if (r < 0 || !v->n)
		return r;
	r = json_array(arena, v, read_bytes, sizeof *items, &items, &found.n);
	if (r < 0)
		return r;
	/* items[n] must be NULL. */
	found.items =
		arena_grow(arena, items, found.n, found.n + 1, sizeof *items);
	if (!found.items)
		return -ENOMEM;
	*list = found;
	return 0;
}

/* ---- Landlock ---- */

static void put_landlock(struct writer *w, const char *key,
			 const struct landlock_plan *plan)
{
	put_object(w, key);
	put_bool(w, "needed", plan->needed);
	put_u64(w, "handledFs", plan->handled.handled_fs);
	put_u64(w, "handledNet", plan->handled.handled_net);
	put_u64(w, "scoped", plan->handled.scoped);
	put_u64(w, "flags", plan->flags);
	put_array(w, "paths");
	for (size_t i = 0; i < plan->nrules; i++) {
		put_object(w, NULL);
		put_bytes(w, "path", plan->rules[i].path);
		put_u64(w, "directory", plan->rules[i].access.directory);
		put_u64(w, "other", plan->rules[i].access.other);
		put_end(w);
	}
	put_end(w);
	put_array(w, "ports");
	for (size_t i = 0; i < plan->nports; i++) {
		put_object(w, NULL);
		put_u64(w, "port", plan->ports[i].port);
		put_u64(w, "allowed", plan->ports[i].allowed);
		put_end(w);
	}
	put_end(w);
	put_end(w);
}

static JSON_READER(read_rule)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("path", read_bytes, struct landlock_rule, path),
		JSON_REQUIRED("directory", json_u64, struct landlock_rule,
			      access.directory),
		JSON_REQUIRED("other", json_u64, struct landlock_rule,
			      access.other),
	};
	struct landlock_rule *rule = ret;
	int r = read_exactly(arena, v, fields, COUNT(fields), rule);

	return r < 0 || rule->path[0] == '/' ?
		       r :
		       json_fail_key(v, "path", "must be an absolute path");
}

static JSON_READER(read_rules)
{
	struct landlock_plan *plan = ret;

	return json_array(arena, v, read_rule, sizeof *plan->rules,
			  &plan->rules, &plan->nrules);
}

static JSON_READER(read_port)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("port", json_u64, struct kernel_landlock_port,
			      port),
		JSON_REQUIRED("allowed", json_u64, struct kernel_landlock_port,
			      allowed),
	};

	return read_exactly(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_ports)
{
	struct landlock_plan *plan = ret;

	return json_array(arena, v, read_port, sizeof *plan->ports,
			  &plan->ports, &plan->nports);
}

static JSON_READER(read_landlock)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("needed", json_bool, struct landlock_plan,
			      needed),
		JSON_REQUIRED("handledFs", json_u64, struct landlock_plan,
			      handled.handled_fs),
		JSON_REQUIRED("handledNet", json_u64, struct landlock_plan,
			      handled.handled_net),
		JSON_REQUIRED("scoped", json_u64, struct landlock_plan,
			      handled.scoped),
		JSON_REQUIRED("flags", json_u32, struct landlock_plan, flags),
		{ "paths", read_rules, 0, true },
		{ "ports", read_ports, 0, true },
	};

	return read_exactly(arena, v, fields, COUNT(fields), ret);
}

/* ---- the program of the filter: 16 digits for each instruction ---- */

static void put_filter(struct writer *w, const char *key,
		       const struct confine_filter *filter)
{
	char *text = arena_alloc(w->arena, filter->len * CODE_DIGITS + 1);

	if (!text) {
		w->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < filter->len; i++) {
		const struct sock_filter *f = &filter->code[i];

		(void)snprintf(text + i * CODE_DIGITS, CODE_DIGITS + 1,
			       "%04x%02x%02x%08x", f->code, f->jt, f->jf, f->k);
	}
	put_object(w, key);
	put_u64(w, "architecture", confine_arch());
	put_u64(w, "flags", filter->flags);
	put_string(w, "program", text);
	put_end(w);
}

static JSON_READER(read_program)
{
	struct confine_filter *filter = ret;
	size_t n;

	if (json_expect(v, JSON_STRING) < 0)
		return -EINVAL;
	n = strlen(v->text) / CODE_DIGITS;
	if (!n || n > MAX_CODE || strlen(v->text) != n * CODE_DIGITS)
		return json_fail(v, "must be hexadecimal");
	filter->code = arena_array(arena, n, sizeof *filter->code);
	if (!filter->code)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *text = v->text + i * CODE_DIGITS;
		int64_t code = parse_hex(text, 4), jt = parse_hex(text + 4, 2),
			jf = parse_hex(text + 6, 2), k = parse_hex(text + 8, 8);

		if (code < 0 || jt < 0 || jf < 0 || k < 0)
			return json_fail(v, "must be hexadecimal");
		filter->code[i] =
			(struct sock_filter){ (uint16_t)code, (uint8_t)jt,
					      (uint8_t)jf, (uint32_t)k };
	}
	filter->len = n;
	return 0;
}

/* A program for another architecture would allow other calls. */
static JSON_READER(read_architecture)
{
	uint32_t arch;
	int r = json_u32(arena, v, &arch);

	(void)ret;
	if (r == 0 && arch != confine_arch())
		return json_fail(v, "belongs to another architecture");
	return r;
}

static JSON_READER(read_filter)
{
	static const struct json_field fields[] = {
		{ "architecture", read_architecture, 0, true },
		JSON_REQUIRED("flags", json_u32, struct confine_filter, flags),
		{ "program", read_program, 0, true },
	};

	return read_exactly(arena, v, fields, COUNT(fields), ret);
}

/* ---- numbers that may be absent: null; limits ---- */

static void put_optional(struct writer *w, const char *key,
			 const struct oci_u64 *value)
{
	if (value->set)
		put_u64(w, key, value->value);
	else
		put_string(w, key, NULL);
}

#define OPTIONAL(key, type, member)                                          \
	{                                                                    \
		key, json_optional_u64, offsetof(struct type, member), false \
	}

static void put_limits(struct writer *w, const char *key,
		       const struct enforce_limits *limits)
{
	put_object(w, key);
	put_optional(w, "memory", &limits->memory);
	put_optional(w, "tasks", &limits->tasks);
	put_optional(w, "cpu", &limits->cpu);
	put_array(w, "cores");
	for (size_t i = 0; i < limits->cores.n; i++)
		put_u64(w, NULL, limits->cores.items[i]);
	put_end(w);
	put_end(w);
}

static JSON_READER(read_cores)
{
	struct enforce_limits *limits = ret;

	return json_array(arena, v, json_u32, sizeof *limits->cores.items,
			  &limits->cores.items, &limits->cores.n);
}

static JSON_READER(read_limits)
{
	static const struct json_field fields[] = {
		OPTIONAL("memory", enforce_limits, memory),
		OPTIONAL("tasks", enforce_limits, tasks),
		OPTIONAL("cpu", enforce_limits, cpu),
		{ "cores", read_cores, 0, true },
	};
	const struct enforce_limits *limits = ret;
	int r = read_exactly(arena, v, fields, COUNT(fields), ret);

	if (r == 0 && limits->cpu.set && !limits->cpu.value)
		return json_fail_key(v, "cpu", "must not be 0");
	return r;
}

/* ---- the environment ---- */

static void put_env(struct writer *w, const char *key,
		    const struct confinement *process)
{
	put_object(w, key);
	put_bool(w, "filter", process->filters_env);
	put_list(w, "keep", &process->env.keep);
	put_list(w, "deny", &process->env.deny);
	put_list(w, "put", &process->env.put);
	put_list(w, "held", &process->env.held);
	put_list(w, "last", &process->last_env);
	put_end(w);
}

static JSON_READER(read_env)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("filter", json_bool, struct confinement,
			      filters_env),
		JSON_REQUIRED("keep", read_list, struct confinement, env.keep),
		JSON_REQUIRED("deny", read_list, struct confinement, env.deny),
		JSON_REQUIRED("put", read_list, struct confinement, env.put),
		JSON_REQUIRED("held", read_list, struct confinement, env.held),
		JSON_REQUIRED("last", read_list, struct confinement, last_env),
	};

	return read_exactly(arena, v, fields, COUNT(fields), ret);
}

/* ---- the whole ---- */

static const char *kind_name(enum enforce_kind kind)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].number == kind)
			return kinds[i].word;
	return NULL;
}

int saved_write(struct arena *arena, const struct enforcement *enforcement,
		const char **ret_text, size_t *ret_len)
{
	const struct confinement *p = &enforcement->process;
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "version", FORMAT);
	put_string(&w, "kind", kind_name(enforcement->kind));
	put_landlock(&w, "landlock", &p->landlock);
	put_bool(&w, "reopensStdio", p->reopens_stdio);
	put_filter(&w, "filter", &p->blocklist);
	if (p->notify.len)
		put_filter(&w, "notify", &p->notify);
	else
		put_string(&w, "notify", NULL);
	put_u64(&w, "droppedCapabilities", p->dropped_caps);
	put_optional(&w, "openFiles", &p->open_files);
	put_optional(&w, "coreSize", &p->core_size);
	put_u64(&w, "personality", p->personality);
	put_bool(&w, "noHugePages", p->no_huge_pages);
	put_env(&w, "environment", p);
	put_limits(&w, "limits", &p->limits);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}

static JSON_READER(read_version)
{
	uint32_t version;
	int r = json_u32(arena, v, &version);

	(void)ret;
	if (r == 0 && version != FORMAT)
		return json_fail(v, "%u is not %d, this version's format",
				 version, FORMAT);
	return r;
}

static JSON_READER(read_kind)
{
	enum enforce_kind *kind = ret;
	uint64_t number;
	int r = json_choose(v, kinds, COUNT(kinds), &number);

	(void)arena;
	if (r == 0)
		*kind = (enum enforce_kind)number;
	return r;
}

#define PROCESS(member) offsetof(struct enforcement, process.member)

int saved_parse(struct arena *arena, const char *text, size_t len,
		struct enforcement *ret)
{
	static const struct json_field fields[] = {
		{ "version", read_version, 0, true },
		JSON_REQUIRED("kind", read_kind, struct enforcement, kind),
		{ "landlock", read_landlock, PROCESS(landlock), true },
		{ "reopensStdio", json_bool, PROCESS(reopens_stdio), true },
		{ "filter", read_filter, PROCESS(blocklist), true },
		{ "notify", read_filter, PROCESS(notify), false },
		{ "droppedCapabilities", json_u64, PROCESS(dropped_caps),
		  true },
		OPTIONAL("openFiles", enforcement, process.open_files),
		OPTIONAL("coreSize", enforcement, process.core_size),
		{ "personality", json_u32, PROCESS(personality), true },
		{ "noHugePages", json_bool, PROCESS(no_huge_pages), true },
		{ "environment", read_env,
		  offsetof(struct enforcement, process), true },
		{ "limits", read_limits, PROCESS(limits), true },
	};
	struct enforcement found = { 0 };
	const struct json_value *v;
	int r = json_parse(arena, text, len, &v);

	if (r == 0)
		r = read_exactly(arena, v, fields, COUNT(fields), &found);
	if (r == 0)
		*ret = found;
	return r;
}

/* ---- files ---- */

static int save(struct arena *arena, const struct enforcement *enforcement,
		int dir)
{
	const char *text;
	size_t len;
	int r = saved_write(arena, enforcement, &text, &len);

	if (r == 0 && (len > MAX_SAVED ||
		       enforcement->process.landlock.nrules > JSON_MAX_ENTRIES))
		r = fail(0,
			 "filesystem: %zu Landlock rules are too many: list "
			 "fewer paths",
			 enforcement->process.landlock.nrules);
	return r < 0 ? r :
		       io_replace_at(dir, ENFORCEMENT_FILE, text, len, 0600);
}

int enforce_save(struct arena *arena, const struct enforcement *enforcement,
		 int dir)
{
	int r;

	if (enforcement->kind == ENFORCE_NOTHING)
		return 0;
	r = enforce_save_policy(arena, &enforcement->policy, dir);
	if (r < 0 || enforcement->process.landlock.needed)
		return r;
	return save(arena, enforcement, dir);
}

int enforce_save_ruleset(struct arena *arena,
			 const struct enforcement *enforcement,
			 const struct landlock_plan *landlock, int dir)
{
	struct enforcement whole = *enforcement;

	whole.process.landlock = *landlock;
	return save(arena, &whole, dir);
}

/* A user who can write the file decides what is enforced. */
static int check_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(errno, "inspect the saved policy of the container");
	if (!S_ISREG(st.st_mode))
		return fail(0, "the saved policy of the container is not a "
			       "regular file");
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return fail(0,
			    "the saved policy of the container belongs to "
			    "uid %u, not to root or the caller",
			    st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return fail(0, "the saved policy of the container is writable "
			       "by its group or by others (chmod go-w)");
	return 0;
}

static int load(struct arena *arena, int dir, struct enforcement *ret)
{
	autoclose int fd = openat(dir, ENFORCEMENT_FILE,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);
	char *text;
	size_t len;
	int r = fd < 0 ? fail(errno, "open the saved policy of the container") :
			 check_owner(fd);

	if (r < 0)
		return r;
	r = io_read_all(arena, fd, MAX_SAVED, &text, &len);
	return r < 0 ? r : saved_parse(arena, text, len, ret);
}

int enforce_load(struct arena *arena, int dir, struct enforcement *ret)
{
	int r = load(arena, dir, ret);

	return r < 0 ? fail_in(r, ENFORCEMENT_FILE) : 0;
}
