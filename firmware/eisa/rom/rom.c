/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The configuration ROM of an EISA machine (../README.md): it looks at each slot, gives the board there what its .CFG file asks for, and
 * enables it. Said is one line for each slot that has something.
 *
 * 16-bit code; ds, es, ss and cs are the copy's segment. It runs once, behind the BIOS's set-up of PCI and before any system. */
#include EISA_TABLES /* choices[] and boards[], made by eisacfg */
#include "firmware/eisa/rom/pc.h"
#include "hw/eisa/eisa_id.h"

#define MOST_RANGES 128
#define ID 0xC80
#define CONTROL 0xC84
#define ENABLE 1
#define ELCR 0x4D0
/* From here on are I/O APICs, the processors' APICs and the BIOS, which no list has to have. */
#define SYSTEM 0xFEC00000u
/* INFERRED: lines that a PC's own devices drive by edges: mouse and IDE. Nobody can share them. */
#define EDGES (1u << 12 | 1u << 14 | 1u << 15)

#define SIZE_OF(array) (sizeof(array) / sizeof((array)[0]))

struct range {
	uint32_t first, last;
	uint16_t owner; /* PCI function, of ports */
};

static struct range taken[MOST_RANGES], ports[MOST_RANGES];
static unsigned int taken_used, ports_used;
static uint16_t lines; /* that boards have */

/* --- what is said ---------------------------------------------------------- */

static void say(const char *text)
{
	while (*text)
		bios_put(*text++);
}

static void say_hex(uint32_t value, unsigned int digits)
{
	while (digits--)
		bios_put("0123456789ABCDEF"[value >> (4 * digits) & 15]);
}

static void say_number(uint32_t value)
{
	if (value >= 10)
		say_number(value / 10);
	bios_put('0' + value % 10);
}

static void say_size(uint32_t bytes)
{
	say_number(bytes >> (bytes >> 20 ? 20 : 10));
	bios_put(bytes >> 20 ? 'M' : 'K');
}

/* As on the board's label: PRU0010. */
static void say_id(uint32_t id)
{
	bios_put('@' + (id >> 2 & 31));
	bios_put('@' + ((id << 3 & 24) | (id >> 13 & 7)));
	bios_put('@' + (id >> 8 & 31));
	say_hex(id >> 16 & 0xFF, 2);
	say_hex(id >> 24, 2);
}

static void say_slot(unsigned int slot)
{
	say("slot ");
	say_number(slot);
	say(": ");
}

/* --- what is taken --------------------------------------------------------- */

static void take(struct range *list, unsigned int *used, uint32_t first, uint32_t last, uint16_t owner)
{
	if (last < first)
		return;
	if (*used == MOST_RANGES) { /* rather too much than too little */
		list[MOST_RANGES - 1].first = 0;
		list[MOST_RANGES - 1].last = UINT32_MAX;
		return;
	}
	list[(*used)++] = (struct range){ first, last, owner };
}

static const struct range *find(const struct range *list, unsigned int used, uint32_t first, uint32_t last)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		if (list[i].first <= last && first <= list[i].last)
			return &list[i];
	return 0;
}

static void take_memory(uint32_t first, uint32_t last)
{
	take(taken, &taken_used, first, last, 0);
}

static void look_at_memory(void)
{
	static struct e820 e;
	uint32_t next = 0;
	uint64_t last;
	int more;

	take_memory(0, 0xFFFFF);
	take_memory(SYSTEM, UINT32_MAX);
	do {
		more = bios_memory(&e, &next);
		last = e.base + e.bytes - 1;
		if (e.bytes && !(e.base >> 32))
			take_memory(e.base, last >> 32 ? UINT32_MAX : (uint32_t)last);
	} while (more);
}

/* A BAR's length is what stays 0 where ones are written. Decoding is off meanwhile. Returns how many registers it has. */
static unsigned int look_at_bar(uint16_t function, uint8_t reg)
{
	uint32_t old = pci_read(function, reg), mask;
	const int io = old & 1, wide = !io && (old & 6) == 4;

	pci_write(function, reg, UINT32_MAX);
	mask = pci_read(function, reg) & (io ? ~3u : ~15u);
	pci_write(function, reg, old);
	old &= io ? ~3u : ~15u;
	if (io && old)
		take(ports, &ports_used, old & 0xFFFF, (old & 0xFFFF) + (~(mask | 0xFFFF0000u) & 0xFFFF), function);
	if (!io && old && !(wide && pci_read(function, reg + 4)))
		take_memory(old, old + ~mask < old ? UINT32_MAX : old + ~mask);
	return wide ? 2 : 1;
}

/* Behind the bridge whatever is in its windows. */
static void look_at_bridge(uint16_t function)
{
	const uint32_t io = pci_read(function, 0x1C), memory = pci_read(function, 0x20), prefetched = pci_read(function, 0x24);

	take(ports, &ports_used, (io & 0xF0) << 8, (io & 0xF000) | 0xFFF, function);
	take_memory(memory << 16 & 0xFFF00000u, memory | 0xFFFFF);
	if (!(prefetched & 1) || !pci_read(function, 0x28))
		take_memory(prefetched << 16 & 0xFFF00000u, prefetched | 0xFFFFF);
}

static void look_at_function(uint16_t function, uint8_t kind)
{
	const uint32_t command = pci_read(function, 4);
	unsigned int bar;

	pci_write(function, 4, command & 0xFFFC); /* status bits stay */
	for (bar = 0; bar < (kind == 1 ? 2u : 6u);)
		bar += look_at_bar(function, 0x10 + 4 * bar);
	pci_write(function, 4, command & 0xFFFF);
	if (kind == 1)
		look_at_bridge(function);
}

/* All buses: a machine may have several roots (QEMU's pxb), which no bridge leads to. */
static void look_at_pci(void)
{
	unsigned int bus, slot, f;
	uint8_t header;

	for (bus = 0; bus < 256; bus++)
		for (slot = 0; slot < 32; slot++)
			for (f = 0, header = 0x80; f < (header & 0x80 ? 8u : 1u); f++) {
				const uint16_t function = bus << 8 | slot << 3 | f;

				if ((pci_read(function, 0) & 0xFFFF) == 0xFFFF) {
					if (!f)
						break;
					continue;
				}
				if (!f)
					header = pci_read(function, 0xC) >> 16;
				look_at_function(function, pci_read(function, 0xC) >> 16 & 0x7F);
			}
}

/* --- a board --------------------------------------------------------------- */

static int fits(const struct choice *c)
{
	unsigned int i;

	for (i = 0; i < c->memories; i++)
		if (find(taken, taken_used, c->memory[i].base, c->memory[i].base + c->memory[i].bytes - 1))
			return 0;
	return !(c->irq && EDGES >> c->irq & 1);
}

static int is_used(const struct choice *c)
{
	return c->irq && (lines | inb(ELCR) | inb(ELCR + 1) << 8) >> c->irq & 1;
}

/* The first that fits, and of interrupts rather one that nobody has. */
static const struct choice *choose(const struct board *b, unsigned int function)
{
	const struct choice *shared = 0;
	unsigned int i;

	for (i = b->first; i < b->end; i++) {
		const struct choice *c = &choices[i];

		if (c->function != function || !fits(c))
			continue;
		if (!is_used(c))
			return c;
		if (!shared)
			shared = c;
	}
	return shared;
}

/* Its level, and not its edge, is the request. */
static void take_line(uint8_t irq)
{
	const uint16_t elcr = ELCR + irq / 8;

	lines |= 1u << irq;
	outb(elcr, inb(elcr) | 1u << irq % 8);
}

/* A choice's blocks are one window. */
static uint32_t bytes_of(const struct choice *c)
{
	uint32_t bytes = 0;
	unsigned int i;

	for (i = 0; i < c->memories; i++)
		bytes += c->memory[i].bytes;
	return bytes;
}

static void say_choice(const struct choice *c)
{
	if (c->memories) {
		say(", ");
		say_size(bytes_of(c));
		say(" at ");
		say_hex(c->memory[0].base, 8);
	}
	if (c->irq) {
		say(", IRQ ");
		say_number(c->irq);
	}
}

/* What it asked for and did not get: each alternative takes as much. */
static void say_lack(const struct board *b, unsigned int function)
{
	unsigned int i;

	for (i = b->first; choices[i].function != function; i++)
		;
	say(", disabled: no place for its ");
	if (choices[i].memories)
		say_size(bytes_of(&choices[i]));
	else
		say("interrupt");
}

static void configure_board(const struct board *b, uint16_t base)
{
	const struct choice *chosen[MOST_FUNCTIONS];
	const unsigned int before = taken_used;
	unsigned int i, p;
	uint8_t value;

	outb(base + CONTROL, 0);
	for (i = 0; i < b->functions; i++) {
		chosen[i] = choose(b, i);
		if (!chosen[i]) {
			taken_used = before;
			say_lack(b, i);
			return;
		}
		for (p = 0; p < chosen[i]->memories; p++)
			take_memory(chosen[i]->memory[p].base, chosen[i]->memory[p].base + chosen[i]->memory[p].bytes - 1);
	}
	for (i = 0; i < b->functions; i++) {
		say_choice(chosen[i]);
		if (chosen[i]->irq)
			take_line(chosen[i]->irq);
	}
	for (p = 0; p < b->ports; p++) {
		for (i = 0, value = 0; i < b->functions; i++)
			value |= chosen[i]->value[p];
		outb(base + b->port[p], value);
	}
	if (!(inb(base + CONTROL) & ENABLE))
		say(", but it does not enable itself");
}

/* False: nothing is there. Bit 7 of the first byte is 0 on a board. */
static int read_id(uint16_t base, uint32_t *id)
{
	unsigned int i;

	outb(base + ID, 0xFF); /* the lines of an empty slot keep what was on them */
	for (i = 0, *id = 0; i < 4; i++)
		*id |= (uint32_t)inb(base + ID + i) << 8 * i;
	return !(*id & 0x80);
}

static void configure_slot(unsigned int slot)
{
	static const uint16_t decoded[] = { 0x000, 0x400, 0x800, 0xC00 };
	const uint16_t base = slot << 12;
	const struct range *other = 0;
	uint32_t id;
	unsigned int i;

	for (i = 0; i < SIZE_OF(decoded) && !other; i++)
		other = find(ports, ports_used, base + decoded[i], base + decoded[i] + 0xFF);
	if (other) {
		say_slot(slot);
		say("not looked at: PCI ");
		say_hex(other->owner >> 8, 2);
		bios_put(':');
		say_hex(other->owner >> 3 & 31, 2);
		bios_put('.');
		say_number(other->owner & 7);
		say(" has ports of it\r\n");
		return;
	}
	if (!read_id(base, &id))
		return;
	say_slot(slot);
	say_id(id);
	for (i = 0; i < SIZE_OF(boards) && boards[i].id != id; i++)
		;
	if (i < SIZE_OF(boards))
		configure_board(&boards[i], base);
	else
		say(", not known: as it was");
	say("\r\n");
}

void configure(void)
{
	unsigned int slot;

	say("EISA configuration\r\n");
	look_at_memory();
	look_at_pci();
	for (slot = 1; slot <= EISA_LAST_SLOT; slot++)
		configure_slot(slot);
}
