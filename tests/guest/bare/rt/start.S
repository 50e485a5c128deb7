/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * start.S - multiboot header, first instructions, descriptor tables, interrupt stubs.
 */
#define MB_MAGIC 0x1BADB002
#define MB_FLAGS 0x00000003 /* modules page-aligned; memory information wanted */

	.section .multiboot, "a"
	.balign 4
	.long MB_MAGIC, MB_FLAGS, -(MB_MAGIC + MB_FLAGS)

	.text
	.globl start
start:
	cli
	cld
	movl $rt_stack_top, %esp
	lgdt rt_gdt_pointer
	ljmp $0x08, $1f
1:	movw $0x10, %cx
	movw %cx, %ds
	movw %cx, %es
	movw %cx, %fs
	movw %cx, %gs
	movw %cx, %ss
	/* x87 and SSE usable: clear EM and TS, set MP, NE; OSFXSR and OSXMMEXCPT in CR4. */
	movl %cr0, %ecx
	andl $~0x0C, %ecx
	orl $0x22, %ecx
	movl %ecx, %cr0
	movl %cr4, %ecx
	orl $0x600, %ecx
	movl %ecx, %cr4
	fninit
	pushl %ebx
	pushl %eax
	call rt_main
1:	hlt
	jmp 1b

/* One stub a vector: error code (0 where the processor pushes none), vector, all registers. */
	.macro stub vector
	.balign 16
	.if !(\vector == 8 || (\vector >= 10 && \vector <= 14) || \vector == 17)
	pushl $0
	.endif
	pushl $\vector
	jmp common
	.endm

	.balign 16
	.globl rt_stubs
rt_stubs:
	.altmacro
	.set v, 0
	.rept 48
	stub %v
	.set v, v + 1
	.endr

common:
	pushal
	cld
	pushl %esp
	call rt_trap
	addl $4, %esp
	popal
	addl $8, %esp
	iret

	.section .rodata
	.balign 8
gdt:	.quad 0
	.quad 0x00CF9A000000FFFF /* 08: code, 4 GB, ring 0 */
	.quad 0x00CF92000000FFFF /* 10: data */
gdt_end:
	.globl rt_gdt_pointer
rt_gdt_pointer:
	.word gdt_end - gdt - 1
	.long gdt

	.bss
	.balign 4096
	.skip 32768
rt_stack_top:
	.section .note.GNU-stack, "", @progbits
