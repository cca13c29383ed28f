/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/toml_json.h - convert a tree of TOML to JSON, for inspect and explain.
 */
#pragma once

struct toml_value;
struct writer;

/* Write a value; dates become text. */
void toml_json_put(struct writer *w, const char *key,
		   const struct toml_value *value);
