// SPDX-License-Identifier: Apache-2.0
// tests/engines/cri.js - make one call of the container runtime interface.
//
// Usage: node cri.js SOCKET METHOD '{"field": ...}'
// The answer is JSON on stdout; a refusal is a sentence on stderr and status 1.
//
// gRPC is HTTP/2 with five bytes before each message, and the messages are
// few: both are written out here, so that the tests need no module.
"use strict";
const http2 = require("http2");
const net = require("net");

// Field: [number, kind]; a kind in brackets is repeated, a table is a message.
const map = [{ key: [1, "string"], value: [2, "string"] }];
const podMetadata = {
	name: [1, "string"], uid: [2, "string"], namespace: [3, "string"],
	attempt: [4, "int"],
};
const mapping = {
	host_id: [1, "int"], container_id: [2, "int"], length: [3, "int"],
};
const namespaces = {
	network: [1, "int"], pid: [2, "int"], ipc: [3, "int"],
	userns_options: [5, {
		mode: [1, "int"], uids: [2, [mapping]], gids: [3, [mapping]],
	}],
};
const resources = {
	cpu_period: [1, "int"], cpu_quota: [2, "int"], cpu_shares: [3, "int"],
	memory_limit_in_bytes: [4, "int"], cpuset_cpus: [6, "string"],
};
const profile = { profile_type: [1, "int"], localhost_ref: [2, "string"] };
const podConfig = {
	metadata: [1, podMetadata], hostname: [2, "string"],
	log_directory: [3, "string"], annotations: [7, map],
	linux: [8, {
		cgroup_parent: [1, "string"],
		security_context: [2, {
			namespace_options: [1, namespaces],
			privileged: [6, "int"],
		}],
		sysctls: [3, map],
	}],
};
const containerConfig = {
	metadata: [1, { name: [1, "string"], attempt: [2, "int"] }],
	image: [2, { image: [1, "string"] }],
	command: [3, ["string"]], args: [4, ["string"]],
	working_dir: [5, "string"], envs: [6, map],
	mounts: [7, [{
		container_path: [1, "string"], host_path: [2, "string"],
		readonly: [3, "int"], propagation: [5, "int"],
	}]],
	devices: [8, [{
		container_path: [1, "string"], host_path: [2, "string"],
		permissions: [3, "string"],
	}]],
	annotations: [10, map], log_path: [11, "string"],
	stdin: [12, "int"], stdin_once: [13, "int"], tty: [14, "int"],
	linux: [15, {
		resources: [1, resources],
		security_context: [2, {
			capabilities: [1, {
				add_capabilities: [1, ["string"]],
				drop_capabilities: [2, ["string"]],
			}],
			privileged: [2, "int"],
			namespace_options: [3, namespaces],
			run_as_user: [5, { value: [1, "int"] }],
			readonly_rootfs: [7, "int"], no_new_privs: [11, "int"],
			seccomp: [15, profile],
		}],
	}],
};
const pod = { pod_sandbox_id: [1, "string"] };
const container = { container_id: [1, "string"] };

// Method: [request, response].
const methods = {
	Version: [{}, { runtime_name: [2, "string"] }],
	RunPodSandbox: [{
		config: [1, podConfig], runtime_handler: [2, "string"],
	}, pod],
	PodSandboxStatus: [pod, { status: [1, {
		id: [1, "string"], state: [3, "int"],
		network: [5, { ip: [1, "string"] }],
		runtime_handler: [9, "string"],
	}] }],
	ListPodSandbox: [{}, { items: [1, [{ id: [1, "string"] }]] }],
	StopPodSandbox: [pod, {}],
	RemovePodSandbox: [pod, {}],
	CreateContainer: [{
		...pod, config: [2, containerConfig],
		sandbox_config: [3, podConfig],
	}, container],
	StartContainer: [container, {}],
	ContainerStatus: [container, { status: [1, {
		id: [1, "string"], state: [3, "int"], exit_code: [7, "int"],
		reason: [10, "string"], message: [11, "string"],
	}] }],
	ListContainers: [{}, { containers: [1, [{ id: [1, "string"] }]] }],
	ExecSync: [{
		...container, cmd: [2, ["string"]], timeout: [3, "int"],
	}, {
		stdout: [1, "string"], stderr: [2, "string"],
		exit_code: [3, "int"],
	}],
	Attach: [{
		...container, stdin: [2, "int"], tty: [3, "int"],
		stdout: [4, "int"], stderr: [5, "int"],
	}, { url: [1, "string"] }],
	Exec: [{
		...container, cmd: [2, ["string"]], tty: [3, "int"],
		stdin: [4, "int"], stdout: [5, "int"], stderr: [6, "int"],
	}, { url: [1, "string"] }],
	ContainerStats: [container, { stats: [1, {
		cpu: [2, { timestamp: [1, "int"] }],
		memory: [3, { working_set_bytes: [2, {
			value: [1, "int"],
		}] }],
	}] }],
	UpdateContainerResources: [{
		...container, linux: [2, resources],
	}, {}],
	StopContainer: [{ ...container, timeout: [2, "int"] }, {}],
	RemoveContainer: [container, {}],
};

function varint(number) {
	const bytes = [];
	let n = BigInt.asUintN(64, BigInt(number));

	for (; n > 127n; n >>= 7n)
		bytes.push(Number(n & 127n) | 128);
	bytes.push(Number(n));
	return Buffer.from(bytes);
}

function encodeField(number, kind, value) {
	if (kind === "int")
		return Buffer.concat([varint(number << 3), varint(value)]);
	const body = kind === "string" ? Buffer.from(value) :
		encode(kind, value);
	return Buffer.concat([varint(number << 3 | 2), varint(body.length),
		body]);
}

function encode(table, message) {
	const parts = [];

	for (const [name, value] of Object.entries(message)) {
		if (!table[name])
			throw new Error(`${name}: no such field here`);
		const [number, kind] = table[name];
		if (!Array.isArray(kind))
			parts.push(encodeField(number, kind, value));
		else if (kind === map)
			for (const [k, v] of Object.entries(value))
				parts.push(encodeField(number, map[0],
					{ key: k, value: v }));
		else
			for (const item of value)
				parts.push(encodeField(number, kind[0], item));
	}
	return Buffer.concat(parts);
}

function readVarint(bytes, at) {
	let n = 0n, shift = 0n;

	for (;; shift += 7n) {
		const b = bytes[at++];
		n |= BigInt(b & 127) << shift;
		if (b < 128)
			return [Number(BigInt.asIntN(64, n)), at];
	}
}

// proto3 leaves out what is zero: every field has a value here.
function emptyMessage(table) {
	const zero = (kind) => Array.isArray(kind) ? [] :
		kind === "int" ? 0 : kind === "string" ? "" : emptyMessage(kind);

	return Object.fromEntries(Object.entries(table)
		.map(([name, [, kind]]) => [name, zero(kind)]));
}

function decodeBody(kind, body) {
	return kind === "string" ? body.toString() : decode(kind, body);
}

function decode(table, bytes) {
	const message = emptyMessage(table);
	let at = 0, tag, value;

	while (at < bytes.length) {
		[tag, at] = readVarint(bytes, at);
		[value, at] = readVarint(bytes, at);
		const field = Object.entries(table)
			.find(([, [number]]) => number === tag >> 3);
		if ((tag & 7) === 2) {
			const body = bytes.subarray(at, at += value);
			if (!field)
				continue;
			const [name, [, kind]] = field;
			if (Array.isArray(kind))
				message[name].push(decodeBody(kind[0], body));
			else
				message[name] = decodeBody(kind, body);
		} else if (field) {
			message[field[0]] = value;
		}
	}
	return message;
}

function call(socket, method, request, done) {
	const [asked, answered] = methods[method];
	const message = encode(asked, request);
	const prefix = Buffer.alloc(5);
	const chunks = [];
	let status = {};

	prefix.writeUInt32BE(message.length, 1);
	const session = http2.connect("http://localhost", {
		createConnection: () => net.connect(socket),
	});
	session.on("error", (error) => done(error.message));
	const stream = session.request({
		":method": "POST",
		":path": `/runtime.v1.RuntimeService/${method}`,
		"content-type": "application/grpc",
		"te": "trailers",
	});
	stream.on("response", (headers) => { status = headers; });
	stream.on("trailers", (headers) => { status = headers; });
	stream.on("data", (chunk) => chunks.push(chunk));
	stream.on("error", (error) => done(error.message));
	stream.on("end", () => {
		session.close();
		if (status["grpc-status"] !== "0")
			return done(decodeURIComponent(status["grpc-message"]));
		return done(null, decode(answered,
			Buffer.concat(chunks).subarray(5)));
	});
	stream.end(Buffer.concat([prefix, message]));
}

setTimeout(() => {
	console.error("no answer within a minute");
	process.exit(1);
}, 60000).unref();

const [socket, method, request] = process.argv.slice(2);
call(socket, method, JSON.parse(request || "{}"), (error, answer) => {
	if (error) {
		console.error(error);
		process.exit(1);
	}
	console.log(JSON.stringify(answer));
});
