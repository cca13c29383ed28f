#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cow_random.py - random file operations, and trees to compare.

cow_random.py base DIR SEED LINKS    make a tree to start with
cow_random.py run DIR SEED LOG       do random operations, log those that work
cow_random.py replay DIR LOG         do the operations of a log
cow_random.py tree DIR               print everything about a tree
cow_random.py branch WORKDIR BRANCH PREFIX   make an empty, sealed branch
cow_random.py check DIR FIRST LAST KIND      compare random programs in a branch,
                                     committed, with those in a plain copy
cow_random.py kills DIR COUNT INJECT kill a commit at COUNT of its system calls
                                     and recover: the tree is the old or new one
"""
import ctypes
import errno
import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
OPERATIONS = 60
TIME = 1700000000
ACL = bytes.fromhex(
    "0200000001000600ffffffff0200060001000000"
    "04000400ffffffff10000600ffffffff20000400ffffffff")


def exchange(a, b):
    if libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), EXCHANGE):
        raise OSError(ctypes.get_errno(), "renameat2")


class Tree:
    """A tree and the operations on it; each sets the times it has changed."""

    def __init__(self, top):
        self.top = os.fsencode(top)
        self.clock = TIME

    def at(self, path):
        return os.path.join(self.top, os.fsencode(path))

    def stamp(self, *paths):
        self.clock += 1
        for path in paths:
            for p in (self.at(path), os.path.dirname(self.at(path))):
                if os.path.lexists(p):
                    os.utime(p, (TIME, self.clock), follow_symlinks=False)

    def write(self, path, how, text):
        flags = {"create": os.O_CREAT | os.O_EXCL, "append": os.O_APPEND,
                 "truncate": os.O_TRUNC, "over": 0}[how]
        fd = os.open(self.at(path), os.O_WRONLY | os.O_NOFOLLOW
                     | os.O_NONBLOCK | flags, 0o644)
        os.write(fd, text.encode())
        os.close(fd)
        self.stamp(path)

    def sparse(self, path, size):
        fd = os.open(self.at(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.pwrite(fd, b"end", size)
        os.close(fd)
        self.stamp(path)

    def replace(self, path, text):
        self.write(path + ".new", "create", text)
        os.rename(self.at(path + ".new"), self.at(path))
        self.stamp(path)

    def unlink(self, path):
        os.unlink(self.at(path))
        self.stamp(path)

    def rmtree(self, path):
        if not os.path.isdir(self.at(path)):
            raise OSError(errno.ENOTDIR, path)
        shutil.rmtree(self.at(path))
        self.stamp(path)

    def mkdir(self, path):
        os.mkdir(self.at(path), 0o755)
        self.stamp(path)

    def rename(self, a, b):
        os.rename(self.at(a), self.at(b))
        self.stamp(a, b)

    def exchange(self, a, b):
        exchange(self.at(a), self.at(b))
        self.stamp(a, b)

    def symlink(self, path, target):
        os.symlink(target, self.at(path))
        self.stamp(path)

    def link(self, a, b):
        os.link(self.at(a), self.at(b), follow_symlinks=False)
        # The overlay copies a, and does not keep the time of its directory.
        self.stamp(a, b)

    def fifo(self, path):
        os.mkfifo(self.at(path), 0o644)
        self.stamp(path)

    def chmod(self, path, mode):
        if os.path.islink(self.at(path)):
            raise OSError(errno.ELOOP, "link")
        os.chmod(self.at(path), mode)
        self.stamp(path)

    def chown(self, path, uid):
        os.chown(self.at(path), uid, uid, follow_symlinks=False)
        self.stamp(path)

    def setxattr(self, path, name, value):
        os.setxattr(self.at(path), name, value.encode(), follow_symlinks=False)
        self.stamp(path)

    def acl(self, path):
        os.setxattr(self.at(path), "system.posix_acl_access", ACL)
        self.stamp(path)

    def touch(self, path):
        self.stamp(path)


def entries(top):
    dirs, files = [], []
    for base, ds, fs in os.walk(top):
        for name in ds + fs:
            path = os.path.join(base, name)
            rel = os.fsdecode(os.path.relpath(path, top))
            is_dir = os.path.isdir(path) and not os.path.islink(path)
            (dirs if is_dir else files).append(rel)
    return sorted(dirs), sorted(files)


def names(rng):
    return rng.choice(["a", "b", "c", "d", "e", "new\nline", "sp ace", "\x1b[1m",
                       "\udcff\udcfe", "n" * 255, "-x", "%41"])


def choose(rng, top, links):
    dirs, files = entries(top)
    here = os.path.normpath(os.path.join(rng.choice(["."] + dirs), names(rng)))
    other = os.path.normpath(os.path.join(rng.choice(["."] + dirs), names(rng)))
    text = "".join(rng.choice("abc\n") for _ in range(rng.randrange(9000)))
    any_of = lambda what: rng.choice(what) if what else here
    file, dir_, both = any_of(files), any_of(dirs), any_of(files + dirs)
    root = os.geteuid() == 0 and links != "user"
    kinds = [
        ("write", here, "create", text), ("write", file, "append", text),
        ("write", file, "over", text[:20]), ("write", file, "truncate", text),
        ("write", here, "create", text), ("write", file, "append", text),
        ("sparse", here, rng.randrange(1, 9) << 16), ("replace", file, text),
        ("unlink", file), ("rmtree", dir_), ("mkdir", here), ("mkdir", here),
        ("rename", file, here), ("rename", file, any_of(files)),
        ("rename", dir_, here), ("rename", dir_, here),
        ("rename", dir_, any_of(dirs)),
        ("exchange", both, any_of(files + dirs)), ("symlink", here, "../" + other),
        ("link", file, here), ("fifo", here), ("touch", both),
        ("chmod", both, rng.choice([0o600, 0o755, 0o444, 0o2775, 0o1777, 0o700])),
        ("setxattr", both, "user." + rng.choice(["x", "overlay.opaque"]), text[:9]),
        ("acl", both),
    ]
    if root:
        kinds += [("chown", both, rng.choice([0, 1, 1234])),
                  ("setxattr", both, "trusted.overlay.y", "z"),
                  ("chmod", file, 0o4755)]
    return rng.choice(kinds)


def base(top, seed, links):
    rng = random.Random(int(seed) * 7 + 1)
    tree = Tree(top)
    for i in range(6):
        tree.mkdir(f"d{i}" if i < 3 else f"d{i % 3}/s{i}")
    dirs, _ = entries(tree.top)
    for i in range(24):
        path = f"{rng.choice(dirs)}/f{i}"
        tree.write(path, "create", "line\n" * rng.randrange(2000))
        if links == "links" and i % 6 == 0:
            tree.link(path, f"{rng.choice(dirs)}/l{i}")
    tree.symlink("d0/link", "../d1")
    tree.fifo("d1/fifo")
    tree.setxattr("d2", "user.base", "1")
    tree.chmod("d0/s3", 0o2775)


def run(top, seed, log, links):
    rng = random.Random(int(seed))
    tree = Tree(top)
    with open(log, "w") as out:
        done = 0
        while done < OPERATIONS:
            op = choose(rng, tree.top, links)
            done += 1
            try:
                getattr(tree, op[0])(*op[1:])
            except OSError as e:
                if e.errno in (errno.EXDEV, errno.EOVERFLOW):
                    continue
                out.write(json.dumps([tree.clock, e.errno, op]) + "\n")
                continue
            out.write(json.dumps([tree.clock, 0, op]) + "\n")


def replay(top, log):
    tree = Tree(top)
    for line in open(log):
        clock, wanted, op = json.loads(line)
        got = 0
        try:
            getattr(tree, op[0])(*op[1:])
        except OSError as e:
            got = e.errno
        if got != wanted or clock != tree.clock:
            sys.exit(f"{op}: {wanted} in the branch, {got} in the plain tree, "
                     f"clock {clock} and {tree.clock}")


def describe(top):
    lines = []
    top = os.fsencode(top)
    groups = {}
    paths = [b"."]
    for b, ds, fs in os.walk(top):
        paths += [os.path.relpath(os.path.join(b, n), top) for n in ds + fs]
    for path in sorted(paths):
        full = os.path.join(top, path)
        st = os.lstat(full)
        more = ""
        if stat.S_ISREG(st.st_mode):
            with open(full, "rb") as f:
                more = hashlib.sha256(f.read()).hexdigest()[:16]
        elif stat.S_ISLNK(st.st_mode):
            more = repr(os.readlink(full))
        xattrs = {n: os.getxattr(full, n, follow_symlinks=False).hex()
                  for n in sorted(os.listxattr(full, follow_symlinks=False))}
        group = "" if stat.S_ISDIR(st.st_mode) else \
            groups.setdefault(st.st_ino, repr(path))
        size = 0 if stat.S_ISDIR(st.st_mode) else st.st_size
        lines.append(f"{path} {st.st_mode:o} {st.st_uid}:{st.st_gid} {size} "
                     f"{st.st_mtime_ns} {more} {xattrs} {group}")
    return lines


def show_tree(top):
    print("\n".join(describe(top)))


def branch(work, where, prefix):
    """As `sandlock run --workdir` makes one, and seals it."""
    st = os.stat(work)
    up = os.path.join(where, "up")
    os.makedirs(os.path.dirname(where), 0o700, exist_ok=True)
    for path in (where, up, os.path.join(where, "wk")):
        os.mkdir(path, 0o700)
    for name in ("lock", "sealed"):
        open(os.path.join(where, name), "w").close()
    os.symlink(work, os.path.join(where, "workdir"))
    os.chmod(up, st.st_mode & 0o7777)
    os.chown(up, st.st_uid, st.st_gid)
    for name in os.listxattr(work):
        os.setxattr(up, name, os.getxattr(work, name))
    os.utime(up, ns=(st.st_atime_ns, st.st_mtime_ns))
    write_meta(work, where, prefix)


def write_meta(work, where, prefix):
    st, probe = os.stat(work), os.path.join(where, "lock")
    os.utime(probe)
    since = os.stat(probe).st_ctime_ns
    while os.stat(probe).st_ctime_ns <= since:
        os.utime(probe)
    offset = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    with open("/proc/sys/kernel/random/boot_id") as f:
        boot = f.read().strip()
    with open(os.path.join(where, "meta"), "w") as f:
        json.dump({"version": 1, "device": st.st_dev, "inode": st.st_ino,
                   "since": since // 10**9, "sinceNanoseconds": since % 10**9,
                   "clockOffset": int(offset * 1000),
                   "created": int(time.time()), "bootId": boot,
                   "xattrs": prefix}, f)


def enter(user):
    """A mount namespace; for a user also a user namespace, as root of it."""
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(0x20000 | (0x10000000 if user else 0)):
        raise OSError(ctypes.get_errno(), "unshare")
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"),
                           ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w") as f:
                f.write(text)
    libc.mount(b"none", b"/", None, 0x4c000, None)


def mount_and_run(work, where, merged, seed, log, kind):
    options = (f"lowerdir={work},upperdir={where}/up,workdir={where}/wk,"
               + ("userxattr" if kind == "user" else
                  "redirect_dir=on,index=on,metacopy=off"))
    if libc.mount(b"overlay", merged.encode(), b"overlay", 0, options.encode()):
        raise OSError(ctypes.get_errno(), "mount")
    run(merged, seed, log, kind)


def in_child(kind, what, *args):
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            enter(kind == "user")
            what(*args)
            status = 0
        except (OSError, SystemExit) as e:
            print(e)
        finally:
            sys.stdout.flush()
            os._exit(status)
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit(f"{what.__name__} {args} failed")


def compare(work, plain):
    got, wanted = describe(work), describe(plain)
    if got != wanted:
        print("the trees differ")
        print("\n".join(sorted(set(got) ^ set(wanted))[:10]))
        sys.exit(1)


def check_one(top, seed, kind):
    work, plain, merged, log = (os.path.join(top, n) for n in
                                ("work", "plain", "merged", "log"))
    where = os.path.join(os.environ["XDG_STATE_HOME"], "sandlock/branches/b")
    os.mkdir(work)
    os.mkdir(merged)
    base(work, seed, kind)
    subprocess.run(["cp", "-a", work, plain], check=True)
    branch(work, where, "user.overlay." if kind == "user" else "trusted.overlay.")
    in_child(kind, mount_and_run, work, where, merged, seed, log, kind)
    in_child(kind, replay, plain, log)
    done = subprocess.run([os.environ["SANDLOCK"], "branch", "commit", "b"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0 or os.path.lexists(where):
        sys.exit(f"program {seed}: commit: {done.stdout}{done.stderr}")
    in_child(kind, compare, work, plain)


def check(top, first, last, kind):
    for seed in range(int(first), int(last) + 1):
        os.mkdir(top)
        check_one(top, seed, kind)
        in_child(kind, shutil.rmtree, top)
    print(f"{int(last) - int(first) + 1} programs, equal trees")


def restore(saved, work, where):
    """The branch and its workdir as they were; the workdir keeps its inode."""
    subprocess.run(f"rm -rf '{where}' && find '{work}' -mindepth 1 -delete && "
                   f"cp -a '{saved}/branch' '{where}' && "
                   f"cp -aT '{saved}/work' '{work}'", shell=True, check=True)
    write_meta(work, where, "trusted.overlay.")


def kills(top, count, inject):
    work, merged, saved = (os.path.join(top, n) for n in
                           ("work", "merged", "saved"))
    where = os.path.join(os.environ["XDG_STATE_HOME"], "sandlock/branches/b")
    commit = [os.environ["SANDLOCK"], "branch", "commit", "b", "--ours", "."]
    for path in (top, work, merged, saved):
        os.mkdir(path)
    base(work, 1, "plain")
    branch(work, where, "trusted.overlay.")
    in_child("plain", mount_and_run, work, where, merged, 1,
             os.path.join(top, "log"), "plain")
    subprocess.run(["cp", "-a", work, os.path.join(saved, "work")], check=True)
    subprocess.run(["cp", "-a", where, os.path.join(saved, "branch")], check=True)
    old = describe(work)
    restore(saved, work, where)
    trace = os.path.join(top, "trace")
    subprocess.run(["strace", "-o", trace] + commit, check=True,
                   stdout=subprocess.DEVNULL)
    with open(trace) as f:
        calls = len(f.readlines())
    new = describe(work)
    sums = {"old": 0, "new": 0}
    for i in range(int(count)):
        restore(saved, work, where)
        at = 1 + i * calls // int(count)
        subprocess.run([inject, "self", str(at)] + commit, check=False,
                       capture_output=True)
        # Every other recovery is killed, too.
        if i % 2 and os.path.lexists(where):
            subprocess.run([inject, "self", str(1 + i * 7 % calls)] + commit[:2]
                           + ["recover", "b"], check=False, capture_output=True)
        subprocess.run(commit[:2] + ["recover"], check=True, capture_output=True)
        got = describe(work)
        state = "old" if os.path.lexists(where) else "new"
        if got != (old if state == "old" else new):
            print(f"killed at call {at} of {calls}: not the {state} tree")
            print("\n".join(sorted(set(got) ^ set(new))[:10]))
            sys.exit(1)
        sums[state] += 1
        if state == "old":
            subprocess.run(commit, check=True, capture_output=True)
            if describe(work) != new:
                sys.exit(f"killed at call {at} of {calls}: commit differs then")
        left = os.listdir(os.path.dirname(where)) + [
            n for n in os.listdir(work) if n.startswith(".sandlock")]
        if left:
            sys.exit(f"killed at call {at} of {calls}: left {left}")
    print(f"{count} kills in {calls} calls: old {sums['old']}, new {sums['new']},"
          " mixed 0")


def main():
    word, args = sys.argv[1], sys.argv[2:]
    {"base": base, "run": run, "replay": replay, "tree": show_tree,
     "branch": branch, "check": check, "kills": kills}[word](*args)


if __name__ == "__main__":
    main()
