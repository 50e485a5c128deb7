# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin must know of a guest's kernel for a profile (plugins/profile.h): where its functions are, and its structures' members.

The functions are those of the kernel's own names. The members are from the debugger's data of a driver that was built for this kernel: all
drivers know these structures.
"""

import os
import re
import subprocess

from . import Refused, debugger, symbols
from guestrun.arch import ARCHS

FUNCTIONS = {"at_switch": "__switch_to", "at_fork": "wake_up_new_task", "at_exec": "perf_event_exec", "at_map": "perf_event_mmap", "at_exit": "do_exit"}
# Each one's name in plugins/profile.h: the structure, and the way to the member.
MEMBERS = {
    "task_pid": "task_struct.pid", "task_tgid": "task_struct.tgid", "task_comm": "task_struct.comm", "task_mm": "task_struct.mm",
    "mm_vdso": "mm_struct.context.vdso",
    "vma_start": "vm_area_struct.vm_start", "vma_end": "vm_area_struct.vm_end", "vma_mm": "vm_area_struct.vm_mm",
    "vma_flags": "vm_area_struct.vm_flags", "vma_pgoff": "vm_area_struct.vm_pgoff", "vma_file": "vm_area_struct.vm_file",
    "file_mount": "file.f_path.mnt", "file_dentry": "file.f_path.dentry", "dentry_parent": "dentry.d_parent", "dentry_name": "dentry.d_name.name",
    "mount_root": "vfsmount.mnt_root",
}
ENTRY = re.compile(r"^ *<([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: [0-9]+ \(DW_TAG_(\w+)\)")
VALUE = re.compile(r"^ *<[0-9a-f]+> +DW_AT_(name|type|data_member_location) *: (?:\(.*?\): )?<?(?:0x)?([^>]*)>?$")


def _structures(lines, wanted):
    """{offset in the data: {"name", "type", "members": [offset]}} of as many entries as hold the wanted structures whole, and their names' offsets."""
    entries, named, current, above = {}, {}, {}, {}  # above: by depth
    for line in lines:
        if found := ENTRY.match(line):
            depth, at, tag = int(found[1], 16), found[2], found[3]
            if tag == "compile_unit" and wanted <= {name for name, at in named.items() if entries[at]["members"]}:
                break
            current = {"members": []}
            if tag in ("structure_type", "union_type", "typedef", "const_type"):
                above[depth] = entries[at] = current
                current["at"] = at
            elif tag == "member" and depth - 1 in above:
                above[depth - 1]["members"].append(current)
        elif found := VALUE.match(line):
            value = current[found[1]] = found[2].rstrip()
            if found[1] == "name" and "at" in current and value in wanted and not entries.get(named.get(value), {}).get("members"):
                named[value] = current["at"]
    return entries, named


def _offset(entries, at, way):
    """Bytes from a structure's beginning to a member, through members without a name; None: there is none."""
    entry = entries.get(at)
    while entry is not None and not entry["members"] and "type" in entry:
        entry = entries.get(entry["type"])  # a typedef, or const
    for member in entry["members"] if entry else []:
        begin = int(member.get("data_member_location", "0"), 0)
        if member.get("name") == way[0]:
            rest = _offset(entries, member["type"], way[1:]) if way[1:] else 0
        else:
            rest = _offset(entries, member["type"], way) if "name" not in member else None
        if rest is not None:
            return begin + rest
    return None


def members(driver):
    """{name in plugins/profile.h: offset}. Raises Refused."""
    wanted = {way.split(".")[0] for way in MEMBERS.values()}
    with subprocess.Popen(["readelf", "--debug-dump=info", driver], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as dump:
        entries, named = _structures(dump.stdout, wanted)
        dump.kill()
    found = {}
    for name, text in MEMBERS.items():
        structure, *way = text.split(".")
        offset = _offset(entries, named.get(structure), way)
        if offset is None:
            raise Refused(f"a profile: {driver} does not tell where the kernel has {text}; legal is a driver with the debugger's data")
        found[name] = offset
    return found


def describe(arch, names, drivers, out):
    """Writes what profile-kernel= of the board reads. names: of debugger.kernel_names(); drivers: for this kernel, with the debugger's data."""
    if not names or not drivers:
        raise Refused("a profile: nothing is known of this kernel; legal is one whose functions' names it tells and for which drivers are built here")
    at = symbols.addresses(names, set(FUNCTIONS.values()))
    if missing := [name for name in FUNCTIONS.values() if name not in at]:
        raise Refused(f"a profile: this kernel has no function {missing[0]}")
    values = {name: at[function] + debugger.ARCHS[arch][2] for name, function in FUNCTIONS.items()}
    values.update(members(drivers[0]))
    values["page_bits"] = ARCHS[arch].page.bit_length() - 1
    with open(out, "w") as f:
        f.write("[linux]\n" + "".join(f"{name}={value}\n" for name, value in sorted(values.items())))
    return os.path.abspath(out)
