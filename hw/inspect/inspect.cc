// SPDX-License-Identifier: GPL-2.0-or-later
//
// inspect.h: the inspectors of the machine's boards, and what log= makes of what they tell.
#include "hw/inspect/inspect.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hw/inspect/coverage_file.h"
#include "hw/inspect/inspector.h"
#include "hw/inspect/log_file.h"
#include "hw/inspect/text.h"

namespace perfboard::inspect {
namespace {

// Of the machine's boards; it is there for as long as the process.
std::vector<const Inspector*>& inspectors() {
  static auto* const all = new std::vector<const Inspector*>;
  return *all;
}

bool one_of_several(const Who& who) {
  const auto same = [&](const Inspector* other) { return other->who().board == who.board; };
  return std::count_if(inspectors().begin(), inspectors().end(), same) > 1;
}

void write_coverage() {
  std::string wrong;
  if (!coverage_files().write(wrong))
    std::fprintf(stderr, "perfboard: coverage is not written: %s\n", wrong.c_str());
}

bool tell_why(const std::string& text, char* why, size_t why_size) {
  const size_t n = std::min(text.size(), why_size - 1);
  std::memcpy(why, text.data(), n);
  why[n] = 0;
  return false;
}

}  // namespace

// One board's lines in a log.
class BoardLog final : public Listener, public LogFile::Board {
 public:
  BoardLog(const Inspector& inspector, LogFile* file) : inspector_(inspector), file_(file) { file_->join(); }
  ~BoardLog() { file_->leave(); }
  void access(const Access& a) override { put(a); }
  void event(const Event& e) override { put(e); }

  std::string line(const OwnedAccess& told, const Run& run, LogFile::Format format,
                   uint64_t number) const override {
    const Who& who = inspector_.who();
    std::string line;
    const auto write = [&](const auto& what) {
      line = format == LogFile::kJson ? json_of(who, what, number, run)
                                      : text_of(who, one_of_several(who), what) + text_of(run);
    };
    told.tell(write, write);
    return line;
  }

 private:
  template <typename What>
  void put(const What& what) {
    if (inspector_.filter().keeps(inspector_.who(), what)) file_->put(this, OwnedAccess(what));
  }

  const Inspector& inspector_;
  LogFile* const file_;
};

}  // namespace perfboard::inspect

struct PbInspect {
  perfboard::inspect::Inspector inspector;
  std::unique_ptr<perfboard::inspect::BoardLog> log;
  perfboard::inspect::CoverageFile* covered = nullptr;
  perfboard::inspect::Coverage* coverage = nullptr;
};

using namespace perfboard::inspect;

PbInspect* pb_inspect_new(const PbInspectBoard* board) {
  auto* const in = new PbInspect{.inspector = Inspector(*board)};
  inspectors().push_back(&in->inspector);
  return in;
}

void pb_inspect_leave(PbInspect* in) {
  in->inspector.look_away();
  in->log.reset();
  if (in->covered) {
    in->covered->remove(in->coverage);
    write_coverage();
    in->covered = nullptr;
  }
  std::erase(inspectors(), &in->inspector);
}

void pb_inspect_free(PbInspect* in) {
  pb_inspect_leave(in);
  delete in;
}

bool pb_inspect_log(PbInspect* in, const char* file, const char* format, uint64_t size, char* why,
                    size_t why_size) {
  const std::string kind = format ? format : "text";
  std::string wrong;
  if (kind != "text" && kind != "json")
    return tell_why("log-format=" + kind + ": legal are text and json", why, why_size);
  if (size && (size < PB_INSPECT_LOG_LEAST || size > PB_INSPECT_LOG_MOST)) {
    return tell_why("log-size=" + std::to_string(size) + ": legal are 64K to 1024T, or 0: no limit", why,
                    why_size);
  }
  LogFile* const log = open_log(
      file, {kind == "json" ? LogFile::kJson : LogFile::kText, size, in->inspector.board().log}, wrong);
  if (!log) return tell_why(wrong, why, why_size);
  in->log = std::make_unique<BoardLog>(in->inspector, log);
  in->inspector.add(in->log.get());
  return true;
}

bool pb_inspect_filter(PbInspect* in, const char* patterns, char* why, size_t why_size) {
  std::string wrong;
  auto filter = parse_filter(patterns ? patterns : "", in->inspector.who(), wrong);
  if (!filter) return tell_why("log-filter=" + std::string(patterns) + ": " + wrong, why, why_size);
  in->inspector.set_filter(std::move(*filter));
  return true;
}

static std::optional<Pattern> known_pattern(const PbInspect* in, const char* text, std::string& wrong) {
  auto parsed = parse_pattern(text, wrong);
  return parsed && pattern_known(*parsed, in->inspector.who(), wrong) ? parsed : std::nullopt;
}

bool pb_inspect_break(PbInspect* in, const char* pattern, char* why, size_t why_size) {
  if (!pattern || !*pattern) {
    in->inspector.set_break({});
    return true;
  }
  std::string wrong;
  auto parsed = known_pattern(in, pattern, wrong);
  if (!parsed) return tell_why("break=" + std::string(pattern) + ": " + wrong, why, why_size);
  in->inspector.set_break(std::move(parsed));
  return true;
}

PbInspectAwait* pb_inspect_await(PbInspect* in, const char* pattern, void (*come)(void* opaque, uint64_t ns),
                                 void* opaque, char* why, size_t why_size) {
  std::string wrong;
  auto parsed = known_pattern(in, pattern, wrong);
  if (!parsed) {
    tell_why(wrong, why, why_size);
    return nullptr;
  }
  return reinterpret_cast<PbInspectAwait*>(in->inspector.await(std::move(*parsed), come, opaque));
}

void pb_inspect_await_on(PbInspect* in, PbInspectAwait* await, bool on) {
  in->inspector.await(reinterpret_cast<Inspector::Await*>(await), on);
}

bool pb_inspect_recent(PbInspect* in, uint32_t n, char* why, size_t why_size) {
  if (n > PB_INSPECT_MOST_RECENT) {
    return tell_why(
        "recent=" + std::to_string(n) + ": legal are 0 to " + std::to_string(PB_INSPECT_MOST_RECENT), why,
        why_size);
  }
  in->inspector.set_recent(n);
  return true;
}

bool pb_inspect_coverage(PbInspect* in, const char* file, char* why, size_t why_size) {
  const PbInspectBoard& board = in->inspector.board();
  std::string wrong;
  if (!in->inspector.view())
    return tell_why("coverage=" + std::string(file) + ": this board has no list of registers", why, why_size);
  CoverageFile* const kept = coverage_files().open(file, wrong);
  Coverage* const coverage =
      kept ? kept->add(*in->inspector.view(), {board.model, board.now, board.lock, board.opaque}, wrong)
           : nullptr;
  if (!coverage) return tell_why("coverage=" + wrong, why, why_size);
  in->inspector.add(coverage);
  in->covered = kept;
  in->coverage = coverage;
  return true;
}

bool pb_inspect_looking(const PbInspect* in) { return in->inspector.looking(); }
bool pb_inspect_may_break(const PbInspect* in) { return in->inspector.may_break(); }
bool pb_inspect_breaks(PbInspect* in, const PbInspectAccess* access) { return in->inspector.breaks(*access); }
void pb_inspect_begin(PbInspect* in, const PbInspectAccess* access) { in->inspector.begin(*access); }
void pb_inspect_end(PbInspect* in, uint64_t value) { in->inspector.end(value); }
void pb_inspect_given_up(void) { Inspector::given_up(); }

void pb_inspect_effect(PbInspect* in, unsigned number, uint64_t value) {
  in->inspector.tell(What::kEffect, number, value);
}

void pb_inspect_mistake(PbInspect* in, unsigned number, const char* line) {
  in->inspector.tell(What::kMistake, number, 0, line);
}

void pb_inspect_irq(PbInspect* in, bool level) { in->inspector.tell(What::kIrq, 0, level); }
void pb_inspect_reset(PbInspect* in) { in->inspector.tell(What::kReset, 0, 0); }

void pb_inspect_injected(PbInspect* in, const char* property, uint64_t value) {
  if (!in->inspector.view()) return;
  const auto rows = in->inspector.view()->injections;
  for (uint32_t n = 0; n < rows.size(); ++n) {
    if (rows[n].name == property) in->inspector.tell(What::kInjected, n, value);
  }
}

void pb_inspect_flush(void) {
  flush_logs();
  write_coverage();
}

char* pb_inspect_registers(PbInspect* in, uint64_t ns, bool irq) {
  return strdup(in->inspector.registers(ns, irq).c_str());
}

char* pb_inspect_unserviced_irq(PbInspect* in, uint64_t ns) {
  return strdup(in->inspector.pending(ns).c_str());
}
