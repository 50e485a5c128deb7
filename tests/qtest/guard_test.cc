// SPDX-License-Identifier: GPL-2.0-or-later
//
// The load guard: what the object says when it is loaded where it does not fit, and its help.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/qtest/machine.h"

namespace perfboard::qtest {
namespace {

// QEMU adds a line of its own: that it could not load the plugin.
void expect_refused(const Refusal& r, std::initializer_list<const char*> said) {
  ASSERT_TRUE(r.status) << "it runs\n" << r.output;
  EXPECT_EQ(*r.status, 1) << r.output;
  std::vector<std::string> ours;
  std::istringstream lines(r.output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("perfboard: ")) ours.push_back(line);
  ASSERT_EQ(ours.size(), 1u) << "one line\n" << r.output;
  for (const char* text : said) EXPECT_NE(ours[0].find(text), ours[0].npos) << text << "\n" << r.output;
}

TEST(Guard, UnknownOption) {
  for (const char* option : {"foo=1", "Help=on", "slot=2"}) {
    const Refusal r = start_and_end({}, qemu_path(), plugin_path() + "," + option);
    expect_refused(r, {"unknown option", option, "help"});
  }
}

TEST(Guard, UnknownOptionRegistersNothing) {
  const Refusal r = start_and_end({"-device", "i82375"}, qemu_path(), plugin_path() + ",foo=1");
  ASSERT_TRUE(r.status);
  EXPECT_EQ(*r.status, 1);
  EXPECT_EQ(r.output.find("i82375"), r.output.npos) << r.output;
}

TEST(Guard, HelpListsDevicesAndProperties) {
  const Refusal r = start_and_end({}, qemu_path(), plugin_path() + ",help");
  ASSERT_TRUE(r.status);
  EXPECT_EQ(*r.status, 0);
  for (const char* text :
       {"-device i82375:",    "-device shrimp-sni:", "-device surfboard:",  "-device multikron:",
        "slot=<uint32>",      "trace-size=<size>",   "hist-size=<size>",    "wire=<str>",
        "leds=<uint32>",      "led10=<bool>",        "ext-pull=<bool>",     "receive-time=<uint64>",
        "node=<uint32>",      "nodes=<uint32>",      "mesh-width=<uint32>", "fifo-words=<uint32>",
        "snoop-loads=<bool>", "l1d-size=<size>",     "l2-size=<size>",      "line-size=<uint32>"})
    EXPECT_NE(r.output.find(text), r.output.npos) << text << "\n" << r.output;
  for (const char* text : {"hotplugged", "realized", "legacy-"})
    EXPECT_EQ(r.output.find(text), r.output.npos) << text << " is every device's\n" << r.output;
}

TEST(Guard, Kvm) {
  const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
  if (kvm < 0) GTEST_SKIP() << "no /dev/kvm that this user may open";
  close(kvm);
  const Refusal r = start_and_end({"-accel", "kvm"});
  if (r.output.find("failed to initialize kvm") != r.output.npos) GTEST_SKIP() << r.output;
  expect_refused(r, {"TCG", "accelerator"});
}

TEST(Guard, OtherSeries) {
  const char* other = std::getenv("PERFBOARD_SO_OTHER_SERIES");
  ASSERT_NE(other, nullptr);
  const Refusal r = start_and_end({}, qemu_path(), other);
  expect_refused(r, {"built for QEMU 9.2", "this is 10."});
}

TEST(Guard, OtherSeriesEvenForHelp) {
  const char* other = std::getenv("PERFBOARD_SO_OTHER_SERIES");
  ASSERT_NE(other, nullptr);
  expect_refused(start_and_end({}, qemu_path(), std::string(other) + ",help"), {"built for QEMU 9.2"});
}

// A program of Debian's qemu packages, or "".
std::string installed(const char* name) {
  const std::string path = std::string("/usr/bin/") + name;
  return access(path.c_str(), X_OK) == 0 ? path : "";
}

TEST(Guard, UserModeEmulation) {
  const std::string qemu = installed("qemu-x86_64");
  if (qemu.empty()) GTEST_SKIP() << "qemu-user is not installed";
  Scratch scratch;
  Process p({qemu, "-plugin", plugin_path(), "/bin/true"}, scratch.path("output"));
  const std::optional<int> status = p.wait(10'000);
  ASSERT_TRUE(status);
  EXPECT_NE(*status, 0);
  EXPECT_NE(p.output().find("perfboard: cannot be used here"), std::string::npos) << p.output();
}

// The same object is for the 32-bit PC as well.
TEST(Guard, I386Loads) {
  const std::string qemu = installed("qemu-system-i386");
  if (qemu.empty()) GTEST_SKIP() << "qemu-system-i386 is not installed";
  const Refusal r = start_and_end({}, qemu, plugin_path() + ",help");
  ASSERT_TRUE(r.status) << r.output;
  EXPECT_EQ(*r.status, 0) << r.output;
  EXPECT_NE(r.output.find("-device surfboard:"), r.output.npos) << r.output;
}

TEST(Guard, BothMachinesTakeTheBoards) {
  for (const char* machine : {"pc", "q35"}) {
    Scratch scratch;
    Process p(
        {qemu_path(), "-nodefaults", "-display", "none", "-S", "-machine", machine, "-plugin", plugin_path(),
         "-device", "i82375", "-device", "shrimp-sni,slot=1", "-device", "surfboard,slot=2"},
        scratch.path("output"));
    EXPECT_FALSE(p.wait(700)) << machine << "\n" << p.output();
    EXPECT_EQ(p.output(), "") << machine;
  }
}

TEST(Guard, AMachineWithoutIsaRefusesTheBridge) {
  Scratch scratch;
  Process p({qemu_path(), "-nodefaults", "-display", "none", "-S", "-machine", "microvm", "-plugin",
             plugin_path(), "-device", "i82375"},
            scratch.path("output"));
  const std::optional<int> status = p.wait(5'000);
  ASSERT_TRUE(status) << p.output();
  EXPECT_EQ(*status, 1) << p.output();
  EXPECT_NE(p.output().find("i82375"), std::string::npos) << p.output();
}

}  // namespace
}  // namespace perfboard::qtest
