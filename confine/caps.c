/* SPDX-License-Identifier: Apache-2.0 */
/* confine/caps.c - convert capabilities, with the names of libcap. */
#include "confine/caps.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

#define PREFIX "cap_"
#define LONGEST_NAME 64
#define MAX_UNKNOWN 64

#ifdef STATIC_LIBCAP
/*
 * libcap's functions for names need these functions of another part, which
 * makes seven system calls at the start of every program to count the
 * capabilities. With these definitions that part is not linked. They are weak:
 * if a later libcap needs more of that part, the library's own are used.
 */
#define WEAK __attribute__((weak))

WEAK char *_libcap_strdup(const char *text);

WEAK cap_value_t cap_max_bits(void)
{
	return CAP_LAST_CAP + 1;
}

WEAK char *_libcap_strdup(const char *text)
{
	return strdup(text);
}

WEAK int cap_free(void *text)
{
	free(text);
	return 0;
}

WEAK cap_t cap_init(void)
{
	return NULL;
}

WEAK cap_iab_t cap_iab_init(void)
{
	return NULL;
}
#endif

/* libcap would also accept a number, or a name followed by other text. */
int caps_number(const char *name)
{
	char full[LONGEST_NAME] = PREFIX;
	cap_value_t number;
	size_t len;

	if (strncasecmp(name, PREFIX, strlen(PREFIX)) == 0)
		name += strlen(PREFIX);
	len = strlen(name);
	if (len >= sizeof full - strlen(PREFIX))
		return -1;
	for (size_t i = 0; i < len; i++)
		if (!isalpha((unsigned char)name[i]) && name[i] != '_')
			return -1;
	memcpy(full + strlen(PREFIX), name, len + 1);
	return cap_from_name(full, &number) < 0 ? -1 : number;
}

/* libcap has lower-case names, and returns a number for unknown ones. */
const char *caps_name(int number)
{
	static char name[LONGEST_NAME];
	char *text = number < 0 ? NULL : cap_to_name(number);
	bool known = text && starts_with(text, PREFIX) &&
		     strlen(text) < sizeof name;

	for (size_t i = 0; known && (i == 0 || text[i - 1]); i++)
		name[i] = (char)toupper((unsigned char)text[i]);
	if (text)
		(void)cap_free(text);
	return known ? name : NULL;
}

int caps_known(struct arena *arena, struct strings *ret)
{
	struct strings known = { 0 };
	const char *name;

	for (int i = 0; (name = caps_name(i)); i++) {
		int r;

		name = arena_strdup(arena, name);
		r = name ? strings_add(arena, &known, name) : -ENOMEM;
		if (r < 0)
			return r;
	}
	*ret = known;
	return 0;
}

static int read_set(struct arena *arena, const struct strings *names,
		    struct strings *unknown, uint64_t *ret)
{
	for (size_t i = 0; i < names->n; i++) {
		int number = caps_number(names->items[i]);
		int r = 0;

		if (number >= 0)
			*ret |= CAPS_BIT(number);
		else if (unknown->n < MAX_UNKNOWN &&
			 !strings_has(unknown, names->items[i]))
			r = strings_add(arena, unknown, names->items[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int caps_read(struct arena *arena, const struct oci_capabilities *names,
	      struct caps *ret)
{
	static const struct oci_capabilities none;
	struct caps caps = { 0 };
	int r;

	if (!names)
		names = &none;
	r = read_set(arena, &names->bounding, &caps.unknown, &caps.bounding);
	if (r == 0)
		r = read_set(arena, &names->effective, &caps.unknown,
			     &caps.effective);
	if (r == 0)
		r = read_set(arena, &names->inheritable, &caps.unknown,
			     &caps.inheritable);
	if (r == 0)
		r = read_set(arena, &names->permitted, &caps.unknown,
			     &caps.permitted);
	if (r == 0)
		r = read_set(arena, &names->ambient, &caps.unknown,
			     &caps.ambient);
	if (r == 0)
		*ret = caps;
	return r;
}

static int drop_from(struct arena *arena, int number, struct strings *set)
{
	const char **rest = arena_array(arena, set->n + 1, sizeof *rest);
	size_t n = 0;

	if (!rest)
		return -ENOMEM;
	for (size_t i = 0; i < set->n; i++)
		if (caps_number(set->items[i]) != number)
			rest[n++] = set->items[i];
	*set = (struct strings){ rest, n };
	return 0;
}

int caps_drop(struct arena *arena, int number, struct oci_process *process)
{
	struct oci_capabilities *caps;
	int r;

	if (!process->capabilities)
		return 0;
	caps = arena_alloc(arena, sizeof *caps);
	if (!caps)
		return -ENOMEM;
	*caps = *process->capabilities;
	r = drop_from(arena, number, &caps->bounding);
	if (r == 0)
		r = drop_from(arena, number, &caps->effective);
	if (r == 0)
		r = drop_from(arena, number, &caps->inheritable);
	if (r == 0)
		r = drop_from(arena, number, &caps->permitted);
	if (r == 0)
		r = drop_from(arena, number, &caps->ambient);
	if (r == 0)
		process->capabilities = caps;
	return r;
}

int caps_own(struct caps *ret)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return fail(errno, "read the capabilities of this process");
	*ret = (struct caps){
		.permitted = (uint64_t)data[1].permitted << 32 |
			     data[0].permitted,
		.effective = (uint64_t)data[1].effective << 32 |
			     data[0].effective,
	};
	return 0;
}
