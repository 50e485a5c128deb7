# SPDX-License-Identifier: GPL-2.0-or-later
"""perfboard profile: the file, tables, source, differences, other programs' formats, and what is refused. A profile here is made by hand: a program
"loop" of two functions and lines, the kernel's work for it, and one function that calls itself."""
import json
import os
import re
import shutil
import subprocess
import types

import pytest

from conftest import PERFBOARD, run
from guestrun.boards import PROFILER
from workbench import Refused, profile, profile_data, profile_formats, profile_kernel, profile_symbols

COUNTS = profile_data.COUNTS
MACHINE = dict.fromkeys(profile_data.MACHINE, 2) | {"dcache": 1 << 15, "dcache-line": 64, "dcache-penalty": 16}
PROGRAMS = {3: [77, 1, "loop"], 4: [2, 0, "kworker"]}
LOOP, KERNEL = "/root/loop", "[kernel]"
PART = {"format": profile_data.FORMAT, "machine": {}, "region": "whole", "counts": ["instructions", "cycles"], "programs": {"1": [1, 0, "a"]},
        "texts": ["", "/a"], "rows": [[1, 0, 1, 0, 0, 16, 0, 0, "nop", 5, 6]], "calls": []}


def row(name, address, insns, cycles=0, misses=0, program=3, file=LOOP, line=0, source="", code="nop"):
    return profile_data.Row(program, file == KERNEL, file, name, 0x1000, address, source, line, code, [insns, cycles, misses, 0, 0, 0, 0])


def made(source="", factor=1):
    """135 instructions, of which 31 are the kernel's; their nodes have as many."""
    rows = [row("main", 0x1000, 4 * factor, 9, 0, line=2, source=source), row("fib", 0x1010, 60 * factor, 70, 1, line=3, source=source, code="add %rax,%rbx"),
            row("fib", 0x1014, 40 * factor, 50, 30, line=4, source=source), row("copy", 0xffff0010, 21, 30, file=KERNEL),
            row("idle", 0xffff0020, 10, 5, program=4, file=KERNEL)]
    calls = [(0, "", 0, "", "", 0, 0), (0, "u", 3, "", "", 1, 104), (1, "f", 0, LOOP, "main", 1, 104), (2, "f", 0, LOOP, "fib", 2, 100),
             (3, "f", 0, LOOP, "fib", 6, 70), (0, "k", 3, "", "", 5, 21), (5, "f", 0, KERNEL, "copy", 5, 20), (0, "k", 4, "", "", 1, 10)]
    return profile_data.Profile(MACHINE, "whole", COUNTS, PROGRAMS, rows, [list(c) for c in calls] if factor == 1 else [])


@pytest.fixture
def kept(folder):
    def keep(name="p.json", **more):
        path = folder / name
        profile_data.save(made(**more), path)
        return path
    return keep


def said(*words, status=0, **more):
    done = run(PERFBOARD, "profile", *words, **more)
    assert (done.returncode, done.stderr) == (status, ""), done
    return done.stdout


def lines(*words, **more):
    return [" ".join(line.split()) for line in said(*words, **more).splitlines()]


def refused(*words, names, **more):
    done = run(PERFBOARD, "profile", *words, **more)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done
    assert done.stderr.startswith("perfboard: ")
    for name in [names] if isinstance(names, str) else names:
        assert name in done.stderr, done


def test_kept_as_it_was(kept):
    before, after = made(), profile_data.load(kept())
    assert vars(after) == vars(before)


def changed(**more):
    return json.dumps(PART | more)


@pytest.mark.parametrize("text", [
    "", "{", "[]", "5", "[" * 100000, b"\x80", changed(format="perfboard-profile 2"), changed(texts=[1, 2]), changed(region=1), changed(rows=5),
    changed(rows=[[1, 0, 1, 0, 0, 16, 0, 0, "nop", 5]]), changed(rows=[[1, 0, 9, 0, 0, 16, 0, 0, "nop", 5, 6]]),
    changed(rows=[[2, 0, 1, 0, 0, 16, 0, 0, "nop", 5, 6]]),
    changed(rows=[[1, 0, 1, 0, 0, "16", 0, 0, "", 5, 6]]), changed(rows=[[1, 0, 1, 0, 0, 16, 0, 0, "nop", 5, "6"]]), changed(counts=["cycles", "instructions"]),
    changed(counts={}), changed(counts=COUNTS, rows=[]), changed(programs={"1": 5}), changed(programs={"a": [1, 0, "a"]}), changed(programs={"1": [1, 0, 7]}),
    changed(calls=5), changed(calls=[[0, "", 0, "", "", 0]]), changed(calls=[[1, "f", 0, "", "", 0, 0]])], ids=range(24))
def test_damaged(folder, text):
    path = folder / "p.json"
    path.write_text(changed())
    assert profile_data.load(path).rows
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Refused, match=f"^{path}: this is no profile; legal is a file that"):
        profile_data.load(path)


def test_table(kept):
    assert lines(kept()) == [
        "loop: 104 instructions of its own, 21 of the kernel for it", "kworker: 0 instructions of its own, 10 of the kernel for it",
        "data cache 32 KB, 2 ways, lines of 64 B; instruction cache 2 B, 2 ways, 2 B; TLBs 2 and 2 entries, 2 and 2 ways",
        f"cycles: of {PROFILER.name}'s pipelines, and 16 for a miss of the data cache, 2 of the instruction cache, 2 of a TLB", "",
        "share " + " ".join(COUNTS) + " function", "74.1 % 100 120 31 0 0 0 0 fib /root/loop", "15.6 % 21 30 0 0 0 0 0 copy [kernel] (loop)",
        "7.4 % 10 5 0 0 0 0 0 idle [kernel] (kworker)", "3.0 % 4 9 0 0 0 0 0 main /root/loop", "100.0 % 135 164 31 0 0 0 0 in all"]
    assert lines("--top", "1", "--by", "cycles", kept())[-3:] == ["73.2 % 100 120 31 0 0 0 0 fib /root/loop", "26.8 % 35 44 0 0 0 0 0 3 more (--top)",
                                                                "100.0 % 135 164 31 0 0 0 0 in all"]


def test_of_a_part(kept):
    assert lines("--only", "kernel", "--program", "loop", kept())[-2:] == ["100.0 % 21 30 0 0 0 0 0 copy [kernel] (loop)", "100.0 % 21 30 0 0 0 0 0 in all"]
    assert lines("--only", "user", "--program", "kworker", kept())[-1] == "- % 0 0 0 0 0 0 0 in all"
    refused("--program", "lop", kept(), names=["--program lop", "legal are kworker, loop"])


def test_lines_and_csv(kept):
    assert lines("--lines", "--csv", kept(source="/src/a,b.c")) == [
        ",".join(COUNTS) + ",line,object,program", '60,70,1,0,0,0,0,"/src/a,b.c:3","/root/loop","loop"', '40,50,30,0,0,0,0,"/src/a,b.c:4","/root/loop","loop"',
        '21,30,0,0,0,0,0,"copy","[kernel]","loop"', '10,5,0,0,0,0,0,"idle","[kernel]","kworker"', '4,9,0,0,0,0,0,"/src/a,b.c:2","/root/loop","loop"']


def test_annotate(kept, folder):
    source = folder / "loop.c"
    source.write_text("one\ntwo\n  three\n")
    assert lines("--annotate", "fib", kept(source=str(source)))[3:] == [
        "fib, /root/loop", "share " + " ".join(COUNTS), "loop.c:3 three",
        "60.0 % 60 70 1 0 0 0 0 1010 add %rax,%rbx", "loop.c:4", "40.0 % 40 50 30 0 0 0 0 1014 nop"]
    refused("--annotate", "ib", kept(), names=["--annotate ib", "there are fib"])
    refused("--annotate", "zz", kept(), names="--annotate zz: no such function was executed")


def test_added_up(kept):
    one, two = profile_data.load(kept()), profile.merged([kept(), kept()])
    for by, name in enumerate(COUNTS):
        assert two.total()[by] == 2 * one.total()[by], name
    assert {key: 2 * n for key, n in profile_formats.stacks(one, one.rows, 0).items()} == profile_formats.stacks(two, two.rows, 0)
    mixed = profile.merged([kept(), kept("q.json", factor=2)])  # whose calls are not known
    assert sum(profile_formats.stacks(mixed, mixed.rows, 0).values()) == mixed.total()[0]
    other = kept("other.json")
    other.write_text(changed())
    refused(kept(), other, names=[f"{other}: it counts other things than"])


def test_differences(kept):
    one, two, three = (kept(f"{n}.json", factor=n) for n in (1, 2, 3))
    assert said("--diff", one, one) == "the same: each of 4 functions, by instructions\n"
    assert lines("--diff", one, two, status=1) == [
        "change before after function, by instructions", "+100 100 200 differs fib /root/loop", "+4 4 8 differs main /root/loop"]
    assert lines("--diff", "--top", "1", f"{one},{three}", two)[1:] == []  # 2 is their mean
    assert lines("--diff", f"{one},{two}", f"{two},{three}")[1:] == ["+100 100 to 200 200 to 300 same fib /root/loop", "+4 4 to 8 8 to 12 same main /root/loop"]
    assert lines("--diff", "--by", "cycles", one, three) == ["the same: each of 4 functions, by cycles"]
    for words, name in (([one], "here are 1"), ([one, one, one], "here are 3"), (["--csv", one, one], "--csv: not together with --diff"),
                        (["--annotate", "f", one, one], "--annotate: not together"), (["--folded", "-", one, one], "--folded: not together"),
                        ([one, f"{one},/nowhere"], "/nowhere: No such file")):
        refused("--diff", *words, names=name)


def test_callgrind(kept, folder):
    if not shutil.which("callgrind_annotate"):
        raise RuntimeError("callgrind_annotate is not there: scripts/setup test installs valgrind")
    out = folder / "callgrind.out"
    said("--callgrind", out, kept())
    for word, wanted in (("no", {"fib": 100, "main": 4, "copy": 21, "idle": 10}), ("yes", {"fib": 100, "main": 104, "copy": 21, "idle": 10})):
        done = run("callgrind_annotate", f"--inclusive={word}", "--threshold=100", out)
        assert done.returncode == 0, done
        found = {m[2]: int(m[1].replace(",", "")) for m in re.finditer(r"(?m)^ *([\d,]+) \( *[\d.]+%\).*?:(\w+) \[", done.stdout)}
        assert found == wanted
        totals = next(line for line in done.stdout.splitlines() if line.endswith("PROGRAM TOTALS"))
        assert [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) (?:\(100\.0%\)| )", totals)] == made().total()
    assert "calls=6 0x1000 3\n0x1000 3 0 0" in out.read_text()  # fib's to itself


@pytest.mark.parametrize("words, total", [((), 135), (("--by", "dcache-load-misses"), 31), (("--only", "kernel"), 31),
                                          (("--only", "kernel", "--program", "loop"), 21), (("--only", "user"), 104)])
def test_folded_and_speedscope(kept, words, total):
    stacks = dict(line.rsplit(" ", 1) for line in said(*words, "--folded", "-", kept()).splitlines())
    assert sum(map(int, stacks.values())) == total
    page = json.loads(said(*words, "--speedscope", "-", kept()))
    one = page["profiles"][0]
    assert sum(one["weights"]) == one["endValue"] == total
    names = [";".join(page["shared"]["frames"][f]["name"] for f in sample) for sample in one["samples"]]
    assert dict(zip(names, map(str, one["weights"]))) == stacks
    if not words:
        assert stacks == {"loop;main": "4", "loop;main;fib": "30", "loop;main;fib;fib": "70",
                          "loop;[kernel]": "1", "loop;[kernel];copy": "20", "kworker;[kernel]": "10"}


def test_what_is_refused(kept, folder):
    path = kept()
    refused(names="legal is a FILE, or -- and a COMMAND")
    for name, why in ((folder / "none", "No such file"), (folder, "Is a directory"), (os.devnull, "this is no profile")):
        refused(name, names=[f"{name}: {why}", "legal is"])
    for option in ("--misses", "--calls", "--show", "--quiet"):
        refused(option, path, names=f"{option}: legal with a command only")
    refused("--save", folder / "s", path, names="--save: legal with a command only")
    refused("--icount", "4", path, names="--icount: legal with a command only")
    refused(path, "--", "true", names=f"{path}: legal without a command only")
    refused("--diff", "--", "true", names="--diff: legal without a command only")
    refused("--only", "all", path, names=["--only", "user", "kernel"])
    for words in ((path,), ("--", "true")):
        for top in ("0", "1000001", "-1", "many"):
            refused(f"--top={top}", *words, names=["--top", top, "1 to 1000000"])
        refused("--by", "misses", *words, names=["--by misses: legal are instructions, cycles"])
        for option in ("--callgrind", "--folded", "--speedscope"):
            refused(option, "/nowhere/out", *words, names=f"{option} /nowhere/out: legal is a file that can be written")
    refused("--by", "tlb-misses", "--", "true", names=["--by tlb-misses", "more with --misses"])
    refused("--gdb", "--", "true", names="--gdb: not together with a profile; legal is a command in a guest of ours")
    refused("--save", "/nowhere/out", "--", "true", names="--save /nowhere/out: legal is a file")


def test_pipes_and_full_disks(kept, folder):
    path = kept()
    with open(path, "rb") as f:
        assert said("/dev/stdin", stdin=f) == said(path)
    refused("--folded", "/dev/full", path, names=os.strerror(28))
    with open("/dev/full", "wb") as full:
        refused(path, names=os.strerror(28), stdout=full)
    ends = run("bash", "-c", '"$0" profile "$1" | head -n 1; echo ${PIPESTATUS[0]}', PERFBOARD, path)
    assert (ends.stdout.splitlines()[1:], ends.stderr) in ((["0"], ""), (["141"], ""))


# What a guest's files and kernel tell.
TWO = "int one(int n)\n{\n\treturn n + 1;\n}\nint two(int n)\n{\n\treturn one(n) * 2;\n}\nvoid _start(void)\n{\n\ttwo(1);\n}\n"


def compiled(folder, text, *words, name="two"):
    (folder / f"{name}.c").write_text(text)
    done = run("gcc", "-g", "-O0", *words, "-o", folder / name, f"{name}.c", cwd=folder)
    assert done.returncode == 0, done
    return folder / name


def guest_files(path):
    """A guest that has this file alone."""
    return types.SimpleNamespace(read=lambda name: path.read_bytes() if name == "/root/two" else None)


def test_functions_and_lines_of_a_file(folder):
    path = compiled(folder, TWO, "-nostdlib", "-static", "-fcf-protection=none")
    at = {name: int(address, 16) for address, _, name in (line.split() for line in run("nm", path).stdout.splitlines())}
    own = profile_symbols.Object("/root/two", guest_files(path), "x86_64", folder)
    assert own.function(at["two"]) == ("two", at["two"])
    assert own.function(at["two"] - 1) == ("one", at["one"])
    assert own.function(at["one"] - 1) == own.function(at["two"] + 4096) == ("", 0)
    assert own.lines([at["one"], at["two"], 0x10]) == {at["one"]: (f"{folder}/two.c", 2), at["two"]: (f"{folder}/two.c", 6)}
    assert own.code([at["two"]]) == {at["two"]: "push %rbp"}
    offset = path.read_bytes().index(bytes.fromhex("554889e5"))  # one()'s first instructions
    assert own.address(offset) == at["one"]
    subprocess.run(["strip", path], check=True)
    bare = profile_symbols.Object("/root/two", guest_files(path), "x86_64", folder)
    assert bare.function(at["two"] + 1) == (f"fn_{at['two']:x}", at["two"])
    assert bare.lines([at["two"]]) == {}
    identity = "ab" + 19 * "cd"
    path = compiled(folder, TWO, "-nostdlib", "-static", "-g", f"-Wl,--build-id=0x{identity}")
    whole = path.read_bytes()
    subprocess.run(["strip", path], check=True)
    debug = types.SimpleNamespace(read={"/root/two": path.read_bytes(), f"/usr/lib/debug/.build-id/ab/{19 * 'cd'}.debug": whole}.get)
    assert profile_symbols.Object("/root/two", debug, "x86_64", folder).function(at["two"])[0] == "two", "by its separate debug file"
    none = profile_symbols.Object("[anonymous]", None, "x86_64", folder)
    assert (none.function(1), none.lines([1]), none.code([1]), none.address(5)) == (("", 0), {}, {}, 5)


def test_files_of_the_guest(folder):
    (folder / "here").write_bytes(b"on this machine")
    entries = {"usr/lib/a.so": (0o100755, b"a"), "lib": (0o120777, b"usr/lib"), "lib64": (0o120777, b"/usr/lib"), "lib/b.so": (0o100644, str(folder / "here")),
               "lib64/c.so": (0o100644, b"c"), "root/gone": (0o100644, str(folder / "gone"))}
    guest = types.SimpleNamespace(archive=types.SimpleNamespace(entries=entries))
    files = profile_symbols.Files(types.SimpleNamespace(guest=guest, share=[(str(folder), "/mnt/work")], share_ro=[], initramfs=os.devnull))
    files.first = {"bin/busybox": b"first"}
    for path, data in (("/usr/lib/a.so", b"a"), ("/usr/lib/b.so", b"on this machine"), ("/usr/lib/c.so", b"c"), ("/bin/busybox", b"first"),
                       ("/mnt/work/here", b"on this machine"), ("/mnt/work/none", None), ("/root/gone", None), ("/nowhere", None)):
        assert files.read(path) == data, path


def fake_kernel(without=()):
    """Structures of a kernel, with members at places of their own: in unions without names, behind a typedef, and const."""
    return """
typedef struct { void *ldt; void *vdso; } context_t;
struct qstr { union { struct { unsigned hash, len; }; unsigned long both; }; const char *name; };
struct vfsmount { struct dentry *mnt_root; };
struct path { struct vfsmount *mnt; struct dentry *dentry; };
struct dentry { int flags; struct dentry *d_parent; struct qstr d_name; };
struct file { long first; union { const struct path f_path; struct path __f_path; }; };
struct signal_struct { int count, live; };
struct mm_struct { struct { long first; context_t context; }; unsigned long cpus[]; };
struct vm_area_struct { union { struct { long vm_start, vm_end; }; long both[2]; }; struct mm_struct *vm_mm; union { const long vm_flags; long flags; };
    long vm_pgoff; struct file *vm_file; };
struct task_struct { long state; struct mm_struct *mm; int pid, tgid; struct signal_struct *signal; char comm[16]; };
struct task_struct t; struct vm_area_struct v; struct dentry d; struct vfsmount m; struct mm_struct mm; struct signal_struct s; struct file f;
""".replace(*(without or ("", "")))


def test_members_of_the_kernels_structures(folder):
    found = profile_kernel.members(compiled(folder, fake_kernel(), "-c"))
    assert found == {"task_pid": 16, "task_tgid": 20, "task_comm": 32, "task_mm": 8, "mm_vdso": 16, "vma_start": 0,
                     "vma_end": 8, "vma_mm": 16, "vma_flags": 24, "vma_pgoff": 32, "vma_file": 40, "file_mount": 8, "file_dentry": 16,
                     "dentry_parent": 8, "dentry_name": 24, "mount_root": 0}
    with pytest.raises(Refused, match="vfsmount.mnt_root; legal is a driver with the debugger's data"):
        profile_kernel.members(compiled(folder, fake_kernel(("*mnt_root", "*mnt_top")), "-c"))
