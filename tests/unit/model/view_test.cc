// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/model/view.h"

#include <gtest/gtest.h>

#include "hw/model/manual.h"

namespace perfboard {
namespace {

constexpr Field kViewFields[] = {
    {"DONE", 4, 4, Access::w1c, 0, "done", "p. 1"},
    {"MODE", 1, 0, Access::rw, 0, "mode", "p. 1"},
};
constexpr Register kViewTable[] = {{"CSR", 0, 1, kViewFields, "control", "p. 1"}};
constexpr std::span<const Register> kTables[] = {kViewTable};
constexpr WindowView kWindows[] = {{"registers", 64, "the registers"}};
constexpr Condition kConditions[] = {{"DONE", "CSR.DONE", "", "write CSR.DONE=1", "it is done", "p. 2"}};
constexpr std::string_view kSteps[] = {"CSR.MODE=1", "read CSR", "write CSR.DONE=1"};
constexpr Sequence kSequences[] = {{"start", kSteps, "starts it", "p. 3"}};
constexpr Mistake kMistakes[] = {{"bad-mode", "MODE 3 | more", "p. 4"}};
constexpr Effect kEffects[] = {{"started", "it starts"}};
constexpr const char* kWords[] = {"well", "badly", nullptr};
constexpr Injection kInjections[] = {
    {"inject-drop", up_to(9, " samples"), "next ones", "drops", "CSR.DONE stays 0", "1ms b inject-drop 3"},
    {"inject-stop", kOffOrOn, "it stops", "stops", "CSR.DONE stays 0", "1ms b inject-stop on"},
    {"inject-how", one_of(kWords), "how", "fails", "CSR.DONE is 1", "1ms b inject-how well"},
    {"inject-set", up_to(UINT64_MAX, "a set"), "which", "fail", "CSR.DONE is 1", "1ms b inject-set 3"}};
constexpr uint32_t kLegal[] = {0, 1, 2};
constexpr Values kValues[] = {{"CSR.MODE", kLegal}};

Place nowhere(const void*, unsigned, uint64_t) { return {}; }
std::optional<uint32_t> nothing(const void*, uint64_t, const Place&) { return std::nullopt; }

constexpr BoardView kView = {.board = "b",
                             .windows = kWindows,
                             .tables = kTables,
                             .conditions = kConditions,
                             .sequences = kSequences,
                             .mistakes = kMistakes,
                             .effects = kEffects,
                             .injections = kInjections,
                             .values = kValues,
                             .place = nowhere,
                             .peek = nothing};

TEST(ViewCheck, AWholeViewIsFine) { EXPECT_EQ(view_error(kView), ""); }

TEST(ViewCheck, AFieldIsFoundByItsName) {
  EXPECT_EQ(find_field(kView, "CSR.MODE"), &kViewFields[1]);
  EXPECT_EQ(find_field(kView, "CSR.MODES"), nullptr);
  EXPECT_EQ(find_field(kView, "CSR"), nullptr);
}

TEST(ViewCheck, ARowThatNamesNoFieldIsFound) {
  static constexpr Condition bad[] = {{"DONE", "CSR.GONE", "", "write CSR.DONE=1", "text", "p. 2"}};
  BoardView view = kView;
  view.conditions = bad;
  EXPECT_EQ(view_error(view), "condition DONE: no field CSR.GONE");
  static constexpr uint32_t four[] = {4};
  static constexpr Values unfit[] = {{"CSR.MODE", four}};
  view = kView;
  view.values = unfit;
  EXPECT_EQ(view_error(view), "values of CSR.MODE: 4 does not fit");
}

TEST(ViewCheck, ANameThatIsThereTwiceIsFound) {
  static constexpr Mistake two[] = {{"same", "text", "p. 1"}, {"same", "text", "p. 1"}};
  BoardView view = kView;
  view.mistakes = two;
  EXPECT_EQ(view_error(view), "mistake same is there twice");
}

TEST(ViewCheck, AnExampleOfAnotherInjectionIsFound) {
  static constexpr Injection bad[] = {
      {"inject-drop", up_to(9, ""), "next ones", "drops", "DONE", "1ms b inject-late 3"}};
  BoardView view = kView;
  view.injections = bad;
  EXPECT_EQ(view_error(view), "injection inject-drop: its example is of another");
}

TEST(ViewCheck, AMemberThatDoesNotHoldTheValueIsFound) {
  for (const auto& [most, bytes] : {std::pair{256u, 1u}, {9u, 2u}, {9u, 8u}}) {
    const Injection bad[] = {
        {"inject-drop", up_to(most, " x"), "next ones", "drops", "DONE", "1ms b inject-drop 3", {0, bytes}}};
    BoardView view = kView;
    view.injections = bad;
    EXPECT_EQ(view_error(view),
              "injection inject-drop: a member of " + std::to_string(bytes) + " bytes does not hold it");
  }
}

TEST(ViewCheck, AnInjectionWithoutValuesIsFound) {
  for (const InjectionValues values : {up_to(0, " samples"), up_to(UINT64_MAX, "")}) {
    const Injection bad[] = {{"inject-drop", values, "next ones", "drops", "DONE", "1ms b inject-drop 3"}};
    BoardView view = kView;
    view.injections = bad;
    EXPECT_EQ(view_error(view), "injection inject-drop: a text is missing");
  }
}

TEST(ViewManual, PrintsEveryRowOfEveryList) {
  const std::string text = manual_view(kView);
  for (const std::string_view line : {
           "## Interrupt conditions\n",
           "| DONE | `CSR.DONE` | always | `write CSR.DONE=1` | it is done | p. 2 |\n",
           "- **start** (p. 3): starts it\n  `CSR.MODE=1`, `read CSR`, `write CSR.DONE=1`\n",
           "| bad-mode | MODE 3 \\| more | p. 4 |\n",
           "| started | it starts |\n",
           "| `inject-drop` | 0 to 9 samples | drops | CSR.DONE stays 0 |\n",
           "| `inject-stop` | on, off | stops |",
           "| `inject-how` | well, badly | fails |",
           "| `inject-set` | a set | fail |",
           "    1ms b inject-drop 3\n",
       })
    EXPECT_NE(text.find(line), text.npos) << line << text;
}

TEST(ViewManual, StepsThatRepeatAreCounted) {
  static constexpr std::string_view steps[] = {"read A", "write A", "read A", "write A", "read A", "write A"};
  static constexpr Sequence round[] = {{"round", steps, "reads and writes it back", "p. 3"}};
  BoardView view = kView;
  view.sequences = round;
  EXPECT_NE(manual_view(view).find("\n  `read A`, `write A`, 3 times\n"), std::string::npos);
}

TEST(ViewManual, AnEmptyListHasNoSection) {
  BoardView view = kView;
  view.effects = {};
  EXPECT_EQ(manual_view(view).find("Side effects"), std::string::npos);
}

TEST(ViewManual, APageHasBothPairsOfMarkers) {
  const std::string page =
      "a\n<!-- view:begin -->\nold\n<!-- view:end -->\nb\n<!-- registers:begin -->\nold\n<!-- registers:end "
      "-->\nc\n";
  EXPECT_EQ(manual_update(page, "TABLES\n", "VIEW\n"),
            "a\n<!-- view:begin -->\n\nVIEW\n<!-- view:end -->\nb\n<!-- registers:begin -->\n\nTABLES\n"
            "<!-- registers:end -->\nc\n");
  EXPECT_EQ(manual_update("<!-- registers:begin -->\n<!-- registers:end -->\n", "T", "V"), std::nullopt);
}

}  // namespace
}  // namespace perfboard
