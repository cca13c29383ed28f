/* SPDX-License-Identifier: Apache-2.0 */
/* cow/journal.c - write and read the steps of a commit. */
#include "cow/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"

#define HEAD "sandlock-cow 1\n"
#define CRC_POLYNOMIAL 0xedb88320U
#define HEX 16

enum {
	HAS_PATH = 1,
	HAS_SOURCE = 2,
	HAS_XATTRS = 4,
};

#define BIT(number) (1U << (number))
#define ATTRIBUTES                                              \
	(BIT(NUMBER_MODE) | BIT(NUMBER_UID) | BIT(NUMBER_GID) | \
	 BIT(NUMBER_SECONDS) | BIT(NUMBER_NANOSECONDS))

static const struct {
	const char *word;
	unsigned int has;
	unsigned int numbers;
} kinds[JOURNAL_KINDS] = {
	[JOURNAL_STAGE] = { "stage", HAS_PATH, BIT(NUMBER_OLD) },
	[JOURNAL_PIN] = { "pin", HAS_PATH, BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) },
	[JOURNAL_INPLACE] = { "inp", HAS_SOURCE | HAS_XATTRS,
			      BIT(NUMBER_SLOT) | ATTRIBUTES },
	[JOURNAL_DETACH] = { "det", HAS_PATH,
			     BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) },
	[JOURNAL_ATTACH] = { "att", HAS_PATH,
			     BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) },
	[JOURNAL_ACCESS] = { "acc", HAS_PATH, 0 },
	[JOURNAL_ACCESS_UPPER] = { "accu", HAS_PATH, 0 },
	[JOURNAL_DELETE] = { "del", HAS_PATH,
			     BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) |
				     BIT(NUMBER_CTIME) },
	[JOURNAL_EXCHANGE] = { "x", HAS_PATH | HAS_SOURCE,
			       BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) |
				       BIT(NUMBER_NEW) | BIT(NUMBER_CTIME) |
				       BIT(NUMBER_STRIP) },
	[JOURNAL_ADD] = { "add", HAS_PATH | HAS_SOURCE,
			  BIT(NUMBER_NEW) | BIT(NUMBER_STRIP) },
	[JOURNAL_MKDIR] = { "mkd", HAS_PATH, 0 },
	[JOURNAL_LINK] = { "lnk", HAS_PATH,
			   BIT(NUMBER_SLOT) | BIT(NUMBER_OLD) |
				   BIT(NUMBER_LINK) },
	[JOURNAL_SET] = { "set", HAS_PATH | HAS_XATTRS, ATTRIBUTES },
};

static uint32_t checksum(const char *text, size_t len)
{
	uint32_t crc = ~0U;

	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	}
	return ~crc;
}

static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != '%' && c != '=';
}

static void put_bytes(struct text *out, const char *bytes, size_t len)
{
	size_t plain = 0;

	for (size_t i = 0; i < len; i += plain) {
		for (plain = 0; i + plain < len && is_plain(bytes[i + plain]);)
			plain++;
		if (plain > 0) {
			text_put(out, "%.*s", (int)plain, bytes + i);
			continue;
		}
		text_put(out, "%%%02x", (unsigned int)(unsigned char)bytes[i]);
		plain = 1;
	}
}

/* An empty word would be lost; a path has no component "%". */
static void put_word(struct text *out, const char *word)
{
	text_put(out, " ");
	if (*word)
		put_bytes(out, word, strlen(word));
	else
		text_put(out, "%%");
}

void journal_begin(struct text *out)
{
	text_put(out, HEAD);
}

void journal_put(struct text *out, const struct journal_step *step)
{
	unsigned int has = kinds[step->kind].has;

	text_put(out, "%s", kinds[step->kind].word);
	if (has & HAS_PATH)
		put_word(out, step->path);
	if (has & HAS_SOURCE)
		put_word(out, step->source);
	for (int i = 0; i < NUMBERS; i++)
		if (kinds[step->kind].numbers & BIT(i))
			text_put(out, " %" PRId64, step->numbers[i]);
	for (size_t i = 0; has & HAS_XATTRS && i < step->xattrs.n; i++) {
		const struct xattr *item = &step->xattrs.items[i];

		put_word(out, item->name);
		text_put(out, "=");
		put_bytes(out, item->value, item->len);
	}
	text_put(out, "\n");
}

void journal_end(struct text *out)
{
	if (!out->error)
		text_put(out, "END %08x\n", checksum(out->text, out->len));
}

/* ---- reading ---- */

static int damaged(const char *why)
{
	return fail(0, "the journal is damaged: %s", why);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode len bytes; the result ends with NUL. */
static char *decode(struct arena *arena, const char *word, size_t len,
		    size_t *ret_len)
{
	char *text = arena_alloc(arena, len + 1);
	size_t n = 0;

	for (size_t i = 0; text && i < len; i++) {
		int high, low;

		if (word[i] != '%') {
			text[n++] = word[i];
			continue;
		}
		if (len == 1)
			break;
		high = i + 2 < len ? hex_digit(word[i + 1]) : -1;
		low = high >= 0 ? hex_digit(word[i + 2]) : -1;
		if (low < 0)
			return NULL;
		text[n++] = (char)(high * HEX + low);
		i += 2;
	}
	*ret_len = n;
	return text;
}

/* Return the next word of a line; NULL at its end. */
static char *next_word(char **line)
{
	return strsep(line, " ");
}

static int parse_path(struct arena *arena, char *word, const char **ret)
{
	size_t len;
	char *text = word ? decode(arena, word, strlen(word), &len) : NULL;

	if (!text || strlen(text) != len)
		return damaged("a path is missing or malformed");
	*ret = text;
	return 0;
}

static int parse_xattr(struct arena *arena, char *word, struct xattr *ret)
{
	char *equals = strchr(word, '=');
	size_t len;

	if (!equals)
		return damaged("an attribute has no value");
	ret->name = decode(arena, word, (size_t)(equals - word), &len);
	/* A value of one "%" cannot be: it would have been escaped. */
	ret->value = decode(arena, equals + 1, strlen(equals + 1), &ret->len);
	return ret->name && ret->value ? 0 :
					 damaged("an attribute is malformed");
}

static int parse_xattrs(struct arena *arena, char *rest, struct xattrs *ret)
{
	size_t room = 0;
	char *word;

	while ((word = next_word(&rest))) {
		int r;

		ret->items = arena_room(arena, ret->items, ret->n, &room,
					sizeof *ret->items);
		if (!ret->items)
			return -ENOMEM;
		r = parse_xattr(arena, word, &ret->items[ret->n]);
		if (r < 0)
			return r;
		ret->n++;
	}
	return 0;
}

static int parse_step(struct arena *arena, char *line, struct journal_step *ret)
{
	char *word = next_word(&line);
	unsigned int has;
	int kind = 0, r = 0;

	while (kind < JOURNAL_KINDS && !streq(kinds[kind].word, word))
		kind++;
	if (kind == JOURNAL_KINDS)
		return damaged("a step is unknown");
	ret->kind = (enum journal_kind)kind;
	has = kinds[kind].has;
	if (has & HAS_PATH)
		r = parse_path(arena, next_word(&line), &ret->path);
	if (r >= 0 && has & HAS_SOURCE)
		r = parse_path(arena, next_word(&line), &ret->source);
	for (int i = 0; r >= 0 && i < NUMBERS; i++) {
		if (!(kinds[kind].numbers & BIT(i)))
			continue;
		word = next_word(&line);
		if (!word || num_i64(word, &ret->numbers[i]) < 0)
			r = damaged("a number is missing or malformed");
	}
	if (r >= 0 && has & HAS_XATTRS)
		r = parse_xattrs(arena, line, &ret->xattrs);
	return r;
}

/* Return the text between head and END; NULL if that is not complete. */
static char *check(struct arena *arena, const char *text, size_t len)
{
	char last[sizeof "END 00000000\n"];
	size_t tail = sizeof last - 1, head = strlen(HEAD);

	if (len < head + tail || strncmp(text, HEAD, head) != 0)
		return NULL;
	len -= tail;
	snprintf(last, sizeof last, "END %08x\n", checksum(text, len));
	if (strncmp(text + len, last, tail) != 0)
		return NULL;
	return arena_strndup(arena, text + head, len - head);
}

int journal_parse(struct arena *arena, const char *text, size_t len,
		  struct journal *ret)
{
	struct journal journal = { 0 };
	char *rest = check(arena, text, len), *line;
	size_t room = 0;

	if (!rest)
		return damaged("its checksum does not fit");
	while ((line = strsep(&rest, "\n")) && *line) {
		int r;

		journal.steps = arena_room(arena, journal.steps, journal.n,
					   &room, sizeof *journal.steps);
		if (!journal.steps)
			return -ENOMEM;
		journal.steps[journal.n] = (struct journal_step){ 0 };
		r = parse_step(arena, line, &journal.steps[journal.n]);
		if (r < 0)
			return r;
		journal.n++;
	}
	*ret = journal;
	return 0;
}
