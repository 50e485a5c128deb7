// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace perfboard::smile {
namespace {

constexpr double kIntervals = 16;  // a mean is of about so many

}  // namespace

void NodeUsage::learn(unsigned hidden, unsigned fade) {
  for (unsigned node = 0; node < kNodes; ++node) {
    Use& use = use_[node];
    if (node == hidden) {
      use.accesses *= std::exp2(-1.0 / fade);
    } else {
      const double kept = std::min(use.intervals, kIntervals - 1);
      use.accesses = use.mean() * kept + static_cast<double>(now_[node]);
      use.intervals = kept + 1;
    }
  }
  now_.fill(0);
}

unsigned NodeUsage::most() const {
  const auto* best = std::max_element(use_.begin(), use_.end(),
                                      [](const Use& a, const Use& b) { return a.mean() < b.mean(); });
  return static_cast<unsigned>(best - use_.begin());
}

void PagePlacement::counted(uint64_t page, unsigned source, uint64_t count) {
  if (source < kNodes) pages_[page].use.counted(source, count);
}

std::vector<Move> PagePlacement::moves(const std::vector<uint8_t>& homes) {
  std::vector<Move> list;
  for (auto& [number, page] : pages_) {
    if (number >= homes.size() || homes[number] >= kNodes) continue;
    const unsigned home = homes[number];
    page.use.learn(home, options_.fade);
    if (page.rest) {
      --page.rest;
      continue;
    }
    const unsigned better = page.use.most();
    const double own = page.use.mean(home), there = page.use.mean(better);
    if (better == home || there <= own * (1 + options_.margin / 100) ||
        there - own < static_cast<double>(options_.least))
      continue;
    list.push_back({number, better});
    page.rest = options_.rest;
  }
  return list;
}

namespace {

constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

bool share_one(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int n) { return std::binary_search(b.begin(), b.end(), n); });
}

// The assignment problem by shortest augmenting paths. Each row and column has a price; a row's loss in a
// column is how far its gain there is below the two prices, never less than nothing. Pairs that are assigned
// lose nothing. A new row takes the way over assigned pairs to a free column on which least is lost.
class Assignment {
 public:
  explicit Assignment(const std::vector<std::vector<double>>& gain)
      : gain_(gain), row_price_(gain.size()), column_price_(gain.size()), row_of_(gain.size(), kNone) {
    for (size_t row = 0; row < gain.size(); ++row)
      row_price_[row] = *std::max_element(gain[row].begin(), gain[row].end());
  }

  void add(unsigned row) {
    const size_t n = gain_.size();
    std::vector<double> lost(n, std::numeric_limits<double>::infinity());  // on the way to a column
    std::vector<unsigned> before(n, kNone);                                // the column on the way to it
    std::vector<bool> done(n);
    double way = 0;
    unsigned column = kNone;  // where the way is; kNone: at its beginning
    for (unsigned at = row;; at = row_of_[column]) {
      for (unsigned c = 0; c < n; ++c) {
        if (done[c]) continue;
        const double here = way + row_price_[at] + column_price_[c] - gain_[at][c];
        if (here < lost[c]) {
          lost[c] = here;
          before[c] = column;
        }
      }
      column = kNone;
      for (unsigned c = 0; c < n; ++c)
        if (!done[c] && (column == kNone || lost[c] < lost[column])) column = c;
      way = lost[column];
      done[column] = true;
      if (row_of_[column] == kNone) break;
    }
    // So that what lies on the way loses nothing.
    row_price_[row] -= way;
    for (unsigned c = 0; c < n; ++c)
      if (done[c]) {
        column_price_[c] += way - lost[c];
        if (row_of_[c] != kNone) row_price_[row_of_[c]] -= way - lost[c];
      }
    for (; before[column] != kNone; column = before[column]) row_of_[column] = row_of_[before[column]];
    row_of_[column] = row;
  }

  std::vector<unsigned> columns() const {
    std::vector<unsigned> list(row_of_.size());
    for (unsigned c = 0; c < row_of_.size(); ++c) list[row_of_[c]] = c;
    return list;
  }

 private:
  const std::vector<std::vector<double>>& gain_;
  std::vector<double> row_price_, column_price_;
  std::vector<unsigned> row_of_;  // of each column
};

}  // namespace

std::vector<unsigned> assign(const std::vector<std::vector<double>>& gain) {
  Assignment assignment(gain);
  for (unsigned row = 0; row < gain.size(); ++row) assignment.add(row);
  return assignment.columns();
}

void ThreadPlacement::counted(unsigned source, unsigned home, uint64_t count) {
  if (source < at_.size() && home < at_.size()) at_[source].use.counted(home, count);
}

// Of threads that are all new on their node nothing is known: another part of the program, or another
// program.
void ThreadPlacement::look(const Threads& on) {
  for (unsigned node = 0; node < at_.size(); ++node) {
    Group& group = at_[node];
    if (!share_one(on[node], group.threads)) {
      group.use.forget();
      group.rest = 0;
    }
    group.threads = on[node];
    group.use.learn(node, options_.fade);
    if (group.threads.empty()) group.use.forget();  // others' accesses
  }
}

// The groups of these nodes, each at the next one's place, the last one at the first one's.
bool ThreadPlacement::worth(const std::vector<unsigned>& circle) const {
  double own = 0, there = 0;
  for (size_t i = 0; i < circle.size(); ++i) {
    own += at_[circle[i]].use.mean(circle[i]);
    there += at_[circle[i]].use.mean(circle[(i + 1) % circle.size()]);
  }
  return there > own * (1 + options_.margin / 100) && there - own >= static_cast<double>(options_.least);
}

std::vector<ThreadMove> ThreadPlacement::moves(const Threads& on) {
  look(on);
  std::vector<unsigned> nodes;  // whose groups may move
  for (unsigned node = 0; node < at_.size(); ++node)
    if (at_[node].rest)
      --at_[node].rest;
    else
      nodes.push_back(node);
  std::vector<std::vector<double>> gain(nodes.size(), std::vector<double>(nodes.size()));
  for (unsigned row = 0; row < nodes.size(); ++row)
    for (unsigned column = 0; column < nodes.size(); ++column)
      gain[row][column] =
          at_[nodes[row]].use.mean(nodes[column]) * (row == column ? 1 + options_.margin / 100 : 1);
  const std::vector<unsigned> better = assign(gain);
  std::vector<ThreadMove> list;
  const std::vector<Group> before = at_;
  std::vector<bool> done(nodes.size());
  for (unsigned first = 0; first < nodes.size(); ++first) {
    std::vector<unsigned> circle;
    for (unsigned row = first; !done[row]; row = better[row]) {
      done[row] = true;
      circle.push_back(nodes[row]);
    }
    if (circle.size() < 2 || !worth(circle)) continue;
    for (size_t i = 0; i < circle.size(); ++i) {
      const ThreadMove move{circle[i], circle[(i + 1) % circle.size()]};
      at_[move.to] = before[move.from];
      at_[move.to].rest = options_.rest;
      if (!at_[move.to].threads.empty()) list.push_back(move);
    }
  }
  return list;
}

}  // namespace perfboard::smile
