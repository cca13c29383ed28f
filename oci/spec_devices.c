/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec_devices.c - read linux.devices, netDevices and intelRdt. */
#include "oci/parse.h"

#include <errno.h>
#include <net/if.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

/* The width of the numbers in the kernel's dev_t. */
#define MAX_MAJOR 0xfff
#define MAX_MINOR 0xfffff

static JSON_READER(read_device_type)
{
	static const struct json_choice types[] = {
		{ "c", S_IFCHR },
		{ "b", S_IFBLK },
		{ "u", S_IFCHR },
		{ "p", S_IFIFO },
	};
	uint64_t type = 0;
	int r = json_choose(v, types, COUNT(types), &type);

	(void)arena;
	*(mode_t *)ret = (mode_t)type;
	return r;
}

static JSON_READER(read_mode)
{
	struct oci_device *device = ret;
	uint32_t mode = 0;
	int r = json_u32(arena, v, &mode);

	device->has_mode = true;
	device->mode = mode & 07777;
	return r;
}

static int check_number(const struct json_value *device, const char *key,
			int64_t number, int64_t max)
{
	if (number >= 0 && number <= max)
		return 0;
	if (!json_find(device, key))
		return json_fail_key(device, key, "required");
	return json_fail_key(device, key, "%lld is not in the range 0 to %lld",
			     (long long)number, (long long)max);
}

static JSON_READER(read_device)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("type", read_device_type, struct oci_device,
			      type),
		JSON_REQUIRED("path", json_absolute, struct oci_device, path),
		JSON_FIELD("major", json_i64, struct oci_device, major),
		JSON_FIELD("minor", json_i64, struct oci_device, minor),
		JSON_WHOLE("fileMode", read_mode),
		JSON_FIELD("uid", json_id, struct oci_device, uid),
		JSON_FIELD("gid", json_id, struct oci_device, gid),
	};
	struct oci_device *device = ret;
	int r;

	*device = (struct oci_device){ .major = -1, .minor = -1, .mode = 0666 };
	r = json_object(arena, v, fields, COUNT(fields), device);
	if (r < 0)
		return r;
	device->path = oci_clean_path(arena, device->path);
	if (!device->path)
		return -ENOMEM;
	if (device->type == S_IFIFO) {
		device->major = device->minor = 0;
		return 0;
	}
	if ((r = check_number(v, "major", device->major, MAX_MAJOR)) < 0)
		return r;
	return check_number(v, "minor", device->minor, MAX_MINOR);
}

JSON_READER(oci_read_devices)
{
	struct oci_linux *linux_ = ret;

	return json_array(arena, v, read_device, sizeof *linux_->devices,
			  &linux_->devices, &linux_->ndevices);
}

bool oci_is_interface_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < IFNAMSIZ && !streq(name, ".") &&
	       !streq(name, "..") && len == strcspn(name, "/: \t\n\v\f\r");
}

static JSON_READER(read_interface)
{
	int r = json_word(arena, v, ret);

	if (r < 0 || !*v->text || oci_is_interface_name(v->text))
		return r;
	return json_fail(
		v,
		"'%.200s' is not a network device name (1 to 15 bytes without "
		"/ : or blanks)",
		v->text);
}

static JSON_READER(read_net_device)
{
	static const struct json_field fields[] = {
		JSON_FIELD("name", read_interface, struct oci_net_device, name),
	};
	struct oci_net_device *device = ret;
	int r;

	if (!oci_is_interface_name(v->key))
		return json_fail(
			v,
			"not a network device name (1 to 15 bytes without / : "
			"or blanks)");
	r = json_object(arena, v, fields, COUNT(fields), ret);
	device->host_name = v->key;
	if (!device->name)
		device->name = v->key;
	return r;
}

JSON_READER(oci_read_net_devices)
{
	struct oci_linux *linux_ = ret;

	return json_members(arena, v, read_net_device,
			    sizeof(struct oci_net_device), &linux_->net_devices,
			    &linux_->nnet_devices);
}

static JSON_READER(read_line)
{
	int r = json_word(arena, v, ret);

	if (r < 0 || !strchr(v->text, '\n'))
		return r;
	return json_fail(v, "must not contain a newline");
}

static JSON_READER(read_clos_id)
{
	int r = read_line(arena, v, ret);

	if (r < 0 || streq(v->text, "/"))
		return r;
	if (strchr(v->text, '/') || streq(v->text, ".") || streq(v->text, ".."))
		return json_fail(v,
				 "'%.200s' is not the name of a resctrl group "
				 "(no slashes, not . or ..)",
				 v->text);
	return 0;
}

static JSON_READER(read_mem_bw_schema)
{
	int r = read_line(arena, v, ret);

	if (r < 0 || !*v->text || starts_with(v->text, "MB:"))
		return r;
	return json_fail(v, "'%.200s' does not begin with MB:", v->text);
}

static JSON_READER(read_schemata)
{
	struct strings *list = ret;
	int r = json_strings(arena, v, list);

	for (size_t i = 0; r == 0 && i < list->n; i++)
		if (strchr(list->items[i], '\n'))
			return json_fail_index(
				fail(0, ": must not contain a newline"), i);
	return r;
}

/* Three keys, two of them obsolete, request the same. */
static JSON_READER(read_monitoring)
{
	bool wanted = false;
	int r = json_bool(arena, v, &wanted);

	*(bool *)ret |= wanted;
	return r;
}

JSON_READER(oci_read_intel_rdt)
{
	static const struct json_field fields[] = {
		JSON_FIELD("closID", read_clos_id, struct oci_intel_rdt,
			   clos_id),
		JSON_FIELD("l3CacheSchema", read_line, struct oci_intel_rdt,
			   l3_cache_schema),
		JSON_FIELD("memBwSchema", read_mem_bw_schema,
			   struct oci_intel_rdt, mem_bw_schema),
		JSON_FIELD("schemata", read_schemata, struct oci_intel_rdt,
			   schemata),
		JSON_FIELD("enableMonitoring", read_monitoring,
			   struct oci_intel_rdt, enable_monitoring),
		JSON_FIELD("enableCMT", read_monitoring, struct oci_intel_rdt,
			   enable_monitoring),
		JSON_FIELD("enableMBM", read_monitoring, struct oci_intel_rdt,
			   enable_monitoring),
	};
	struct oci_intel_rdt *rdt = arena_alloc(arena, sizeof *rdt);
	int r;

	if (!rdt)
		return -ENOMEM;
	r = json_object(arena, v, fields, COUNT(fields), rdt);
	if (r < 0)
		return r;
	*(const struct oci_intel_rdt **)ret = rdt;
	return 0;
}
