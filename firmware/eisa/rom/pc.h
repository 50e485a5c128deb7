/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the configuration ROM asks of a PC: ports, PCI configuration space, the BIOS's screen and its map of memory. */
#ifndef PERFBOARD_EISA_PC_H
#define PERFBOARD_EISA_PC_H

#include <stdint.h>

static inline void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* function: bus << 8 | device << 3 | function; reg: a multiple of 4. */
static inline uint32_t pci_read(uint16_t function, uint8_t reg)
{
	outl(0xCF8, 0x80000000u | (uint32_t)function << 8 | reg);
	return inl(0xCFC);
}

static inline void pci_write(uint16_t function, uint8_t reg, uint32_t value)
{
	outl(0xCF8, 0x80000000u | (uint32_t)function << 8 | reg);
	outl(0xCFC, value);
}

static inline void bios_put(char c)
{
	__asm__ volatile("pushl %%ebp; int $0x10; popl %%ebp" : : "a"(0x0E00 | (uint8_t)c), "b"(7) : "memory", "cc");
}

struct e820 {
	uint64_t base, bytes;
	uint32_t type;
};

/* False: this was the last one. *next is 0 before the first call. */
static inline int bios_memory(struct e820 *e, uint32_t *next)
{
	uint32_t eax = 0xE820, ecx = sizeof(*e), ebx = *next;
	uint8_t failed;

	__asm__ volatile("int $0x15; setc %3"
			 : "+a"(eax), "+b"(ebx), "+c"(ecx), "=qm"(failed)
			 : "d"(0x534D4150), "D"(e)
			 : "memory", "cc");
	*next = ebx;
	if (failed || eax != 0x534D4150)
		e->bytes = *next = 0;
	return *next != 0;
}

#endif
