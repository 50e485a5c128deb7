// SPDX-License-Identifier: GPL-2.0-or-later
//
// What smile's commands work on: the adapter, monitors, a histogram; smilelib with destructors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "guest/common/failure.h"
#include "guest/smile/lib/smilelib.h"

namespace perfboard::smile {

class Adapter {
 public:
  Adapter() {
    if (sci_open(&sci_, nullptr)) throw system_failure(SCI_DEVICE);
  }
  ~Adapter() { sci_close(&sci_); }
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  const sci* get() const { return &sci_; }
  unsigned nodes() const { return sci_.info.nodes; }
  unsigned pages() const { return sci_.info.pages; }
  std::vector<uint8_t> homes() const;
  void set_home(unsigned page, unsigned home) const;

 private:
  sci sci_;
};

class Histogram {
 public:
  explicit Histogram(uint64_t unit_bytes);
  ~Histogram() { smile_histogram_free(h_); }
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  smile_histogram* get() const { return h_; }
  uint64_t total() const { return smile_histogram_total(h_); }
  uint64_t lost() const { return smile_histogram_lost(h_); }
  uint64_t unit_bytes() const { return 4ull * smile_histogram_unit_words(h_); }
  std::vector<smile_cell> hottest() const;
  void clear() { smile_histogram_clear(h_); }

 private:
  smile_histogram* h_;
};

// The monitors that the user named, or all.
class Cards {
 public:
  explicit Cards(const std::string& list);
  ~Cards() { smile_close_all(set_.get()); }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;

  std::vector<::smile*> all();
  size_t count() const { return set_->count; }
  // Load the design where it is not loaded yet.
  void need(uint32_t design);
  void load(const std::string& name);
  void dynamic(uint64_t range_bytes, uint32_t filter);
  void reset();
  void run(bool on);
  bool running() const;
  void collect(Histogram& h, bool swap);

 private:
  std::unique_ptr<smile_set> set_;
};

const char* design_name(uint32_t design);

}  // namespace perfboard::smile
