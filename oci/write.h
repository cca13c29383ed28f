/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/write.h - write JSON text, value by value, into an arena.
 *
 * Inside an object every value has a key; inside an array, and for the document
 * itself, the key is NULL. Callers need not check errors: the first one is
 * kept, and writer_close() returns it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct json_value;
struct oci_annotations;
struct strings;

enum writer_style {
	WRITE_COMPACT, /* no blanks, no newline */
	WRITE_LINE,    /* compact, a newline at the end */
	WRITE_PRETTY,  /* two-space, a newline at the end */
};

struct writer {
	struct arena *arena;
	enum writer_style style;
	char *text;
	size_t len;
	size_t size;
	unsigned int depth;
	uint64_t arrays; /* bit n: level n is an array */
	bool empty;	 /* nothing in this level yet */
	int error;
};

void writer_open(struct writer *w, struct arena *arena,
		 enum writer_style style);
/* Get the finished text (NUL-terminated); ret_len may be NULL. */
int writer_close(struct writer *w, const char **ret_text, size_t *ret_len);
/* Print the text to stdout; errors show when that is flushed. */
int writer_print(struct writer *w);

void put_object(struct writer *w, const char *key);
void put_array(struct writer *w, const char *key);
/* Close the innermost object or array. */
void put_end(struct writer *w);

/* NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void put_string(struct writer *w, const char *key, const char *value);
void put_bool(struct writer *w, const char *key, bool value);
void put_u64(struct writer *w, const char *key, uint64_t value);
void put_i64(struct writer *w, const char *key, int64_t value);
/* Write a number as it was read. */
void put_number(struct writer *w, const char *key, const char *text);
/* Write a value that is JSON text already; compact styles only. */
void put_json(struct writer *w, const char *key, const char *text);
/* Write a value that was parsed. */
void put_value(struct writer *w, const char *key,
	       const struct json_value *value);
void put_strings(struct writer *w, const char *key,
		 const struct strings *values);
/* Write an array from a list that ends with NULL. */
void put_words(struct writer *w, const char *key, const char *const *words);
/* Write nothing if there are none. */
void put_annotations(struct writer *w, const char *key,
		     const struct oci_annotations *values);
