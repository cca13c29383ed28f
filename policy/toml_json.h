/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_json.h - a tree of TOML as JSON: the policies of inspect and explain. */
#pragma once

struct toml_value;
struct writer;

/* Dates become text; the rest is what it is. */
void toml_json_put(struct writer *w, const char *key,
		   const struct toml_value *value);
