// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write on the POWER2 tools' command lines.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "guest/power2/cmd/segment.h"
#include "guest/power2/cmd/words.h"
#include "tests/unit/power2/tools_records.h"

namespace perfboard::p2 {
namespace {

using Names = std::vector<std::string>;

TEST(Power2Words, Events) {
  EXPECT_EQ(parse_events({"cycles,flops", "cycles"}), (Names{"cycles", "flops"}));
  EXPECT_EQ(parse_events({"fp*"}), Names{"fp_add"});
  EXPECT_EQ(parse_events({"*mis,c?cles"}), (Names{"dcache_mis", "cycles"}));
  EXPECT_EQ(parse_events({"fxu0"}), Names{"fxu0"});
  EXPECT_EQ(parse_events({}), Names{});
  EXPECT_EQ(refusal([] { parse_events({"cicles"}); }),
            "cicles: no such event (like it: cycles); `p2event` lists them");
  EXPECT_EQ(refusal([] { parse_events({"cycles,"}); }).substr(0, 16), ": no such event ");
  EXPECT_EQ(refusal([] { parse_events({"zz*"}); }), "zz*: fits no event");
}

TEST(Power2Words, Groups) {
  const auto values = [](const std::string& text) {
    std::vector<uint32_t> found;
    for (const p2_set& set : parse_groups(text, P2_MMCR_DP)) found.push_back(set.mmcr & ~P2_MMCR_DP);
    return found;
  };
  EXPECT_EQ(values("fpu=1,fxu=13,icu=8,scu=15"), std::vector<uint32_t>{0x1d8f});
  EXPECT_EQ(values("icu=8"), std::vector<uint32_t>{0x0080});
  EXPECT_EQ(values("sga"), std::vector<uint32_t>{P2_MMCR_SGA});
  const std::vector<uint32_t> all = values("all");
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all[3], 0x3333u);
  for (const char* text : {"", "fpu", "fpu=16", "fpu=-1", "fpu=", "mmu=1", "fpu=1,", "sga=1", "fpu=0x1"})
    EXPECT_THROW(parse_groups(text, 0), Misuse) << text;
  EXPECT_EQ(events_of(parse_groups("fxu=13,icu=8", 0)),
            (Names{"flops", "imr", "instructions", "interrupts", "cycles", "errors"}));
}

TEST(Power2Words, Times) {
  const auto ns = [](const char* text) { return parse_time("x", text, 1, 1ull << 40); };
  EXPECT_EQ(ns("1"), 1000000000u);
  EXPECT_EQ(ns("0.25s"), 250000000u);
  EXPECT_EQ(ns("10ms"), 10000000u);
  EXPECT_EQ(ns("2.5us"), 2500u);
  for (const char* text : {"", "ms", "-1", "1m", "1 s", "1e3", "nan", "1.2.3", "0x10"})
    EXPECT_THROW(ns(text), Misuse) << text;
  EXPECT_EQ(refusal([] { parse_time("--tick", "1us", 1000000, 10000000000); }),
            "--tick 1us: legal are 1ms to 10s, with s, ms, us or ns behind the number");
}

TEST(Power2Words, Opcodes) {
  const auto one = [](const std::string& text, bool power) {
    return parse_opcodes("--imr", text, power)[0].imr;
  };
  // Power ISA 2.07B: add RT,RA,RB is 31 with extended opcode 266; fmadd 63 with 29; ld 58.
  EXPECT_EQ(one("add", true), 0x7c000214u);
  EXPECT_EQ(one("fmadd", true), 0xfc00003au);
  EXPECT_EQ(one("ld", true), 0xe8000000u);
  EXPECT_EQ(one("ret", false), 0xc3u);
  EXPECT_EQ(one("0x10f", false), 0x10fu);
  EXPECT_EQ(parse_opcodes("--opcodes", "add,12,ld", true).size(), 3u);
  for (const bool power : {true, false}) {
    const auto all = parse_opcodes("--opcodes", "all", power);
    EXPECT_LE(all.size(), size_t{P2_MOST_SETS});
    for (size_t i = 0; i < all.size(); i++)
      for (size_t j = 0; j < i; j++) {
        EXPECT_NE(all[i].imr, all[j].imr) << all[i].name;
        EXPECT_NE(all[i].name, all[j].name);
      }
  }
  for (const char* text : {"", "0", "ret", "add,", "-1", "0x100000000"})
    EXPECT_THROW(parse_opcodes("--imr", text, true), Misuse) << text;
}

TEST(Power2Words, Registers) {
  EXPECT_EQ(parse_register("--mmcr", "0xf8001d8f", P2_MMCR_RESERVED), 0xf8001d8fu);
  EXPECT_EQ(parse_register("--mmcr", "15", 0), 15u);
  EXPECT_EQ(refusal([] { parse_register("--mmcr", "0x10000", P2_MMCR_RESERVED); }),
            "--mmcr 0x10000: legal are numbers to 0xffffffff without bits of 0x03ff0000");
  for (const char* text : {"", "0x", "-1", "0x100000000", "1d8f"})
    EXPECT_THROW(parse_register("--mmcr", text, 0), Misuse) << text;
}

TEST(Power2Words, Counters) {
  EXPECT_EQ(counter_text(P2_FPU0), "fpu0");
  EXPECT_EQ(counter_text(P2_SCU0 + 4), "scu4");
  EXPECT_EQ(counter_text(P2_CYCLES), "cycles");
  EXPECT_EQ(counter_text(P2_ERRORS), "errors");
}

TEST(Power2Words, MmcrInWords) {
  EXPECT_EQ(mmcr_text(0x1d82), "fpu=1 fxu=13 icu=8 scu=2");
  EXPECT_EQ(mmcr_text(0xf8000000), "DIS DP DU DMS DMR fpu=0 fxu=0 icu=0 scu=0");
}

// --- which hooks record: p2trace record --when ---------------------------------------------------

const std::vector<std::string> kEvents{"sched_switch", "sys_enter"};

p2_rule rule(const std::string& text) { return parse_hook_rule(text, kEvents); }

// Behind the option and its text.
std::string refusal_of(const std::string& text) {
  const std::string said = refusal([&] { rule(text); }), before = "--when " + text + ": ";
  EXPECT_TRUE(said.starts_with(before)) << said;
  return said.substr(std::min(before.size(), said.size()));
}

TEST(Power2HookRules, EachTest) {
  EXPECT_EQ(rule("hook=7").flags, P2_RULE_HOOK);
  EXPECT_EQ(rule("hook=0x10").id, 16u);
  EXPECT_EQ(rule("event=sys_enter").flags, P2_RULE_EVENT);
  EXPECT_EQ(rule("event=sys_enter").id, 1u);
  EXPECT_EQ(rule("event=sched_switch").id, 0u);
  const p2_rule link = rule("link=0x1000-0x1fff");
  EXPECT_EQ(link.flags, P2_RULE_LINK);
  EXPECT_EQ(link.link_first, 0x1000u);
  EXPECT_EQ(link.link_last, 0x1fffu);
  const p2_rule state = rule("state=0x100/0xf00");
  EXPECT_EQ(std::tuple(state.state_value, state.state_mask), std::tuple(0x100u, 0xf00u));
  EXPECT_EQ(rule("state=3").state_mask, 0xffffffffu);
}

TEST(Power2HookRules, ArgumentsOfHooksHave64BitsOfEvents32) {
  EXPECT_EQ(rule("hook=1,arg0=3").value[0], 3u);
  EXPECT_EQ(rule("hook=1,arg0=3").mask[0], ~uint64_t{0});
  EXPECT_EQ(rule("hook=1,arg0=3").mask[1], 0u);
  EXPECT_EQ(rule("arg1=4,event=sys_enter").mask[1], 0xffffffffu);
  EXPECT_EQ(rule("arg1=4/0xffffffffffffffff,event=sys_enter").mask[1], ~uint64_t{0});
  EXPECT_EQ(rule("arg1=0x100000000").value[1], 0x100000000u);
  EXPECT_EQ(refusal_of("arg1=0x100000000,event=sys_enter"), "arg1: of an event: 32 bits, or VALUE/MASK");
}

TEST(Power2HookRules, Actions) {
  EXPECT_EQ(rule("hook=1").set_mask, 0u);
  const p2_rule r = rule("hook=1,state=2:silent,state=5/7");
  EXPECT_EQ(r.flags, P2_RULE_HOOK | P2_RULE_SILENT);
  EXPECT_EQ(std::tuple(r.state_value, r.set_value, r.set_mask), std::tuple(2u, 5u, 7u));
  EXPECT_EQ(rule(":silent").flags, P2_RULE_SILENT);
  EXPECT_EQ(rule("").flags, 0u);  // any hook
}

TEST(Power2HookRules, Refusals) {
  EXPECT_EQ(refusal_of("hook=65536"), "hook=65536: legal are numbers to 0xffff");
  EXPECT_EQ(refusal_of("event=sched_wakeup"),
            "event=sched_wakeup: the driver hooks sched_switch sys_enter "
            "(/sys/module/power2/parameters/hooks)");
  EXPECT_EQ(refusal_of("hook=1,event=sys_enter"), "event=sys_enter: one hook or one event");
  EXPECT_EQ(refusal_of("arg0=2/1"), "arg0=2/1: bits that are not in the mask");
  EXPECT_EQ(refusal_of("link=5"), "link=5: legal is link=FIRST-LAST, addresses in the program");
  EXPECT_EQ(refusal_of("link=2-1"), "link=2-1: LAST is below FIRST");
  EXPECT_EQ(refusal_of("id=1"), "id=1: legal tests are hook=, event=, arg0=, arg1=, link=, state=");
  EXPECT_EQ(refusal_of("hook=1:quiet"), "quiet: legal actions are silent and state=VALUE[/MASK]");
  for (const char* text : {"hook", "hook=", "hook=-1", "hook=1,", "state=0x100000000", "arg0=", "arg0=1/",
                           "hook=1:state", "hook=1:state=1/0"})
    EXPECT_THROW(rule(text), Misuse) << text;
  EXPECT_THROW(parse_hook_rules(std::vector<std::string>(P2_MOST_RULES + 1, "hook=1"), kEvents), Misuse);
  EXPECT_EQ(parse_hook_rules(std::vector<std::string>(P2_MOST_RULES, "hook=1"), kEvents).size(),
            size_t{P2_MOST_RULES});
  EXPECT_NE(refusal([] { parse_hook_rule("event=x", {}); }).find("the driver hooks no event"),
            std::string::npos);
}

// --- segments of a program, by names of functions and by offsets ---------------------------------

// An ELF file with one function "work" at address 0x10010 (offset 0x210).
struct File {
  static constexpr size_t kCode = 0x200, kNames = 0x300, kSymbols = 0x320, kSections = 0x380;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x500);
  Elf64_Sym symbol{};
  Elf64_Ehdr head{};

  File() {
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_machine = EM_PPC64;
    head.e_phoff = sizeof(head);
    head.e_phnum = 1;
    head.e_shoff = kSections;
    head.e_shnum = 2;
    symbol = {1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 3 << 5, 1, 0x10010, 16};
  }
  std::span<const uint8_t> made() {
    const auto put = [&](size_t at, const auto& what) { memcpy(bytes.data() + at, &what, sizeof(what)); };
    put(0, head);
    put(sizeof(head), Elf64_Phdr{PT_LOAD, PF_X, kCode, 0x10000, 0, 0x100, 0x100, 1});
    put(kNames, std::array<char, 10>{"\0work\0end"});
    put(kSymbols + sizeof(symbol), symbol);
    put(kSections, Elf64_Shdr{0, SHT_SYMTAB, 0, 0, kSymbols, 2 * sizeof(symbol), 1, 0, 0, 0});
    put(kSections + sizeof(Elf64_Shdr), Elf64_Shdr{0, SHT_STRTAB, 0, 0, kNames, 10, 0, 0, 0, 0});
    return bytes;
  }
};

std::string refused(File& file, const char* function = "work") {
  return refusal([&] { find_function(file.made(), "x", function); });
}

TEST(Power2Segment, AFunctionOfAFile) {
  File file;
  const Segment s = find_function(file.made(), "x", "work");
  EXPECT_EQ(s.file, "x");
  EXPECT_EQ(s.entry, 0x218u);  // the local entry: two instructions on
  EXPECT_TRUE(s.exits.empty()) << "it ends with the return";
  for (const std::string name : {"wor", "end"})
    EXPECT_EQ(refused(file, name.c_str()),
              "--segment " + name + ": x has no such function (is it stripped?)");
  file.head.e_machine = EM_X86_64;
  EXPECT_EQ(find_function(file.made(), "x", "work").entry, 0x210u);
}

// Nothing that a file says is believed.
TEST(Power2Segment, DamagedFiles) {
  File file;
  const auto whole = file.made();
  for (size_t size = 0; size < whole.size(); size += 3) {
    const std::string said = refusal([&] { find_function(whole.first(size), "x", "work"); });
    EXPECT_TRUE(said != "accepted" || size >= File::kSections + 2 * sizeof(Elf64_Shdr)) << size;
  }
  file.symbol.st_value = 0x20000;
  EXPECT_NE(refused(file), "accepted");
  file.head.e_shoff = UINT64_MAX - 8;
  EXPECT_NE(refused(file), "accepted");
}

TEST(Power2Segment, Offsets) {
  const Segment s = parse_segment("/bin/x:0x100:0x120:300", "y");
  EXPECT_EQ(s.file, "/bin/x");
  EXPECT_EQ(s.entry, 0x100u);
  EXPECT_EQ(s.exits, (std::vector<uint64_t>{0x120, 300}));
  for (const char* text :
       {":1:2", "x:1", "x:", "x:1:", "x:a:2", "x:1:-2", "x:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1"})
    EXPECT_THROW(parse_segment(text, "y"), Misuse) << text;
  EXPECT_EQ(refusal([] { parse_segment("f", "no-such-program"); }),
            "--segment f: no-such-program is not found");
}

}  // namespace
}  // namespace perfboard::p2
