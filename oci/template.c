/* SPDX-License-Identifier: Apache-2.0 */
/* oci/template.c - write the config.json of `spec`, for users to edit. */
#include "base/util.h"
#include "oci/oci.h"
#include "oci/write.h"

enum audience { EVERYBODY, ROOT_ONLY, ROOTLESS_ONLY };

static bool is_for(enum audience audience, bool rootless)
{
	return audience != (rootless ? ROOT_ONLY : ROOTLESS_ONLY);
}

static const struct {
	enum audience audience;
	const char *destination, *type, *source;
	const char *options[7];
} mounts[] = {
	{ EVERYBODY, "/proc", "proc", "proc", { NULL } },
	{ EVERYBODY,
	  "/dev",
	  "tmpfs",
	  "tmpfs",
	  { "nosuid", "strictatime", "mode=755", "size=65536k" } },
	{ ROOT_ONLY,
	  "/dev/pts",
	  "devpts",
	  "devpts",
	  { "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620",
	    "gid=5" } },
	/* A map of one id does not contain group 5. */
	{ ROOTLESS_ONLY,
	  "/dev/pts",
	  "devpts",
	  "devpts",
	  { "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620" } },
	{ EVERYBODY,
	  "/dev/shm",
	  "tmpfs",
	  "shm",
	  { "nosuid", "noexec", "nodev", "mode=1777", "size=65536k" } },
	{ EVERYBODY,
	  "/dev/mqueue",
	  "mqueue",
	  "mqueue",
	  { "nosuid", "noexec", "nodev" } },
	{ ROOT_ONLY,
	  "/sys",
	  "sysfs",
	  "sysfs",
	  { "nosuid", "noexec", "nodev", "ro" } },
	/* A new sysfs needs a network namespace of the container's own. */
	{ ROOTLESS_ONLY,
	  "/sys",
	  "none",
	  "/sys",
	  { "rbind", "nosuid", "noexec", "nodev", "ro" } },
	{ EVERYBODY,
	  "/sys/fs/cgroup",
	  "cgroup",
	  "cgroup",
	  { "nosuid", "noexec", "nodev", "relatime", "ro" } },
};

static const struct {
	enum audience audience;
	enum oci_ns ns;
} namespaces[] = {
	{ EVERYBODY, OCI_NS_PID },	{ ROOT_ONLY, OCI_NS_NETWORK },
	{ EVERYBODY, OCI_NS_IPC },	{ EVERYBODY, OCI_NS_UTS },
	{ EVERYBODY, OCI_NS_MOUNT },	{ EVERYBODY, OCI_NS_CGROUP },
	{ ROOTLESS_ONLY, OCI_NS_USER },
};

static const char *const masked_paths[] = {
	"/proc/acpi",
	"/proc/asound",
	"/proc/kcore",
	"/proc/keys",
	"/proc/latency_stats",
	"/proc/timer_list",
	"/proc/timer_stats",
	"/proc/sched_debug",
	"/sys/firmware",
	"/proc/scsi",
	NULL,
};

static const char *const readonly_paths[] = {
	"/proc/bus",	       "/proc/fs", "/proc/irq", "/proc/sys",
	"/proc/sysrq-trigger", NULL,
};

static void put_capabilities(struct writer *w)
{
	static const char *const names[] = {
		"CAP_AUDIT_WRITE",
		"CAP_KILL",
		"CAP_NET_BIND_SERVICE",
		NULL,
	};

	put_object(w, "capabilities");
	put_words(w, "bounding", names);
	put_words(w, "effective", names);
	put_words(w, "permitted", names);
	put_end(w);
}

static void put_process(struct writer *w)
{
	static const char *const args[] = { "sh", NULL };
	static const char *const env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:"
		"/usr/sbin:/usr/bin:/sbin:/bin",
		"TERM=xterm",
		NULL,
	};

	put_object(w, "process");
	put_bool(w, "terminal", true);
	put_object(w, "user");
	put_u64(w, "uid", 0);
	put_u64(w, "gid", 0);
	put_end(w);
	put_words(w, "args", args);
	put_words(w, "env", env);
	put_string(w, "cwd", "/");
	put_capabilities(w);
	put_array(w, "rlimits");
	put_object(w, NULL);
	put_string(w, "type", "RLIMIT_NOFILE");
	put_u64(w, "hard", 1024);
	put_u64(w, "soft", 1024);
	put_end(w);
	put_end(w);
	put_bool(w, "noNewPrivileges", true);
	put_end(w);
}

static void put_mounts(struct writer *w, bool rootless)
{
	put_array(w, "mounts");
	for (size_t i = 0; i < COUNT(mounts); i++) {
		if (!is_for(mounts[i].audience, rootless))
			continue;
		put_object(w, NULL);
		put_string(w, "destination", mounts[i].destination);
		put_string(w, "type", mounts[i].type);
		put_string(w, "source", mounts[i].source);
		if (mounts[i].options[0])
			put_words(w, "options", mounts[i].options);
		put_end(w);
	}
	put_end(w);
}

static void put_own_id(struct writer *w, const char *key, uint32_t id)
{
	put_array(w, key);
	put_object(w, NULL);
	put_u64(w, "containerID", 0);
	put_u64(w, "hostID", id);
	put_u64(w, "size", 1);
	put_end(w);
	put_end(w);
}

static void put_no_devices(struct writer *w)
{
	put_object(w, "resources");
	put_array(w, "devices");
	put_object(w, NULL);
	put_bool(w, "allow", false);
	put_string(w, "access", "rwm");
	put_end(w);
	put_end(w);
	put_end(w);
}

static void put_namespaces(struct writer *w, const struct oci_template *wanted)
{
	put_array(w, "namespaces");
	for (size_t i = 0; i < COUNT(namespaces); i++) {
		if (!is_for(namespaces[i].audience, wanted->rootless) ||
		    (namespaces[i].ns == OCI_NS_CGROUP &&
		     !wanted->cgroup_namespace))
			continue;
		put_object(w, NULL);
		put_string(w, "type", oci_ns_kinds[namespaces[i].ns].type);
		put_end(w);
	}
	put_end(w);
}

static void put_linux(struct writer *w, const struct oci_template *wanted)
{
	put_object(w, "linux");
	if (wanted->rootless) {
		put_own_id(w, "uidMappings", wanted->uid);
		put_own_id(w, "gidMappings", wanted->gid);
	} else {
		put_no_devices(w);
	}
	put_namespaces(w, wanted);
	put_words(w, "maskedPaths", masked_paths);
	put_words(w, "readonlyPaths", readonly_paths);
	put_end(w);
}

int oci_spec_template(struct arena *arena, const struct oci_template *wanted,
		      const char **ret_json)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "ociVersion", OCI_VERSION);
	put_process(&w);
	put_object(&w, "root");
	put_string(&w, "path", "rootfs");
	put_bool(&w, "readonly", true);
	put_end(&w);
	put_string(&w, "hostname", "sandlock");
	put_mounts(&w, wanted->rootless);
	put_linux(&w, wanted);
	put_end(&w);
	return writer_close(&w, ret_json, NULL);
}
