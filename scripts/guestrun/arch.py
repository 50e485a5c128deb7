# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between guests: the emulator, its machine, its consoles, what a kernel looks like."""

import dataclasses

from . import boards


@dataclasses.dataclass
class Arch:
    qemu: str
    machine: str
    buses: tuple
    boards: list             # by default
    consoles: tuple          # as the kernel names them: the console, the records
    kernel_args: str         # what would make two runs differ, or the boot slow
    image_args: str          # the same for a kernel and an initrd that are not ours
    free_args: str           # without icount
    kernel: tuple            # (bytes, where) that a kernel holds
    kernel_text: str
    out_least: int           # of --out-size: a page of the kernel
    mem_least: int           # of --mem, for the smallest guest; one of ours may need more (overlay.memory_least)
    mem_step: int            # what QEMU gives the machine memory in
    page: int                # of the kernel
    more: tuple = ()         # words for QEMU
    cross: str = ""          # of this machine's compiler and its like
    make: tuple = ()         # words for the kernel's build


# The kernel's self-tests of its ciphers (cryptomgr) would share the guest's processor with what is measured. Debian's kernels clear each page
# and object that is allocated, whoever asks for it: a quarter of what a boot costs the host.
IMAGE_ARGS = "random.trust_cpu=on mitigations=off init_on_alloc=0 cryptomgr.notests"
LAST_ARGS = IMAGE_ARGS + " rdinit=/init"
# Without icount the guest's time is the host's. A slow host would then look like a guest that stands still, or like
# a timer that does not tick.
FREE_ARGS = "nosoftlockup rcupdate.rcu_cpu_stall_suppress=1 sysctl.kernel.hung_task_timeout_secs=0"

CROSS = "powerpc64le-linux-gnu-"

# A guest is the same in each series: QEMU 11 has POWER11 by default.
POWER_CPU = ("-cpu", "power10")
# Mitigations that TCG lacks and warns of.
TCG_CAPS = "cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off"
# Of a guest without Linux.
PSERIES = ("-M", f"pseries,accel=tcg,{TCG_CAPS}", *POWER_CPU)

ARCHS = {
    "x86_64": Arch(
        qemu="qemu-system-x86_64", machine="pc", buses=("eisa", "pci"), boards=boards.plugged("x86_64", ("eisa", "pci")),
        consoles=("ttyS0", "ttyS1"),
        kernel_args=f"quiet panic=-1 nokaslr tsc=reliable {LAST_ARGS}", image_args=f"panic=-1 nokaslr tsc=reliable {IMAGE_ARGS}",
        free_args=f"no_timer_check {FREE_ARGS}",
        kernel=(b"HdrS", 0x202), kernel_text="a Linux kernel (bzImage)", out_least=4 << 10, mem_least=192 << 20, mem_step=1 << 20, page=4 << 10),
    # Virtual Open Firmware takes no time.
    "ppc64": Arch(
        qemu="qemu-system-ppc64", machine=f"pseries,x-vof=on,{TCG_CAPS}",
        buses=("pci",), boards=boards.plugged("ppc64", ("pci",)), consoles=("hvc0", "hvc1"),
        kernel_args=f"quiet panic=-1 nokaslr {LAST_ARGS}", image_args=f"panic=-1 nokaslr {IMAGE_ARGS}", free_args=FREE_ARGS,
        kernel=(b"\x7fELF\x02\x01\x01", 0), kernel_text="a Linux kernel for POWER (vmlinux, little-endian ELF)", out_least=64 << 10,
        mem_least=256 << 20, mem_step=256 << 20, page=64 << 10,
        cross=CROSS, make=("ARCH=powerpc", f"CROSS_COMPILE={CROSS}"),
        more=(*POWER_CPU, "-prom-env", "auto-boot?=true")),  # with a variable the NVRAM has partitions: an empty one makes Linux warn
}
