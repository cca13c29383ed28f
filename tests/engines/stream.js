// SPDX-License-Identifier: Apache-2.0
// tests/engines/stream.js - be at the other end of a container's streams.
//
// Usage: node stream.js URL [INPUT [UNTIL]]
// The URL is what CRI's Attach or Exec answered. INPUT is sent once the
// connection is there; what the program prints is printed, and its status is
// that of this one. Once it has printed UNTIL, this one does not wait for its
// end. It is a WebSocket, and the first byte of each message names its stream.
"use strict";
const crypto = require("crypto");
const http = require("http");

const [STDIN, STDOUT, STDERR, END] = [0, 1, 2, 3];
const [BINARY, CLOSE, PING] = [2, 8, 9];

// A client's frames are masked; a mask of zeros leaves them as they are.
function frame(opcode, body) {
	const head = Buffer.from([128 | opcode, 128 | body.length, 0, 0, 0, 0]);

	if (body.length > 125)
		throw new Error("the input is too long");
	return Buffer.concat([head, body]);
}

// The first frame of some bytes and how long it is, or null if more must come.
function readFrame(bytes) {
	let at = 2, length = bytes[1] & 127;

	if (bytes.length < 10 && bytes.length < at + length)
		return null;
	if (length === 126) {
		length = bytes.readUInt16BE(2);
		at = 4;
	} else if (length === 127) {
		length = Number(bytes.readBigUInt64BE(2));
		at = 10;
	}
	if (bytes.length < at + length)
		return null;
	return { opcode: bytes[0] & 15, size: at + length,
		body: bytes.subarray(at, at + length) };
}

// How the program ended, in the words of Kubernetes.
function statusOf(words) {
	const { status, details, message } = JSON.parse(words);
	const cause = (details?.causes || [])
		.find(({ reason }) => reason === "ExitCode");

	if (status === "Success")
		return 0;
	if (!cause)
		console.error(message);
	return cause ? Number(cause.message) : 125;
}

function take({ opcode, body }, socket) {
	if (opcode === CLOSE)
		socket.end();
	if (opcode === PING)
		socket.write(frame(10, body));
	if (opcode !== BINARY)
		return;
	const text = body.subarray(1);
	if (body[0] === STDOUT)
		process.stdout.write(text);
	else if (body[0] === STDERR)
		process.stderr.write(text);
	else if (body[0] === END && text.length > 0)
		process.exitCode = statusOf(text.toString());
}

function talk(socket, first, input, until) {
	let bytes = first, shown = "";

	const read = () => {
		for (let f; bytes.length > 1 && (f = readFrame(bytes));) {
			take(f, socket);
			shown += f.body;
			bytes = bytes.subarray(f.size);
		}
		if (until && shown.includes(until))
			socket.destroy();
	};
	socket.on("data", (chunk) => {
		bytes = Buffer.concat([bytes, chunk]);
		read();
	});
	read();
	if (input)
		socket.write(frame(BINARY, Buffer.concat(
			[Buffer.from([STDIN]), Buffer.from(input)])));
}

const [url, input, until] = process.argv.slice(2);
const request = http.request(url, { headers: {
	"Connection": "Upgrade",
	"Upgrade": "websocket",
	"Sec-WebSocket-Version": "13",
	"Sec-WebSocket-Key": crypto.randomBytes(16).toString("base64"),
	"Sec-WebSocket-Protocol": "v4.channel.k8s.io",
} });
request.on("upgrade", (_, socket, first) =>
	talk(socket, first, input, until));
request.on("response", ({ statusCode }) => {
	console.error(`refused: ${statusCode}`);
	process.exit(125);
});
request.end();

setTimeout(() => {
	console.error("no end within a minute");
	process.exit(125);
}, 60000).unref();
