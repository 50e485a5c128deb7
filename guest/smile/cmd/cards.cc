// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/cards.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <iterator>

#include "guest/common/ranges.h"

namespace perfboard::smile {
namespace {

constexpr const char* kDesigns[] = {"none", "static", "dynamic"};

Failure card_failure(const ::smile& card, const char* what) {
  return system_failure(fmt::format("{}: {}", card.device, what));
}

}  // namespace

const char* design_name(uint32_t design) { return design < std::size(kDesigns) ? kDesigns[design] : "?"; }

std::vector<uint8_t> Adapter::homes() const {
  std::vector<uint8_t> homes(pages());
  if (sci_get_homes(&sci_, 0, pages(), homes.data())) throw system_failure("homes");
  return homes;
}

void Adapter::set_home(unsigned page, unsigned home) const {
  if (sci_set_home(&sci_, page, home)) throw system_failure(fmt::format("page {} to node {}", page, home));
}

Histogram::Histogram(uint64_t unit_bytes) {
  h_ = unit_bytes % 4 || unit_bytes / 4 > UINT32_MAX
           ? nullptr
           : smile_histogram_new(static_cast<unsigned>(unit_bytes / 4));
  if (!h_) throw Misuse(fmt::format("--unit {}: legal are powers of two from 4", unit_bytes));
}

std::vector<smile_cell> Histogram::hottest() const {
  size_t count;
  smile_cell* const cells = smile_histogram_hottest(h_, &count);
  if (!cells && errno) throw system_failure("histogram");
  const std::unique_ptr<smile_cell, decltype(&std::free)> owner(cells, &std::free);
  return {cells, cells + count};
}

Cards::Cards(const std::string& list) : set_(std::make_unique<smile_set>()) {
  if (smile_open_all(set_.get())) throw system_failure("/dev/smile*");
  if (list == "all") return;
  const List wanted("--card", list, SMILE_CARDS - 1);
  unsigned kept = 0;
  for (unsigned n = 0; n < set_->count; ++n) {
    if (wanted.has(set_->card[n].info.index))
      set_->card[kept++] = set_->card[n];
    else
      smile_close(&set_->card[n]);
  }
  set_->count = kept;
  if (!kept) throw Failure(fmt::format("--card {}: there is no such monitor", list));
}

std::vector<::smile*> Cards::all() {
  std::vector<::smile*> cards;
  for (unsigned n = 0; n < set_->count; ++n) cards.push_back(&set_->card[n]);
  return cards;
}

namespace {

// The driver cannot load what is on a daughter board.
Failure load_failure(const ::smile& card, const char* what) {
  if (errno != EOPNOTSUPP || !card.info.daughter) return card_failure(card, what);
  return Failure(fmt::format(
      "{}: {}: the design is on the daughter board ({} is there): exchange it over the board's cable",
      card.device, what, design_name(card.info.design)));
}

}  // namespace

void Cards::load(const std::string& name) {
  for (::smile* card : all())
    if (smile_load_design(card, name.c_str()))
      throw load_failure(*card, name.empty() ? "initial" : name.c_str());
}

void Cards::need(uint32_t design) {
  for (::smile* card : all())
    if (card->info.design != design && smile_load_design(card, design_name(design)))
      throw load_failure(*card, design_name(design));
}

void Cards::dynamic(uint64_t range_bytes, uint32_t filter) {
  for (::smile* card : all())
    if (smile_set_dynamic(card, static_cast<uint32_t>(range_bytes / 4), filter))
      throw card_failure(*card, "range and filter");
}

void Cards::reset() {
  for (::smile* card : all())
    if (smile_reset(card)) throw card_failure(*card, "reset");
}

void Cards::run(bool on) {
  if (smile_run_all(set_.get(), on)) throw system_failure(on ? "start" : "stop");
}

bool Cards::running() const {
  for (unsigned n = 0; n < set_->count; ++n)
    if (set_->card[n].info.running) return true;
  return false;
}

void Cards::collect(Histogram& h, bool swap) {
  for (::smile* card : all())
    if (swap ? smile_collect(card, h.get()) : smile_histogram_read(h.get(), card))
      throw card_failure(*card, "records");
}

namespace {

// The lower half of a call's second argument: an ioctl's number.
constexpr uint32_t kCommandAt =
    offsetof(seccomp_data, args[1]) + (std::endian::native == std::endian::big ? 4 : 0);

bool read_all(int fd, void* to, size_t bytes, uint64_t from) {
  return pread(fd, to, bytes, static_cast<off_t>(from)) == static_cast<ssize_t>(bytes);
}

}  // namespace

Follower::Follower(Cards& cards, const Adapter& adapter, const std::vector<smile_watch>& watches)
    : cards_(cards), adapter_(adapter), watches_(watches), homes_(adapter.homes()) {}

int Follower::listen() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCommandAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SCI_IOC_SET_HOMES, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {static_cast<unsigned short>(std::size(code)), code};
  const auto install = [&] {
    return static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
  };
  const int listener = install();
  // Who is not root must promise that the program gets no more rights than it has.
  if (listener >= 0 || errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return listener;
  return install();
}

void Follower::serve(int listener) {
  seccomp_notif call = {};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) return;  // it has been killed
  const int program = open(fmt::format("/proc/{}/mem", call.pid).c_str(), O_RDONLY | O_CLOEXEC);
  // The number still is that process's.
  if (program >= 0 && !ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id))
    follow(program, call.data.args[2]);
  if (program >= 0) close(program);
  seccomp_notif_resp answer = {
      .id = call.id, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

// What the driver will refuse changes nothing.
void Follower::follow(int program, uint64_t argument) {
  sci_homes h;
  if (!read_all(program, &h, sizeof h, argument) || h.first > homes_.size() ||
      h.count > homes_.size() - h.first)
    return;
  std::vector<uint8_t> homes(h.count);
  if (!read_all(program, homes.data(), homes.size(), h.homes) ||
      std::any_of(homes.begin(), homes.end(), [&](uint8_t home) { return home >= adapter_.nodes(); }))
    return;
  std::copy(homes.begin(), homes.end(), homes_.begin() + h.first);
  for (::smile* card : cards_.all())
    if (smile_watch_follow(card, watches_.data(), watches_.size(), h.first, h.count, homes.data()))
      throw system_failure(card->device);
}

std::vector<std::string> Follower::moved() const {
  const std::vector<uint8_t> now = adapter_.homes();
  std::vector<std::string> lines;
  for (const smile_watch& w : watches_)
    for (uint64_t page = w.offset / SCI_PAGE_BYTES; page < w.offset / SCI_PAGE_BYTES + w.count; ++page)
      if (now[page] != homes_[page]) {
        lines.push_back(fmt::format("{}: page {} has moved from node {} to node {} unseen", w.name, page,
                                    homes_[page], now[page]));
        break;
      }
  return lines;
}

}  // namespace perfboard::smile
