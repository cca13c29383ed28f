/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/request.c - any command line of `sandlock run`, one word a line,
 * and behind a line "---" the file that it may name: what wrap prints means
 * the same, each key has the value of the flags or else of the file, and all
 * of it can be said by a file alone.
 *
 * The file is p.toml, uv.toml and s.json in the current directory, and the
 * profile p.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "runtime/cli/quote.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/commands.h"
#include "tests/fuzz/round_trip.h"
#include "tests/unit/flag_words.h"

#define MAX_SIZE 16384
#define MAX_TIMEOUT_MS 1000000000000U

static const char *const names[] = { "p.toml", "uv.toml", "s.json",
				     "sandlock/profiles/p.toml" };
static char folder[PATH_MAX];
static int here = -1, elsewhere = -1;

static struct strings words;
static struct request_arguments args;

/* ---- the place ---- */

static void leave_nothing(void)
{
	for (size_t i = 0; i < COUNT(names); i++)
		(void)unlinkat(here, names[i], 0);
	(void)unlinkat(here, "sandlock/profiles", AT_REMOVEDIR);
	(void)unlinkat(here, "sandlock", AT_REMOVEDIR);
	(void)rmdir(folder);
}

static void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	snprintf(folder, sizeof folder, "%s/sandlock-fuzz.XXXXXX",
		 tmp && tmp[0] == '/' ? tmp : "/tmp");
	demand(mkdtemp(folder));
	here = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	elsewhere = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	demand(here >= 0 && elsewhere >= 0);
	demand(atexit(leave_nothing) == 0);
	demand(mkdirat(here, "sandlock", 0755) == 0);
	demand(mkdirat(here, "sandlock/profiles", 0755) == 0);
	fd = openat(here, names[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	demand(fd >= 0 && close(fd) == 0);
	for (size_t i = 1; i < COUNT(names); i++)
		demand(linkat(here, names[0], here, names[i], 0) == 0);
	demand(setenv("XDG_CONFIG_HOME", folder, 1) == 0);
	demand(setenv("HOME", "/home/u", 1) == 0);
}

static void write_file(const char *text, size_t len)
{
	autoclose int fd =
		openat(here, names[0], O_WRONLY | O_TRUNC | O_CLOEXEC);

	demand(fd >= 0 && write(fd, text, len) == (ssize_t)len);
}

static int parse_here(struct arena *arena, const struct strings *argv,
		      struct request_arguments *ret)
{
	int r;

	demand(fchdir(here) == 0);
	r = arguments_parse(arena, "run", (int)argv->n, (char **)argv->items,
			    ret);
	demand(fchdir(elsewhere) == 0);
	return r;
}

/* To open these may do something. */
static bool is_of_the_kernel(const char *word)
{
	return strstr(word, "/dev") || strstr(word, "/proc") ||
	       strstr(word, "/sys") || strstr(word, "/run");
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	const char *mark = memmem(text, len, "\n---\n", 5);
	size_t size = mark ? (size_t)(mark - text) : len;
	int r = fuzz_lines(arena, text, size, &words);

	if (r < 0)
		return r;
	for (size_t i = 0; i < words.n; i++)
		if (is_of_the_kernel(words.items[i]))
			return fail(0, "not for a test");
	if (mark)
		write_file(mark + 5, len - size - 5);
	else
		write_file("", 0);
	return parse_here(arena, &words, &args);
}

/* ---- what a shell makes of a line: words, '...' and \c ---- */

static const char *take_apart(char *line, struct strings *ret)
{
	char *in = line, *out = line;

	while (*in) {
		ret->items[ret->n++] = out;
		while (*in && *in != ' ') {
			if (*in == '\'') {
				for (in++; *in != '\''; in++) {
					if (!*in)
						return "a quote is open";
					*out++ = *in;
				}
				in++;
				continue;
			}
			if (strchr("\n\t\"$`*?[]#~=!{}()<>|&;^", *in))
				return "a shell has a meaning for it";
			if (*in == '\\' && !*++in)
				return "a backslash is last";
			*out++ = *in++;
		}
		in += *in == ' ';
		*out++ = '\0';
	}
	return NULL;
}

/* ---- demands ---- */

static void demand_same(const struct request *a, const struct request *b)
{
	demand(policy_equal(&a->policy, &b->policy));
	demand(a->command.n == b->command.n);
	for (size_t i = 0; i < a->command.n; i++)
		demand(streq(a->command.items[i], b->command.items[i]));
	demand(fuzz_same_text(a->profile, b->profile));
	demand(fuzz_same_text(a->policy_file, b->policy_file));
	demand(fuzz_same_text(a->source, b->source));
	demand(streq(a->name, b->name) && streq(a->project, b->project));
	demand(a->env_base == b->env_base && a->timeout_ms == b->timeout_ms);
	demand(a->json == b->json && a->terminal == b->terminal);
	demand(a->interactive == b->interactive && a->why == b->why);
	demand(a->unsandboxed == b->unsandboxed);
}

static void demand_wrapped(struct arena *arena)
{
	struct strings wrapped, again = { 0 };
	struct request_arguments other;
	const char *line;

	if (args.request.command.n == 0)
		return;
	demand(wrap_arguments(arena, &args, (char **)words.items, &wrapped) ==
	       0);
	line = quote_words(arena, &wrapped);
	again.items = arena_array(arena, wrapped.n + 2, sizeof *again.items);
	demand(line && again.items);
	demand(!take_apart(arena_strdup(arena, line), &again));
	demand(again.n == wrapped.n && again.n > 2);
	demand(streq(again.items[0], "sandlock"));
	demand(streq(again.items[1], "run"));
	again.items += 2;
	again.n -= 2;
	demand(parse_here(arena, &again, &other) == 0);
	demand(!other.help);
	demand_same(&args.request, &other.request);
}

/* The value of the file counts if the flags have not set the key. */
static bool is_of(const struct policy *file, const struct policy *flags,
		  enum policy_key key)
{
	const struct policy *policy = &args.request.policy;

	return policy_equal_key(policy, flags->set[key] ? flags : file, key);
}

/* The file alone, the flags alone. */
static void demand_layers(struct arena *arena)
{
	const char *items[] = { args.request.profile ? "-p" : "--policy",
				args.request.profile ? args.request.profile :
						       args.request.policy_file,
				NULL };
	const struct strings argv = { .items = items, .n = 2 };
	const struct policy_place place = { .cwd = args.request.cwd,
					    .home = args.request.home,
					    .env = &args.request.env };
	struct request_arguments file = { 0 };
	struct policy flags = { 0 };
	/* Larger than the struct that the options are for. */
	void *given = arena_alloc(arena, 4 * sizeof file);
	int used;

	demand(given);
	if (args.request.source && parse_here(arena, &argv, &file) < 0)
		return;
	demand(policy_from_words(arena, (char **)words.items, (int)words.n,
				 &place, arguments_options, ARGUMENTS_NOPTIONS,
				 given, &flags, &used) == 0);
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		demand(is_of(&file.request.policy, &flags, key));
}

static void demand_said_by_file(struct arena *arena)
{
	const char *items[] = { "--policy", names[0], NULL };
	const struct strings argv = { .items = items, .n = 2 };
	struct request_arguments other;
	const char *toml;

	for (size_t i = 0; i < words.n; i++)
		if (!fuzz_is_utf8(words.items[i]))
			return;
	demand(policy_to_toml(arena, &args.request.policy, &toml) == 0);
	write_file(toml, strlen(toml));
	demand(parse_here(arena, &argv, &other) == 0);
	demand(policy_equal(&args.request.policy, &other.request.policy));
}

/* Written as a number with three decimals, a time is that time. */
static void demand_time(struct arena *arena)
{
	uintmax_t ms = args.request.timeout_ms + 1;
	const char *items[] = { arena_printf(arena, "--timeout=%ju.%03ju",
					     ms / 1000, ms % 1000),
				NULL };
	const struct strings argv = { .items = items, .n = 1 };
	struct request_arguments other;

	if (ms > MAX_TIMEOUT_MS)
		return;
	demand(parse_here(arena, &argv, &other) == 0);
	demand(other.request.timeout_ms == ms);
}

static void accepted(struct arena *arena)
{
	const struct strings *command = &args.request.command;

	if (args.help)
		return;
	demand(*args.request.name && strlen(args.request.name) <= 64 &&
	       !strchr(args.request.name, '/'));
	demand(args.request.project[0] == '/' && args.request.cwd[0] == '/');
	demand(!args.request.profile || !args.request.policy_file);
	demand(command->n == 0 || !command->items[command->n]);
	demand_origins(&args.request.policy);
	demand_wrapped(arena);
	demand_layers(arena);
	demand_time(arena);
	demand_said_by_file(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (here < 0)
		make_folder();
	return size > MAX_SIZE ? 0 :
				 fuzz(&(struct fuzz_target){ parse, accepted },
				      data, size);
}
