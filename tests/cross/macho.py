# SPDX-License-Identifier: Apache-2.0
"""List what a program for macOS expects of the system.

Usage: macho.py FILE
One line for each library, and one for each symbol that the program does not
define.
"""
import struct
import sys

MAGIC = 0xfeedfacf
LC_SYMTAB, LC_LOAD_DYLIB = 2, 0xc
N_STAB, N_TYPE, N_UNDF = 0xe0, 0x0e, 0


def text_at(data, start):
    return data[start:data.index(b"\0", start)].decode()


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()
    magic, _, _, _, ncmds = struct.unpack_from("<5I", data)
    if magic != MAGIC:
        sys.exit("not a program for macOS")
    pos, lines = 32, set()
    for _ in range(ncmds):
        cmd, size = struct.unpack_from("<2I", data, pos)
        if cmd == LC_LOAD_DYLIB:
            name = struct.unpack_from("<I", data, pos + 8)[0]
            lines.add(text_at(data, pos + name))
        elif cmd == LC_SYMTAB:
            symbols, n, strings, _ = struct.unpack_from("<4I", data, pos + 8)
            for i in range(n):
                name, kind = struct.unpack_from("<IB", data, symbols + 16 * i)
                if not kind & N_STAB and kind & N_TYPE == N_UNDF:
                    lines.add(text_at(data, strings + name))
        pos += size
    print("\n".join(sorted(lines)))


main()
