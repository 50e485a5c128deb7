// SPDX-License-Identifier: GPL-2.0-or-later
//
// A simulator of somebody else's with a SurfBoard in it, compiled with what pkg-config says of
// perfboard-models. Prints its product ID, how many registers its view has, and what the register that
// HTCR.TEN is in holds after a write.
#include <hw/model/host.h>
#include <hw/model/view.h>
#include <hw/surfboard/surfboard.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<uint8_t> trace(4u << 20), histogram(4u << 20);
  SurfConfig config{};
  config.trace_bytes = config.hist_bytes = 4u << 20;
  config.trace = trace.data();
  config.hist = histogram.data();
  config.product_id = 0x01234567;
  config.wrote = [](void*, enum surf_memory, uint32_t, uint32_t) {};
  config.watch_memory = [](void*, bool) {};
  config.remap = [](void*) {};
  config.ext_drive = [](void*, bool) {};
  PbHost host{};
  host.now = [](void*) { return uint64_t{0}; };
  host.set_irq = [](void*, bool) {};
  host.arm = [](void*, uint64_t) {};
  host.dma_read = [](void*, uint64_t, void*, uint32_t) { return false; };
  host.dma_write = [](void*, uint64_t, const void*, uint32_t) { return false; };
  host.log = [](void*, enum pb_log_kind, const char*) {};

  auto* board = new SurfBoard();
  surf_init(board, &config, &host);
  surf_io_write(board, 0xC84, 1, 4);
  const auto& view = *static_cast<const perfboard::BoardView*>(surf_board_view());
  const perfboard::Place place = view.place(board, 1, 0x20);
  std::printf("%08x %s %s\n", surf_io_read(board, 0xC80, 4), std::string(view.board).c_str(),
              std::string(place.reg ? place.reg->name : "-").c_str());
  delete board;
}
