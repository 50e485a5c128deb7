// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/shrimp/sni.h"

bool sni_config_ok(const SniConfig *, char *, uint32_t) { return true; }
void sni_init(SniBoard *b, const SniConfig *config, const PbHost *host) {
  b->config = *config;
  b->host = *host;
  sni_power_on(b);
}
void sni_power_on(SniBoard *b) { b->state = SniState{}; }
void sni_bus_reset(SniBoard *b) { sni_power_on(b); }
uint32_t sni_io_read(SniBoard *, uint32_t, uint32_t) { return 0xffffffff; }
void sni_io_write(SniBoard *, uint32_t, uint32_t, uint32_t) {}
uint32_t sni_reg_read(SniBoard *, uint32_t, uint32_t) { return 0xffffffff; }
void sni_reg_write(SniBoard *, uint32_t, uint32_t, uint32_t) {}
void sni_bus_write(SniBoard *, uint64_t, uint64_t, const uint8_t *, uint32_t) {}
void sni_bus_read(SniBoard *, uint64_t, uint64_t) {}
SniWants sni_wants(const SniBoard *) { return SNI_WANTS_NOTHING; }
bool sni_page_mapped(const SniBoard *, uint64_t) { return false; }
void sni_timer(SniBoard *) {}
bool sni_pop_delivery(SniBoard *, uint64_t, SniDelivery *) { return false; }
void sni_delivered(SniBoard *, const SniDelivery *, bool) {}
void sni_post_load(SniBoard *) {}
uint64_t sni_clock(const SniBoard *, uint64_t) { return 0; }
void sni_set_clock(SniBoard *, uint64_t) {}
bool sni_enabled(const SniBoard *) { return false; }
uint32_t sni_window(const SniBoard *) { return 0; }
int sni_irq_number(const SniBoard *) { return -1; }
