// SPDX-License-Identifier: GPL-2.0-or-later
//
// A configuration image of the card's XC4062XLA, or of the daughter board's XC4085XLA: what our designs keep
// in the frames of its container (hw/fpga/xc4000.h).
//
//   LoadedImage l = load_image(bytes, size, Board::kOne);   // as the FPGA takes it, a bit each CCLK
//   l.ok, l.image.design, l.clocks             // whether it is a design for this card; CCLKs that it took
//   pack(image), unpack(bytes)                 // the fields, as the frames have them (firmware/smile)
//
// Data (INFERRED; the real layout is not public, this one is ours): frame 0 identifies the design, frame 1
// holds its title. Bytes follow each other, each from bit 0 on; numbers are little endian.
//
//   frame 0   bytes 0-3   magic, "SMiL"
//                   4     design: 0 none (the PCI core alone), 1 static, 2 dynamic, 3 target (PCI core and PCI_Target, without F.R.L.)
//                   5     revision
//                   6-7   PCI vendor ID of the PCI core
//                   8-9   PCI device ID
//                   10-12 PCI class; the daughter board's FPGA has no PCI core, and 0 in these three
//   frame 1   bytes 0-63  title, ASCII; zeros follow it
//
// All other data bits are zeros that do nothing.
#pragma once

#include <array>
#include <cstdint>

#include "hw/fpga/xc4000.h"

namespace perfboard::smile {

inline constexpr const xc4000::Device& kFpga = xc4000::kXc4062xla;
inline constexpr const xc4000::Device& kDaughterFpga = xc4000::kXc4085xla;

// Whose FPGA: that of a card without a daughter board, that of a card with one, the daughter board's.
enum class Board : uint8_t { kOne, kCard, kDaughter };
constexpr const xc4000::Device& fpga_of(Board board) {
  return board == Board::kDaughter ? kDaughterFpga : kFpga;
}

inline constexpr uint32_t kImageMagic = 0x4c694d53;
inline constexpr uint32_t kIdentBytes = 13;
inline constexpr uint32_t kTitleBytes = 64;
using ImageBytes = std::array<uint8_t, kIdentBytes + kTitleBytes>;
inline constexpr int kNoByte = -1;

// Which of the bytes a frame's data bit i belongs to, as bit i % 8.
constexpr int image_byte(uint32_t frame, uint32_t i) {
  if (frame == 0 && i < 8 * kIdentBytes) return static_cast<int>(i / 8);
  if (frame == 1 && i < 8 * kTitleBytes) return static_cast<int>(kIdentBytes + i / 8);
  return kNoByte;
}
// Sets what that bit means; false: it means nothing.
constexpr bool set_image_bit(ImageBytes& bytes, uint32_t frame, uint32_t i) {
  const int at = image_byte(frame, i);
  if (at == kNoByte) return false;
  uint8_t& byte = bytes[static_cast<size_t>(at)];
  byte = static_cast<uint8_t>(byte | 1u << i % 8);
  return true;
}

// The card's PCI core: a design with another one would not come back at its place on the bus.
inline constexpr uint16_t kPciVendor = 0x133e;  // FACTS: H.O.T. II
inline constexpr uint16_t kPciDevice = 0x4000;
inline constexpr uint32_t kPciClass = 0x118000;  // INFERRED: data acquisition, other

struct Image {
  uint32_t magic = kImageMagic;
  uint8_t design = 0;  // enum smile_design
  uint8_t revision = 0;
  uint16_t vendor = kPciVendor, device = kPciDevice;
  uint32_t pci_class = kPciClass;
  std::array<char, kTitleBytes> title = {};
  bool daughter = false;  // for the XC4085XLA; no byte of the image, as its container says it

  void go_to_daughter() {
    daughter = true;
    vendor = device = 0;
    pci_class = 0;
  }
};

ImageBytes pack(const Image& image);
Image unpack(const ImageBytes& bytes);
// Whether the design is one for this FPGA.
bool image_fits(const Image& image, Board board);
// Whether there is an FPGA that it is one for.
bool image_fits(const Image& image);

struct LoadedImage {
  bool ok;          // DONE came, and the design is one for this FPGA
  uint32_t clocks;  // CCLKs until start-up was over, until a frame was wrong, or until the bytes were used up
  Image image;
};
LoadedImage load_image(const uint8_t* bytes, uint32_t size, Board board = Board::kOne);

}  // namespace perfboard::smile
