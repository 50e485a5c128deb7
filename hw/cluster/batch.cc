// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/batch.h"

#include <cstring>

namespace perfboard::cluster {
namespace {

struct Head {
  uint32_t sum, bytes;  // of the whole batch
  uint64_t number;
  uint32_t messages, pages;
  uint32_t quiet_hosts;  // 0: there is no Quiet
  uint32_t flags;        // 1: the last one
};

// In front of a message's data, and then up to 7 bytes of 0.
struct Record {
  uint64_t at;
  uint32_t from, to, kind, bytes;
  uint32_t flags;  // 1: asks, 2: answers
  uint32_t zero;
};
static_assert(sizeof(Head) == 32 && sizeof(Record) == 32 && sizeof(Page) == 32 && sizeof(Hello) == 32);

constexpr size_t quiet_bytes(uint32_t hosts) { return hosts ? 16 + size_t{16} * hosts : 0; }

uint32_t sum_of(const uint8_t* batch, size_t bytes) {
  return add_to_sum(kSumOfNothing, batch + sizeof(Head::sum), bytes - sizeof(Head::sum));
}

}  // namespace

std::string wrong_hello(const Bytes& bytes, const Hello& own, uint32_t host) {
  Hello h;
  if (bytes.size() != sizeof h) return "is no carrier, or another version's";
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.magic != own.magic || h.message_bytes != own.message_bytes) return "is another version's";
  const auto differs = [](const char* name, uint64_t its, uint64_t ours) {
    return std::string("has ") + name + "=" + std::to_string(its) + ", here it is " + std::to_string(ours);
  };
  if (h.nodes != own.nodes) return differs("nodes", h.nodes, own.nodes);
  if (h.hosts != own.hosts) return differs("hosts", h.hosts, own.hosts);
  if (h.host != host) return differs("host", h.host, host);
  if (h.join != own.join) return differs("join", h.join, own.join);
  return "";
}

Bytes hello_bytes(const Hello& hello) {
  const uint8_t* const at = reinterpret_cast<const uint8_t*>(&hello);
  return Bytes(at, at + sizeof hello);
}

void BatchWriter::clear() {
  bytes_.assign(sizeof(Head), 0);
  messages_ = pages_ = quiet_hosts_ = 0;
}

void BatchWriter::add(const void* at, size_t n) {
  const uint8_t* const from = static_cast<const uint8_t*>(at);
  bytes_.insert(bytes_.end(), from, from + n);
  bytes_.resize(bytes_.size() - n + whole_words(static_cast<uint32_t>(n)));
}

void BatchWriter::message(const ClusterMessage& m) {
  const Record r = {.at = m.at,
                    .from = m.from,
                    .to = m.to,
                    .kind = m.kind,
                    .bytes = m.bytes,
                    .flags = uint32_t{m.asks} | uint32_t{m.answers} << 1,
                    .zero = 0};
  add(&r, sizeof r);
  add(m.data, m.bytes);
  messages_++;
}

void BatchWriter::page(const Page& p) {
  add(&p, sizeof p);
  pages_++;
}

void BatchWriter::quiet(const Quiet& q, uint32_t hosts) {
  add(&q.is, sizeof q.is);
  add(&q.alone, sizeof q.alone);
  add(q.came, sizeof q.came[0] * hosts);
  add(q.went, sizeof q.went[0] * hosts);
  quiet_hosts_ = hosts;
}

Bytes BatchWriter::finish(uint64_t number, bool last) {
  Head h = {.sum = 0,
            .bytes = static_cast<uint32_t>(bytes_.size()),
            .number = number,
            .messages = messages_,
            .pages = pages_,
            .quiet_hosts = quiet_hosts_,
            .flags = last};
  std::memcpy(bytes_.data(), &h, sizeof h);
  h.sum = sum_of(bytes_.data(), bytes_.size());
  std::memcpy(bytes_.data(), &h, sizeof h);
  Bytes done = std::move(bytes_);
  clear();
  return done;
}

bool BatchReader::open(const Bytes& bytes, uint64_t number) {
  Head h;
  if (bytes.size() < sizeof h || bytes.size() > kMostBatch) return false;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (h.bytes != bytes.size() || h.number != number || h.pages > kMostNodes || h.quiet_hosts > kMostHosts ||
      h.flags > 1 || h.sum != sum_of(bytes.data(), bytes.size()))
    return false;
  const uint8_t *at = bytes.data() + sizeof h, *const end = bytes.data() + bytes.size();
  at_ = at;
  for (uint32_t i = 0; i < h.messages; i++) {
    Record r;
    if (static_cast<size_t>(end - at) < sizeof r) return false;
    std::memcpy(&r, at, sizeof r);
    at += sizeof r;
    if (r.bytes > kMostBytes || r.flags > 2 || static_cast<size_t>(end - at) < whole_words(r.bytes))
      return false;
    at += whole_words(r.bytes);
  }
  if (static_cast<size_t>(end - at) != h.pages * sizeof(Page) + quiet_bytes(h.quiet_hosts)) return false;
  messages_ = h.messages;
  last_ = h.flags;
  pages_.resize(h.pages);
  if (h.pages) std::memcpy(pages_.data(), at, h.pages * sizeof(Page));
  at += h.pages * sizeof(Page);
  quiet_ = {};
  if (!h.quiet_hosts) return true;
  std::memcpy(&quiet_.is, at, 8);
  std::memcpy(&quiet_.alone, at + 8, 8);
  std::memcpy(quiet_.came, at + 16, size_t{8} * h.quiet_hosts);
  std::memcpy(quiet_.went, at + 16 + size_t{8} * h.quiet_hosts, size_t{8} * h.quiet_hosts);
  return true;
}

bool BatchReader::message(ClusterMessage& m) {
  if (!messages_) return false;
  messages_--;
  Record r;
  std::memcpy(&r, at_, sizeof r);
  std::memcpy(m.data, at_ + sizeof r, r.bytes);
  at_ += sizeof r + whole_words(r.bytes);
  m.at = r.at;
  m.from = r.from;
  m.to = r.to;
  m.kind = r.kind;
  m.bytes = r.bytes;
  m.asks = r.flags & 1;
  m.answers = r.flags & 2;
  return true;
}

}  // namespace perfboard::cluster
