// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/smile/image.h"

#include <algorithm>

#include "hw/fpga/load.h"
#include "hw/model/bytes.h"
#include "hw/smile/smile.h"

namespace perfboard::smile {
namespace {

enum Place : uint32_t { kMagicAt = 0, kDesignAt = 4, kRevisionAt = 5, kIdAt = 6, kClassAt = 10 };

}  // namespace

ImageBytes pack(const Image& image) {
  ImageBytes bytes{};
  store_le32(&bytes[kMagicAt], image.magic);
  bytes[kDesignAt] = image.design;
  bytes[kRevisionAt] = image.revision;
  store_le32(&bytes[kIdAt], image.vendor | uint32_t{image.device} << 16);
  store_le32(&bytes[kClassAt], image.pci_class & 0xffffff);  // its fourth byte is the title's first
  std::copy(image.title.begin(), image.title.end(), bytes.begin() + kIdentBytes);
  return bytes;
}

Image unpack(const ImageBytes& bytes) {
  Image image;
  image.magic = load_le32(&bytes[kMagicAt]);
  image.design = bytes[kDesignAt];
  image.revision = bytes[kRevisionAt];
  image.vendor = static_cast<uint16_t>(load_le32(&bytes[kIdAt]));
  image.device = static_cast<uint16_t>(load_le32(&bytes[kIdAt]) >> 16);
  image.pci_class = load_le32(&bytes[kClassAt]) & 0xffffff;
  std::copy(bytes.begin() + kIdentBytes, bytes.end(), image.title.begin());
  return image;
}

bool image_fits(const Image& image, Board board) {
  const bool daughter = board == Board::kDaughter;
  if (image.magic != kImageMagic || image.daughter != daughter) return false;
  const bool core = image.vendor == kPciVendor && image.device == kPciDevice && image.pci_class == kPciClass;
  const bool no_core = !image.vendor && !image.device && !image.pci_class;
  switch (image.design) {
    case SMILE_NONE:
      return core && !daughter;
    case SMILE_STATIC:
    case SMILE_DYNAMIC:
      return daughter ? no_core : core && board == Board::kOne;
    default:
      return image.design == SMILE_TARGET && core && board == Board::kCard;
  }
}

bool image_fits(const Image& image) {
  return image_fits(image, Board::kOne) || image_fits(image, Board::kCard) ||
         image_fits(image, Board::kDaughter);
}

namespace {

template <const xc4000::Device& device>
LoadedImage load_into(const uint8_t* bytes, uint32_t size) {
  LoadedImage l{};
  ImageBytes data{};
  const auto take = [&data](uint32_t frame, uint32_t i, bool bit) {
    if (bit) set_image_bit(data, frame, i);
  };
  xc4000::Load load;
  xc4000::load_clear(&load);
  for (; l.clocks < 8 * size && !xc4000::load_stands(&load); ++l.clocks)
    xc4000::load_clock<device>(&load, bytes[l.clocks / 8] >> (7 - l.clocks % 8) & 1, take);
  l.image = unpack(data);
  l.ok = xc4000::load_active(&load);
  return l;
}

}  // namespace

LoadedImage load_image(const uint8_t* bytes, uint32_t size, Board board) {
  const bool daughter = board == Board::kDaughter;
  LoadedImage l = daughter ? load_into<kDaughterFpga>(bytes, size) : load_into<kFpga>(bytes, size);
  l.image.daughter = daughter;
  l.ok &= image_fits(l.image, board);
  return l;
}

}  // namespace perfboard::smile
