// SPDX-License-Identifier: GPL-2.0-or-later
// p2run - counts one command, as `perf stat` prints.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/monitor.h"
#include "guest/power2/cmd/rules.h"
#include "guest/power2/cmd/segment.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

struct Words {
  Choice choice;
  std::string scope = "private", output, imr, opcodes;
  bool children = false, alone = false, csv = false;
  unsigned repeat = 1;
  std::vector<std::string> command, segments;
};

// Of an event's count, the worst run's.
struct Worth {
  double share = 1, spread = 0;  // of the cycles; Turns
};

struct Result {
  std::vector<Statistics> counts, elapsed{1}, seconds{1};
  std::vector<Worth> worth;
  double running = 100, user = 0, system = 0;
  int status = 0;
};

uint32_t scope_of(const std::string& scope) {
  return scope == "system" ? P2_SYSTEM : scope == "marked" ? P2_MARKED : P2_PRIVATE;
}

// Whether what the command starts counts, too: of the marked it does, as a child has its parent's MSR.
bool with_children(const Words& w) { return w.scope == "marked" ? !w.alone : w.children; }

// A thousand's comma.
std::string grouped(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (size_t i = text.size(); i > 3 && text[i - 4] != '-'; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

// The command as one would type it.
std::string typed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&;|<>()*?#") == word.npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

// Sets as the scope needs them: the paper's way lets marked processes alone count.
std::vector<p2_set> scoped(const Words& w, const Monitor& monitor, std::vector<p2_set> sets) {
  uint32_t imr = 0;
  if (!w.imr.empty()) {
    const auto opcodes = parse_opcodes("--imr", w.imr, monitor.info().flags & P2_INFO_POWER);
    if (opcodes.size() != 1) throw Misuse("--imr: one instruction; --opcodes takes a list");
    imr = opcodes[0].imr;
  }
  for (p2_set& set : sets) {
    if (w.scope == "marked") set.mmcr |= P2_MMCR_DMR;
    set.imr = imr;
  }
  return sets;
}

// The command once, under these sets; the monitor keeps what they have counted.
Ending run_under(const Words& w, Monitor& monitor, Program& program, const std::vector<p2_set>& sets,
                 uint64_t period_ns) {
  p2_open how{};
  how.scope = scope_of(w.scope);
  how.flags = how.scope == P2_SYSTEM ? P2_STOPPED : P2_ON_EXEC;
  if (how.scope == P2_PRIVATE && w.children) how.flags |= P2_CHILDREN;
  if (how.scope == P2_MARKED && w.alone) how.flags |= P2_ALONE;
  how.pid = program.pid();
  how.period_ns = sets.size() > 1 ? period_ns : 0;
  monitor.begin(how, sets);
  for (const std::string& text : w.segments) {
    const Segment segment = parse_segment(text, w.command[0]);
    const int file = open(segment.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw system_failure(segment.file);
    if (p2_watch_segment(&monitor.session(), file, segment.entry, segment.exits.data(), segment.exits.size()))
      throw system_failure("--segment " + text + (errno == EPERM ? " (a trap needs CAP_PERFMON)" : ""));
    close(file);
  }
  if (how.scope == P2_SYSTEM) monitor.enable();
  program.go();
  const Ending ending = program.wait();
  monitor.disable();
  return ending;
}

void note_worth(const Monitor& monitor, const Turns& turns, const Plan& plan, const p2_counts& counts,
                Result& result) {
  for (size_t i = 0; i < plan.events.size(); i++) {
    p2_value v;
    if (p2_value_of(&monitor.session(), nullptr, &counts, plan.events[i].c_str(), &v) || !v.all_cycles)
      continue;
    Worth& worth = result.worth[i];
    worth.share = std::min(worth.share, static_cast<double>(v.cycles) / static_cast<double>(v.all_cycles));
    worth.spread = std::max(worth.spread, turns.spread(monitor.session(), nullptr, counts, plan.events[i]));
  }
}

Sample run_once(const Words& w, const Plan& plan, Result& result) {
  Monitor monitor(w.choice.device);
  Program program(w.command);
  const Turns turns(scoped(w, monitor, plan.sets));
  const Ending ending = run_under(w, monitor, program, turns.sets(), plan.period_ns);
  const p2_counts counts = monitor.counts();
  note_worth(monitor, turns, plan, counts, result);
  Sample sample = sample_of(monitor, plan.events, nullptr, counts);
  sample.time = now();
  sample.elapsed = ending.elapsed;
  sample.pid = program.pid();
  sample.command = w.command[0].substr(w.command[0].rfind('/') + 1);
  result.user = ending.user;
  result.system = ending.system;
  if (ending.status) result.status = ending.status;
  return sample;
}

// Of what was counted in turns.
std::string worth_text(const Worth& worth) {
  if (worth.share >= 1) return "";
  const std::string spread =
      std::isinf(worth.spread) ? "spread not known" : fmt::format("+- {:.2f} %", 100 * worth.spread);
  return fmt::format(" ( {:.1f} % of the cycles, {} )", 100 * worth.share, spread);
}

// One line, or nothing.
std::string useless(const Plan& plan, const Result& r) {
  std::string names;
  for (size_t i = 0; i < plan.events.size(); i++)
    if (r.counts[i].n() && r.worth[i].spread > kMostSpread)
      names += (names.empty() ? "" : ", ") + plan.events[i];
  if (names.empty()) return names;
  return fmt::format(
      "Not to be used, spread above {:.0f} % or not known: {}. Let the command run longer, count fewer "
      "events "
      "at once (-e), or take shorter turns (--period).\n",
      100 * kMostSpread, names);
}

// One line, or nothing.
std::string disturbed(const Words& w, const Result& r) {
  const auto differs = [](const Statistics& s) { return s.sd() > 0; };
  if (std::none_of(r.counts.begin(), r.counts.end(), differs) || !by_host_clock(time_a_loop())) return "";
  return fmt::format(
      "The runs differ, and this machine runs by its host's clock: under perfboard run --icount 4 a session "
      "counts the same each time{}.\n",
      w.choice.user ? "" : "; --user leaves interrupts out");
}

void show_result(Output& out, const Words& w, const Plan& plan, const Result& r, const Reducer* reducer) {
  out.print("\n Counters of {}{}{}:\n\n", typed(w.command), with_children(w) ? " and its children" : "",
            w.repeat > 1 ? fmt::format(" ({} runs)", w.repeat) : "");
  for (size_t i = 0; i < plan.events.size(); i++) {
    const Statistics& s = r.counts[i];
    if (!s.n()) {
      out.print("{:>20}      {}\n", "<not counted>", plan.events[i]);
      continue;
    }
    out.print("{:>20}      {:<28}", grouped(s.mean()), plan.events[i]);
    if (w.repeat > 1) out.print(" ( +- {:.2f} % )", s.mean() == 0 ? 0 : 100 * s.sd() / std::fabs(s.mean()));
    out.write(worth_text(r.worth[i]));
    out.put('\n');
  }
  if (r.running < 100)
    out.print("\n Counted in turns ({} sets of groups, each at least {:.1f} % of the cycles): estimates.\n",
              plan.sets.size(), r.running);
  for (const std::string& text : {useless(plan, r), disturbed(w, r)})
    if (!text.empty()) out.print(" {}", text);
  if (reducer) {
    out.put('\n');
    const auto line = [&](const Rule& rule, double value) {
      if (!rule.shown) return;
      out.print("{:>20} {:<5}{:<28} {}\n", number_text(value), rule.unit, rule.name, rule.text);
    };
    for (size_t i = 0; i < plan.rules.first.size(); i++) line(plan.rules.first[i], reducer->mean(i));
    const std::vector<double> second = reducer->second();
    for (size_t i = 0; i < second.size(); i++) line(plan.rules.second[i], second[i]);
  }
  out.print("\n{:>20.9f} s elapsed\n", r.elapsed[0].mean());
  out.print("{:>20.9f} s counted\n", r.seconds[0].mean());
  if (w.repeat == 1) out.print("{:>20.9f} s user\n{:>20.9f} s sys\n", r.user, r.system);
  out.put('\n');
}

int count(const Words& w, Output& out) {
  const Plan plan = make_plan(w.choice, "cpi");
  Facts facts;
  {
    Monitor monitor(w.choice.device);
    facts = monitor.facts();
  }
  Result result;
  result.counts.resize(plan.events.size());
  result.worth.resize(plan.events.size());
  std::unique_ptr<Reducer> reducer;
  if (!plan.rules.name.empty())
    reducer = std::make_unique<Reducer>(plan.rules, sample_columns(plan.events), facts);
  std::unique_ptr<SampleWriter> writer;
  if (w.csv) writer = std::make_unique<SampleWriter>(out, facts, plan.events);
  for (unsigned n = 0; n < w.repeat; n++) {
    const Sample sample = run_once(w, plan, result);
    for (size_t i = 0; i < sample.counts.size(); i++) result.counts[i].add(sample.counts[i]);
    result.elapsed[0].add(sample.elapsed);
    result.seconds[0].add(sample.seconds);
    result.running = std::min(result.running, sample.running);
    if (reducer) reducer->add(sample_values(sample));
    if (writer) writer->put(sample);
  }
  if (!w.csv)
    show_result(out, w, plan, result, reducer.get());
  else if (const std::string text = useless(plan, result); !text.empty())
    std::fputs(("p2run: " + text).c_str(), stderr);
  return result.status;
}

struct Share {
  NamedOpcode opcode;
  uint64_t matched = 0, instructions = 0;  // while IMR named it
  double part() const {
    return instructions ? static_cast<double>(matched) / static_cast<double>(instructions) : 0;
  }
};

// "By repetitively cycling through the list of defined instruction codes": a set of groups for each, the same
// but for IMR.
int sample_opcodes(const Words& w, Output& out) {
  Monitor monitor(w.choice.device);
  Choice choice = w.choice;
  choice.event_lists = {"imr,instructions"};
  const Plan plan = make_plan(choice, "");
  std::vector<Share> shares;
  std::vector<p2_set> sets;
  for (const NamedOpcode& opcode :
       parse_opcodes("--opcodes", w.opcodes, monitor.info().flags & P2_INFO_POWER)) {
    shares.push_back({opcode});
    sets.push_back({plan.sets[0].mmcr | (w.scope == "marked" ? P2_MMCR_DMR : 0), opcode.imr});
  }
  if (sets.size() > P2_MOST_SETS)
    throw Misuse(fmt::format("--opcodes: {}; legal are up to {}", sets.size(), P2_MOST_SETS));
  Ending ending;
  uint64_t all = 0;
  for (unsigned n = 0; n < w.repeat; n++) {
    Monitor counting(w.choice.device);
    Program program(w.command);
    const Ending one = run_under(w, counting, program, sets, plan.period_ns);
    if (one.status || !n) ending = one;
    const p2_counts counts = counting.counts();
    const int imr = p2_counter_of(sets[0].mmcr, "imr"),
              instructions = p2_counter_of(sets[0].mmcr, "instructions");
    for (size_t i = 0; i < sets.size(); i++) {
      shares[i].matched += counts.set[i].counter[imr];
      shares[i].instructions += counts.set[i].counter[instructions];
      all += counts.set[i].counter[instructions];
    }
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.part() > b.part(); });
  if (w.csv)
    out.write("opcode,imr,matched,instructions,percent\n");
  else
    out.print(
        "\n Opcodes of {}: {} instructions, each opcode looked at for a part of them\n\n{:>10} {:>10} "
        "{:>8} {:>16} {:>16}\n",
        typed(w.command), all, "IMR", "opcode", "%", "matched", "of instructions");
  for (const Share& s : shares) {
    if (w.csv)
      out.print("{},0x{:08x},{},{},{:.6g}\n", s.opcode.name, s.opcode.imr, s.matched, s.instructions,
                100 * s.part());
    else if (s.matched)
      out.print("0x{:08x} {:>10} {:>8.3f} {:>16} {:>16}\n", s.opcode.imr, s.opcode.name, 100 * s.part(),
                s.matched, s.instructions);
  }
  if (!w.csv) {
    double known = 0;
    size_t unseen = 0, without = 0;
    for (const Share& s : shares) {
      known += 100 * s.part();
      without += !s.matched;
      unseen += !s.instructions;
    }
    out.print("\n{:>30.3f} % all of these; {} opcodes were not seen", known, without);
    if (unseen) out.print(", {} of them never looked at: --repeat, or a shorter --period", unseen);
    out.write("\n\n");
  }
  return ending.status;
}

int run(int argc, char** argv) {
  Words w;
  Arguments args("p2run",
                 "Counts one command with the POWER2 performance monitor: p2run [OPTIONS] [--] COMMAND...");
  args.version("p2run (Perfboard) " PERFBOARD_VERSION);
  w.choice.declare(args);
  args.flag("-c,--children", w.children,
            "what the command starts counts, too; with --scope marked it does without")
      .excludes(args.flag("--alone", w.alone, "with --scope marked: what the command starts is not marked"));
  args.option("--scope", w.scope,
              "private: counters saved and restored at each switch; marked: the paper's way, MSR(PM) and "
              "DMR; system: "
              "whoever runs meanwhile")
      .one_of({"private", "marked", "system"})
      .show_default();
  args.option("-n,--repeat", w.repeat, "run the command so often").range(1, 10000).show_default();
  args.option("--imr", w.imr, "the instruction that imr_matches counts: a name or a number").type("OPCODE");
  args.option("--segment", w.segments,
              "count in this part of the program only: FUNCTION of the command's file, until it returns, or "
              "FILE:ENTRY:EXIT[:EXIT...], "
              "offsets of instructions")
      .type("SEGMENT")
      .each();
  args.option("--opcodes", w.opcodes,
              "how often each of these is executed, by cycling IMR through them; all: the usual ones")
      .type("LIST");
  args.flag("--csv", w.csv, "comma-separated values: a row for each run, as p2reduce reads it");
  args.option("-o,--output", w.output, "write here instead of standard error; -: standard output")
      .type("FILE");
  args.program(w.command);
  args.footer(
      "Exit code: that of the command (128 + n: ended by signal n; 126, 127: it did not start); 1 if the "
      "monitor\n"
      "refuses; 2 for a wrong command line.");
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  if (!w.segments.empty() && w.scope == "system")
    throw Misuse("--segment: of a process; not with --scope system");
  if (w.alone && w.scope != "marked") throw Misuse("--alone: of a mark; only with --scope marked");
  if (w.command.empty()) throw Misuse("COMMAND is missing (--help lists the options)");
  Output out = w.output.empty() ? Output(STDERR_FILENO, "<stderr>") : Output(w.output);
  if (!w.opcodes.empty() && (!w.imr.empty() || !w.choice.event_lists.empty() ||
                             !w.choice.rule_names.empty() || !w.choice.groups.empty()))
    throw Misuse("--opcodes: not together with --imr, --events, --rules, --groups");
  const int status = w.opcodes.empty() ? count(w, out) : sample_opcodes(w, out);
  out.close();
  return status;
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2run) {
  return perfboard::p2::run_tool("p2run", [&] { return perfboard::p2::run(argc, argv); });
}
