// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/scale/row.h"

#include <time.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "hw/cluster/segment.h"
#include "tests/bench/scale/node.h"

namespace perfboard::scale {
namespace {

// Kilobytes of /proc/self/status, as bytes.
uint64_t memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":"))
      return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  return 0;
}
uint64_t cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}
uint64_t own_memory() { return memory("RssAnon"); }
uint64_t shared_memory() { return memory("RssShmem") + memory("RssFile"); }

}  // namespace

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

Row row_of(const Options& o, Pattern& pattern) {
  constexpr const char* kPatterns[] = {"neighbour", "random", "one", "none", "idle"};
  const std::string& name = o.text("pattern");
  const auto found = std::find(std::begin(kPatterns), std::end(kPatterns), name);
  if (found == std::end(kPatterns))
    fail("pattern=" + name + ": legal are neighbour, random, one, none and idle");
  pattern = static_cast<Pattern>(found - std::begin(kPatterns));
  return {.network = kNetwork.name,
          .pattern = name,
          .nodes = o.number("nodes", 2, kNetwork.most_nodes),
          .hosts = 1,
          .threads = 1,
          .us = o.number("us", 1, 1'000'000'000)};
}

Options::Options(int argc, char** argv, const std::string& defaults) {
  std::istringstream words(defaults);
  for (std::string word; words >> word;) take(word, true);
  for (int i = 1; i < argc; i++) take(argv[i], false);
}

void Options::take(const std::string& word, bool is_default) {
  const size_t at = word.find('=');
  const std::string name = word.substr(0, at);
  if (at == word.npos || (!is_default && !values_.contains(name))) {
    std::fprintf(stderr, "unknown option '%s'; legal are", word.c_str());
    for (const auto& [known, value] : values_) std::fprintf(stderr, " %s=%s", known.c_str(), value.c_str());
    std::fputc('\n', stderr);
    std::exit(2);
  }
  values_[name] = word.substr(at + 1);
}

uint32_t Options::number(const std::string& name, uint32_t low, uint32_t high) const {
  const std::string& text = values_.at(name);
  char* end;
  const unsigned long value = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end || value < low || value > high) {
    std::fprintf(stderr, "%s=%s: legal range is %u to %u\n", name.c_str(), text.c_str(), low, high);
    std::exit(2);
  }
  return static_cast<uint32_t>(value);
}

void print(const Row& r) {
  std::printf(
      "network,pattern,nodes,hosts,threads,us,events,promises,ns,cpu_ns,own_bytes,shared_bytes,hash\n"
      "%s,%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
      ",%016" PRIx64 "\n",
      r.network.c_str(), r.pattern.c_str(), r.nodes, r.hosts, r.threads, r.us, r.events, r.promises, r.ns,
      r.cpu_ns, r.own_bytes, r.shared_bytes, r.hash);
}

Meter::Meter() : own_(own_memory()), shared_(shared_memory()) {}

void Meter::start() {
  began_ns_ = cluster::host_ns();
  began_cpu_ns_ = cpu_ns();
}

void Meter::stop(Row& row) {
  row.ns += cluster::host_ns() - began_ns_;
  row.cpu_ns += cpu_ns() - began_cpu_ns_;
  row.own_bytes += own_memory() - own_;
  row.shared_bytes += shared_memory() - shared_;
}

}  // namespace perfboard::scale
