// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile's commands, and what the command line says, whatever the command.
#pragma once

#include <string>
#include <vector>

#include "guest/common/program.h"
#include "guest/smile/cmd/cards.h"
#include "guest/smile/cmd/words.h"

namespace perfboard::smile {

struct Words {
  std::string cards = "all";
  bool csv = false, no_swap = false, dry_run = false, threads = false;
  std::string design, unit = "4K", range = "256", filter = "sent", file, input = "-", event, timer_ns, names;
  unsigned rows = 10, count = 0;
  double interval = 1;
  unsigned buffer_kb = 4096;
  uint64_t least = 1;
  double percent = 50, margin = 25;
  unsigned rest = 2, fade = 256, pid = 0;
  std::vector<std::string> watches, command;
};

void info(const Words& w);
void load(const Words& w);
void start(const Words& w);
void stop(const Words& w);
void dump(const Words& w);
void top(const Words& w);
void event(const Words& w);
void advise(const Words& w);
void apply(const Words& w);
int run(const Words& w);  // the command's status, or 1 if records were lost
int watch(const Words& w);
int adapt(const Words& w);
int timeline(const Words& w);

// The dynamic design, as the options have it, at its beginning. Not running.
void program_dynamic(Cards& cards, const Words& w);
void show_hottest(const Histogram& h, unsigned rows, const Names& names);
// What --names says; without it no names.
Names names_of(const Words& w);
// The histogram by names. As CSV: name,source,destination,count.
Shares shares_of(const Histogram& h, const Names& names);
void show_shares(const Histogram& h, const Names& names);
std::string shares_csv(const Histogram& h, const Names& names);
void warn_of_loss(uint64_t lost);  // a line on standard error, if there was any

// Runs the words; in the meantime `ready` is called whenever one of the descriptors is readable. 128 + n:
// ended by signal n; 126, 127: it did not start. With a follower (cards.h) it follows.
int run_program(const std::vector<std::string>& words, const std::vector<int>& descriptors,
                void (*ready)(void*, size_t), void* context, Follower* follower = nullptr);

}  // namespace perfboard::smile
