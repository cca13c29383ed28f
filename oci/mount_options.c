/* SPDX-License-Identifier: Apache-2.0 */
/* oci/mount_options.c - parse mounts[].options by a table. */
#include "oci/mount_options.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/linux.h"

enum kind {
	KIND_IGNORED, /* the default, or no longer in the kernel */
	KIND_SET,     /* value: MOUNT_ATTR_… */
	KIND_CLEAR,
	KIND_ATIME, /* one of three values, not a bit */
	KIND_SET_REC,
	KIND_CLEAR_REC,
	KIND_ATIME_REC,
	KIND_PROPAGATION, /* value: MS_… */
	KIND_SUPERBLOCK,  /* of the file system, not of the mount */
	KIND_SWITCH,	  /* value: offset of a bool in mount_options */
};

#define SWITCH(member) offsetof(struct mount_options, member)

/*
 * relatime is the kernel's default. So the opposites of noatime and strictatime
 * mean relatime, and the opposite of relatime means nothing.
 */
#define WORDS(X)                                                   \
	X("acl", KIND_SUPERBLOCK, 0)                               \
	X("async", KIND_SUPERBLOCK, 0)                             \
	X("atime", KIND_ATIME, MOUNT_ATTR_RELATIME)                \
	X("bind", KIND_SWITCH, SWITCH(bind))                       \
	X("copy-symlink", KIND_SWITCH, SWITCH(copy_symlink))       \
	X("defaults", KIND_IGNORED, 0)                             \
	X("dest-nofollow", KIND_SWITCH, SWITCH(dest_nofollow))     \
	X("dev", KIND_CLEAR, MOUNT_ATTR_NODEV)                     \
	X("diratime", KIND_CLEAR, MOUNT_ATTR_NODIRATIME)           \
	X("dirsync", KIND_SUPERBLOCK, 0)                           \
	X("exec", KIND_CLEAR, MOUNT_ATTR_NOEXEC)                   \
	X("idmap", KIND_SWITCH, SWITCH(idmap))                     \
	X("iversion", KIND_IGNORED, 0)                             \
	X("lazytime", KIND_SUPERBLOCK, 0)                          \
	X("loud", KIND_IGNORED, 0)                                 \
	X("mand", KIND_SUPERBLOCK, 0)                              \
	X("noacl", KIND_SUPERBLOCK, 0)                             \
	X("noatime", KIND_ATIME, MOUNT_ATTR_NOATIME)               \
	X("nodev", KIND_SET, MOUNT_ATTR_NODEV)                     \
	X("nodiratime", KIND_SET, MOUNT_ATTR_NODIRATIME)           \
	X("noexec", KIND_SET, MOUNT_ATTR_NOEXEC)                   \
	X("noiversion", KIND_IGNORED, 0)                           \
	X("nolazytime", KIND_SUPERBLOCK, 0)                        \
	X("nomand", KIND_SUPERBLOCK, 0)                            \
	X("norelatime", KIND_IGNORED, 0)                           \
	X("nostrictatime", KIND_ATIME, MOUNT_ATTR_RELATIME)        \
	X("nosuid", KIND_SET, MOUNT_ATTR_NOSUID)                   \
	X("nosymfollow", KIND_SET, MOUNT_ATTR_NOSYMFOLLOW)         \
	X("private", KIND_PROPAGATION, MS_PRIVATE)                 \
	X("ratime", KIND_ATIME_REC, MOUNT_ATTR_RELATIME)           \
	X("rbind", KIND_SWITCH, SWITCH(rbind))                     \
	X("rdev", KIND_CLEAR_REC, MOUNT_ATTR_NODEV)                \
	X("rdiratime", KIND_CLEAR_REC, MOUNT_ATTR_NODIRATIME)      \
	X("relatime", KIND_ATIME, MOUNT_ATTR_RELATIME)             \
	X("remount", KIND_SWITCH, SWITCH(remount))                 \
	X("rexec", KIND_CLEAR_REC, MOUNT_ATTR_NOEXEC)              \
	X("ridmap", KIND_SWITCH, SWITCH(ridmap))                   \
	X("rnoatime", KIND_ATIME_REC, MOUNT_ATTR_NOATIME)          \
	X("rnodev", KIND_SET_REC, MOUNT_ATTR_NODEV)                \
	X("rnodiratime", KIND_SET_REC, MOUNT_ATTR_NODIRATIME)      \
	X("rnoexec", KIND_SET_REC, MOUNT_ATTR_NOEXEC)              \
	X("rnorelatime", KIND_IGNORED, 0)                          \
	X("rnostrictatime", KIND_ATIME_REC, MOUNT_ATTR_RELATIME)   \
	X("rnosuid", KIND_SET_REC, MOUNT_ATTR_NOSUID)              \
	X("rnosymfollow", KIND_SET_REC, MOUNT_ATTR_NOSYMFOLLOW)    \
	X("ro", KIND_SET, MOUNT_ATTR_RDONLY)                       \
	X("rprivate", KIND_PROPAGATION, MS_PRIVATE | MS_REC)       \
	X("rrelatime", KIND_ATIME_REC, MOUNT_ATTR_RELATIME)        \
	X("rro", KIND_SET_REC, MOUNT_ATTR_RDONLY)                  \
	X("rrw", KIND_CLEAR_REC, MOUNT_ATTR_RDONLY)                \
	X("rshared", KIND_PROPAGATION, MS_SHARED | MS_REC)         \
	X("rslave", KIND_PROPAGATION, MS_SLAVE | MS_REC)           \
	X("rstrictatime", KIND_ATIME_REC, MOUNT_ATTR_STRICTATIME)  \
	X("rsuid", KIND_CLEAR_REC, MOUNT_ATTR_NOSUID)              \
	X("rsymfollow", KIND_CLEAR_REC, MOUNT_ATTR_NOSYMFOLLOW)    \
	X("runbindable", KIND_PROPAGATION, MS_UNBINDABLE | MS_REC) \
	X("rw", KIND_CLEAR, MOUNT_ATTR_RDONLY)                     \
	X("shared", KIND_PROPAGATION, MS_SHARED)                   \
	X("silent", KIND_IGNORED, 0)                               \
	X("slave", KIND_PROPAGATION, MS_SLAVE)                     \
	X("src-nofollow", KIND_SWITCH, SWITCH(src_nofollow))       \
	X("strictatime", KIND_ATIME, MOUNT_ATTR_STRICTATIME)       \
	X("suid", KIND_CLEAR, MOUNT_ATTR_NOSUID)                   \
	X("symfollow", KIND_CLEAR, MOUNT_ATTR_NOSYMFOLLOW)         \
	X("sync", KIND_SUPERBLOCK, 0)                              \
	X("tmpcopyup", KIND_SWITCH, SWITCH(tmpcopyup))             \
	X("unbindable", KIND_PROPAGATION, MS_UNBINDABLE)

#define AS_ROW(word, kind, value) { word, kind, value },
#define AS_NAME(word, kind, value) word,

struct row {
	const char *word;
	enum kind kind;
	unsigned long value;
};

static const struct row table[] = { WORDS(AS_ROW) };
static const char *const names[] = { WORDS(AS_NAME) NULL };

struct strings mount_options_known(void)
{
	return STRINGS_OF(names);
}

static const struct row *find(const char *word)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (streq(table[i].word, word))
			return &table[i];
	return NULL;
}

static bool is_idmap(const char *word)
{
	return starts_with(word, "idmap=") || starts_with(word, "ridmap=");
}

bool mount_option_known(const char *word)
{
	return find(word) || is_idmap(word);
}

/* The later of two words that contradict each other wins. */
static void change(unsigned int *set, unsigned int *clear, unsigned int on,
		   unsigned int off)
{
	*set = (*set & ~off) | on;
	*clear = (*clear & ~on) | off;
}

static void apply_row(struct mount_options *o, const struct row *row)
{
	unsigned int value = (unsigned int)row->value;

	switch (row->kind) {
	case KIND_IGNORED:
	case KIND_SUPERBLOCK:
		break;
	case KIND_SET:
		change(&o->attr_set, &o->attr_clr, value, 0);
		break;
	case KIND_CLEAR:
		change(&o->attr_set, &o->attr_clr, 0, value);
		break;
	case KIND_SET_REC:
		change(&o->rec_set, &o->rec_clr, value, 0);
		break;
	case KIND_CLEAR_REC:
		change(&o->rec_set, &o->rec_clr, 0, value);
		break;
	case KIND_ATIME:
		/*
		 * The kernel requires clearing the whole mask to select a
		 * value.
		 */
		o->attr_set = (o->attr_set & ~MOUNT_ATTR__ATIME) | value;
		o->attr_clr |= MOUNT_ATTR__ATIME;
		break;
	case KIND_ATIME_REC:
		o->rec_set = (o->rec_set & ~MOUNT_ATTR__ATIME) | value;
		o->rec_clr |= MOUNT_ATTR__ATIME;
		break;
	case KIND_PROPAGATION:
		o->propagation[o->npropagation++] = row->value;
		break;
	case KIND_SWITCH:
		*(bool *)((char *)o + row->value) = true;
		break;
	}
	o->readonly = o->attr_set & MOUNT_ATTR_RDONLY;
}

/* Parse "uids=0-1000-10#…;gids=…", the syntax of crun. */
static int parse_idmap(struct arena *arena, const char *word,
		       struct mount_options *o)
{
	char *text = arena_strdup(arena, strchr(word, '=') + 1);
	char *rest = text, *part;

	if (!text)
		return -ENOMEM;
	if (*word == 'r')
		o->ridmap = true;
	else
		o->idmap = true;
	while ((part = strsep(&rest, ";"))) {
		if (starts_with(part, "uids="))
			o->idmap_uids = part + strlen("uids=");
		else if (starts_with(part, "gids="))
			o->idmap_gids = part + strlen("gids=");
		else
			return fail(0,
				    "\"%s\" is neither uids=… nor gids=…, the "
				    "parts of an idmap option",
				    part);
	}
	if (!is_set(o->idmap_uids) || !is_set(o->idmap_gids))
		return fail(0,
			    "\"%s\" needs both uids= and gids= "
			    "(idmap=uids=…;gids=…)",
			    word);
	return 0;
}

/* The maximum length for fsconfig(2). */
#define PARAM_MAX 255

static int make_param(struct arena *arena, const char *word,
		      struct oci_annotation *ret)
{
	const char *equals = strchr(word, '=');

	*ret = (struct oci_annotation){ .key = word };
	if (!*word || equals == word)
		return fail(0, "\"%s\" is not a mount option: it has no name",
			    word);
	if (equals) {
		ret->key = arena_strndup(arena, word, (size_t)(equals - word));
		ret->value = equals + 1;
		if (!ret->key)
			return -ENOMEM;
	}
	if (strlen(equals ? equals + 1 : word) > PARAM_MAX)
		return fail(0,
			    "option \"%.32s…\" is too long (the kernel accepts "
			    "%d bytes)",
			    word, PARAM_MAX);
	return 0;
}

/*
 * Return the length up to a comma that is not quoted or escaped, like the
 * kernel.
 */
static size_t piece_len(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || text[n] != ','); n++) {
		if (text[n] == '"')
			quoted = !quoted;
		else if (text[n] == '\\' && text[n + 1])
			n++;
	}
	return n;
}

static size_t count_pieces(const struct strings *options)
{
	size_t n = 0;

	for (size_t i = 0; i < options->n; i++) {
		n++;
		for (const char *p = options->items[i]; *p; p++)
			n += *p == ',' || *p == ':';
	}
	return n;
}

/*
 * If the layers are too long for one parameter, pass each separately (Linux
 * 6.8).
 */
static int add_layers(struct arena *arena, const char *layers,
		      struct mount_options *o, struct oci_annotation *params)
{
	char *rest = arena_strdup(arena, layers), *layer;

	if (!rest)
		return -ENOMEM;
	while ((layer = strsep(&rest, ":"))) {
		if (!*layer || strlen(layer) > PARAM_MAX)
			return fail(0,
				    "a layer of \"lowerdir=%.23s…\" is empty "
				    "or longer than %d bytes",
				    layers, PARAM_MAX);
		params[o->nparams++] = (struct oci_annotation){
			.key = "lowerdir+",
			.value = layer,
		};
	}
	return 0;
}

static int add_param(struct arena *arena, const char *piece,
		     struct mount_options *o, struct oci_annotation *params)
{
	static const char lower[] = "lowerdir=";
	int r;

	if (starts_with(piece, lower) && !strchr(piece, '\\') &&
	    strlen(piece + strlen(lower)) > PARAM_MAX)
		return add_layers(arena, piece + strlen(lower), o, params);
	r = make_param(arena, piece, &params[o->nparams]);
	if (r < 0)
		return r;
	o->nparams++;
	return 0;
}

/*
 * "size=4k,mode=700" is two parameters: engines join those of the file system.
 */
static int add_params(struct arena *arena, const char *word,
		      struct mount_options *o, struct oci_annotation *params)
{
	for (;;) {
		size_t len = piece_len(word);
		const char *piece = arena_strndup(arena, word, len);
		int r = piece ? add_param(arena, piece, o, params) : -ENOMEM;

		if (r < 0)
			return r;
		if (!word[len])
			return 0;
		word += len + 1;
	}
}

static int parse_word(struct arena *arena, const char *word,
		      struct mount_options *o, struct oci_annotation *params)
{
	const struct row *row = find(word);

	if (is_idmap(word))
		return parse_idmap(arena, word, o);
	if (row && row->kind == KIND_PROPAGATION &&
	    o->npropagation == COUNT(o->propagation))
		return fail(0,
			    "more than %zu propagation options (such as "
			    "rslave): remove some",
			    COUNT(o->propagation));
	if (row)
		apply_row(o, row);
	if (row && row->kind != KIND_SUPERBLOCK)
		return 0;
	return add_params(arena, word, o, params);
}

int mount_options_parse(struct arena *arena, const struct strings *options,
			struct mount_options *ret)
{
	struct mount_options o = { 0 };
	struct oci_annotation *params =
		arena_array(arena, count_pieces(options) + 1, sizeof *params);

	if (!params)
		return -ENOMEM;
	o.params = params;
	for (size_t i = 0; i < options->n; i++) {
		int r = parse_word(arena, options->items[i], &o, params);

		if (r < 0)
			return fail_in(r, "options[%zu]", i);
	}
	*ret = o;
	return 0;
}
