/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The configuration ROM's head: an expansion ROM of the PCI bridge 8086:0482 (PCI Firmware Specification 3.0, 5.1). The BIOS copies it below
 * 1 MiB, calls offset 3 and, as the specification has it, lets it write to that copy meanwhile: data and stack are there. */
	.code16
	.section .head, "ax"
	.globl head
head:
	.byte 0x55, 0xaa
	.byte rom_blocks		/* of 512 bytes */
	jmp start
	.org 0x18
	.word pci_data
	.word pnp_data
	.align 4
pci_data:
	.ascii "PCIR"
	.word 0x8086, 0x0482		/* the bridge */
	.word 0
	.word 0x18			/* this structure's bytes */
	.byte 0
	.byte 0, 0, 0			/* class: "non-classified" (FACTS: the bridge says so) */
	.word rom_blocks
	.word 1				/* revision */
	.byte 0				/* code for a PC */
	.byte 0x80			/* the last image */
	.word 0
/* Plug and Play BIOS Specification 1.0A, 3.2: a ROM without it would be called when the machine boots a disk. It has no device to boot from. */
	.align 16
pnp_data:
	.ascii "$PnP"
	.byte 1, 2			/* revision; 32 bytes */
	.word 0
	.byte 0, 0			/* the sum: seal */
	.long 0
	.word 0, product
	.byte 0, 0, 0, 0
	.word 0, 0, 0, 0, 0
product:
	.asciz "EISA configuration"

/* A far call; all is as it was behind it. */
start:
	pushal
	pushw %ds
	pushw %es
	movw %ss, %cs:old_ss
	movl %esp, %cs:old_esp
	movw %cs, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movl $stack_end, %esp
	cld
	calll configure
	lssl %cs:old_esp, %esp
	popw %es
	popw %ds
	popal
	xorw %ax, %ax			/* no boot device */
	lretw

	.data
old_esp:	.long 0
old_ss:		.word 0
	.bss
	.align 4
	.skip 1024
stack_end:
	.section .note.GNU-stack, "", @progbits
