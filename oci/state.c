/* SPDX-License-Identifier: Apache-2.0 */
/* oci/state.c - print a container for `state`, `list`, hooks and agents. */
#include "base/util.h"
#include "oci/oci.h"
#include "oci/write.h"

/* The keys of runc in the same order: scripts parse this text by lines. */
static void put_state(struct writer *w, const struct oci_record *record,
		      enum oci_status status, const char *owner)
{
	put_object(w, NULL);
	put_string(w, "ociVersion", record->version);
	put_string(w, "id", record->id);
	put_i64(w, "pid", status == OCI_STOPPED ? 0 : record->pid);
	put_string(w, "status", oci_status_name(status));
	put_string(w, "bundle", record->bundle);
	put_string(w, "rootfs", record->rootfs);
	put_string(w, "created", record->created);
	put_annotations(w, "annotations", &record->annotations);
	put_string(w, "owner", owner);
	put_end(w);
}

/* Only the fields of runtime.md#state. */
static void put_plain_state(struct writer *w, const char *key,
			    const struct oci_record *record,
			    enum oci_status status, pid_t pid)
{
	put_object(w, key);
	put_string(w, "ociVersion", record->version);
	put_string(w, "id", record->id);
	put_string(w, "status", oci_status_name(status));
	if (pid)
		put_i64(w, "pid", pid);
	put_string(w, "bundle", record->bundle);
	put_annotations(w, "annotations", &record->annotations);
	put_end(w);
}

int oci_state_print(struct arena *arena, const struct oci_record *record,
		    enum oci_status status, const char **ret_json)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_state(&w, record, status, /* owner= */ "");
	return writer_close(&w, ret_json, NULL);
}

int oci_state_for_hook(struct arena *arena, const struct oci_record *record,
		       enum oci_status status, pid_t pid, const char **ret_json)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_plain_state(&w, NULL, record, status, pid);
	return writer_close(&w, ret_json, NULL);
}

int oci_state_for_agent(struct arena *arena, const struct oci_record *record,
			enum oci_status status, pid_t pid, const char *metadata,
			const char **ret_json)
{
	/* The state is that of the container, so its pid is that of init. */
	pid_t init = record->pid ? record->pid : pid;
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_string(&w, "ociVersion", record->version);
	put_array(&w, "fds");
	put_string(&w, NULL, "seccompFd");
	put_end(&w);
	put_i64(&w, "pid", pid);
	if (is_set(metadata))
		put_string(&w, "metadata", metadata);
	put_plain_state(&w, "state", record, status, init);
	put_end(&w);
	return writer_close(&w, ret_json, NULL);
}

int oci_list_print(struct arena *arena, const struct oci_list_row *rows,
		   size_t n, const char **ret_json)
{
	struct writer w;

	writer_open(&w, arena, WRITE_LINE);
	if (n == 0) {
		/* Go clients print null for an empty list. */
		put_string(&w, NULL, NULL);
		return writer_close(&w, ret_json, NULL);
	}
	put_array(&w, NULL);
	for (size_t i = 0; i < n; i++)
		put_state(&w, rows[i].record, rows[i].status, rows[i].owner);
	put_end(&w);
	return writer_close(&w, ret_json, NULL);
}
