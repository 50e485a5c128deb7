// SPDX-License-Identifier: GPL-2.0-or-later
//
// The load guard: what the object says where it does not fit, one line in each place; and its help.
//
// Each emulator of Debian's packages is tried: those that are installed for themselves, all of them as a fake
// (guard_host.c) that loads the object as QEMU does. PERFBOARD_EMULATORS names more, separated by colons.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

using Words = std::vector<std::string>;

constexpr int kPatienceMs = 600'000;  // only to end a hang

const Words kSystemTargets = {
    "aarch64", "alpha", "arm",     "avr",     "cris",       "hppa",     "i386",    "loongarch64",
    "m68k",    "mips",  "mips64",  "mipsel",  "microblaze", "mips64el", "nios2",   "microblazeel",
    "or1k",    "ppc",   "ppc64",   "riscv32", "riscv64",    "rx",       "s390x",   "sh4",
    "sh4eb",   "sparc", "sparc64", "tricore", "x86_64",     "xtensa",   "xtensaeb"};
const Words kUserTargets = {
    "aarch64", "aarch64_be", "alpha",  "arm",     "armeb",   "cris",     "hexagon",   "hppa",         "i386",
    "m68k",    "mips",       "mips64", "mipsel",  "mipsn32", "mips64el", "mipsn32el", "loongarch64",  "nios2",
    "or1k",    "microblaze", "ppc",    "ppc64",   "ppc64le", "riscv32",  "riscv64",   "microblazeel", "s390x",
    "sh4",     "sh4eb",      "sparc",  "sparc64", "x86_64",  "xtensa",   "xtensaeb",  "sparc32plus"};
const char* const kUse = "use qemu-system-x86_64 or qemu-system-i386 or qemu-system-ppc64";

bool is_legal(const std::string& target) {
  return target == "x86_64" || target == "i386" || target == "ppc64";
}

Refusal run(const Words& words) {
  Scratch scratch;
  Process p(words, scratch.path("output"));
  const std::optional<int> status = p.wait(kPatienceMs);
  return {status, p.output()};
}

// QEMU adds a line of its own: that it could not load the plugin.
void expect_refused(const Refusal& r, const Words& said) {
  ASSERT_TRUE(r.status) << "it runs\n" << r.output;
  EXPECT_EQ(*r.status, 1) << r.output;
  EXPECT_FALSE(has(r.output, "registered")) << r.output;
  Words ours = lines_of(r.output);
  std::erase_if(ours, [](const std::string& line) { return !line.starts_with("perfboard: "); });
  ASSERT_EQ(ours.size(), 1u) << "one line\n" << r.output;
  for (const std::string& text : said) EXPECT_TRUE(has(ours[0], text)) << text << "\n" << r.output;
}

std::string series_of(const std::string& qemu) {
  const Refusal r = run({qemu, "--version"});
  std::smatch found;
  return std::regex_search(r.output, found, std::regex(R"(version (\d+\.\d+))")) ? found[1].str() : "";
}

const std::string& own_series() {
  static const std::string series = series_of(qemu_path());
  return series;
}

// The series that there are objects for: "10.0 or 10.2".
std::string built() {
  const char* series = std::getenv("PERFBOARD_SERIES");
  return series ? series : own_series();
}

// What perfboard.so opens here.
std::string object_path() {
  const std::filesystem::path folder = std::filesystem::path(plugin_path()).parent_path();
  return folder / ("perfboard-" + own_series() + ".so");
}

bool is_built(const std::string& series) { return has(" " + built() + " ", " " + series + " "); }

// --- emulators that are not installed ---------------------------------------

// Which names this QEMU exports: see guard_host.c.
struct Fake {
  const char* exports = "";
  Words flags = {};
  std::string target = "x86_64";
  std::string series = own_series();
};

Refusal load(const Fake& fake, const Words& options = {}) {
  const char* host = std::getenv("PERFBOARD_GUARD_HOST");
  if (!host) throw std::runtime_error("PERFBOARD_GUARD_HOST is not set: start the tests with meson test");
  Words words = {std::string(host) + fake.exports};
  words.insert(words.end(), fake.flags.begin(), fake.flags.end());
  words.insert(words.end(), {fake.target, fake.series, plugin_path()});
  words.insert(words.end(), options.begin(), options.end());
  return run(words);
}

// Without this one the others could pass for a fake that no object likes.
TEST(GuardFake, LegalTargetsAreTaken) {
  for (const char* target : {"x86_64", "i386", "ppc64"}) {
    const Refusal r = load({.target = target});
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_TRUE(r.output.starts_with("registered ")) << r.output;
  }
}

TEST(GuardFake, EveryOtherMachineIsRefusedByItsName) {
  for (const std::string& target : kSystemTargets)
    if (!is_legal(target))
      expect_refused(load({.target = target}), {"this is qemu-system-" + target + ";", kUse});
}

// The target is said first: whatever else is wrong, another QEMU of it would not do either.
TEST(GuardFake, TheTargetIsSaidFirst) {
  for (const char* exports : {"-bare", "-lacks"})
    for (const char* series : {"7.2", "11.0"})
      expect_refused(load({exports, {"--kvm", "--loaded"}, "sparc64", series}),
                     {"this is qemu-system-sparc64;", kUse});
}

TEST(GuardFake, UserModeIsRefused) {
  for (const std::string& target : kUserTargets)
    expect_refused(load({"-bare", {"--user"}, target}), {"qemu-" + target + " runs one program", kUse});
}

TEST(GuardFake, OtherSeries) {
  for (const char* series : {"7.2", "8.2", "9.2", "10.0", "10.1", "10.2", "11.0", "11.1", "12.0"})
    for (const char* exports : {"", "-lacks"})
      for (const Words& options : {Words{}, Words{"help=on"}})
        if (!is_built(series))
          expect_refused(load({.exports = exports, .series = series}, options),
                         {"built for QEMU " + built() + ",", std::string("this is ") + series + ";",
                          "use QEMU " + built() + " with perfboard.so", "scripts/setup"});
}

TEST(GuardFake, NoDeviceApi) {
  expect_refused(load({.exports = "-bare"}), {"lacks qmp_query_version", "use one", "--enable-modules"});
  expect_refused(load({.exports = "-lacks"}),
                 {"lacks qemu_plugin_tb_n_insns", "use one", "--enable-modules"});
  expect_refused(load({.exports = "-lacks-eisa"}), {"lacks isa_bus_get_irq", "use one", "--enable-modules"});
}

TEST(GuardFake, AnotherAccelerator) {
  expect_refused(load({.flags = {"--kvm"}}), {"TCG", "accelerator", "use -accel tcg"});
}

TEST(GuardFake, MoreVcpusThanItCanTellApart) {
  for (const char* n : {"256", "257", "288", "4096"})
    expect_refused(load({.flags = {std::string("--vcpus=") + n}}),
                   {std::string("-smp maxcpus=") + n + ": legal are 1 to 255"});
  EXPECT_EQ(load({.flags = {"--vcpus=255"}}).status, 0);
}

TEST(GuardFake, AccessesAreToldInAnotherWay) {
  expect_refused(load({.flags = {"--words"}}), {"tells of memory accesses in another way", "unchanged"});
}

TEST(GuardFake, BadOptions) {
  for (const char* option : {"foo=on", "foo=1", "Help=on", "help=off", "help=surfboard", "slot=2", "="})
    for (const Words& options : {Words{option}, Words{"help=on", option}, Words{option, "bar=on", "help=on"}})
      expect_refused(
          load({}, options),
          {std::string("unknown option '") + option + "'",
           "legal are help, one scenario=FILE, one unreached=FILE, one pending=FILE, and of a cluster "
           "cluster=FILE, node=N, nodes=N, join=NS, patience=S, pause=NS and free=on"});
}

// --- emulators that are installed -------------------------------------------

struct Installed {
  std::string path, target;
  bool user;
};

// Once each, whatever links there are to it.
std::vector<Installed> installed() {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator("/usr/bin")) paths.push_back(file.path());
  std::istringstream more(std::getenv("PERFBOARD_EMULATORS") ? std::getenv("PERFBOARD_EMULATORS") : "");
  for (std::string path; std::getline(more, path, ':');) paths.emplace_back(path);
  std::map<std::string, Installed> all;
  for (const auto& path : paths) {
    if (!path.filename().string().starts_with("qemu-") || access(path.c_str(), X_OK) != 0) continue;
    const std::filesystem::path real = std::filesystem::canonical(path);
    const std::string name = real.filename().string().substr(5);
    if (name.starts_with("system-"))
      all[real] = {real, name.substr(7, name.find("-microvm") - 7), false};
    else if (std::find(kUserTargets.begin(), kUserTargets.end(), name) != kUserTargets.end())
      all[real] = {real, name, true};
  }
  std::vector<Installed> list;
  for (const auto& [path, emulator] : all) list.push_back(emulator);
  return list;
}

// What QEMU itself says before it asks the object: built without plugins; or of a series whose plugins
// differ.
bool refused_by_qemu(const Refusal& r) {
  const bool own_words = has(r.output, "plugin interface not enabled in this build") ||
                         has(r.output, "unknown option 'plugin'") ||
                         has(r.output, "plugin requires API version");
  return own_words && !has(r.output, "perfboard: ") && r.status == 1;
}

void expect_one_line_or_loaded(const Installed& e) {
  SCOPED_TRACE(e.path);
  const Words system = {
      e.path, "-nodefaults", "-no-user-config", "-display", "none",    "-machine",
      "none", "-S",          "-monitor",        "none",     "-plugin", plugin_path() + ",help"};
  const Refusal r = run(e.user ? Words{e.path, "-plugin", plugin_path(), "/bin/true"} : system);
  const bool fits = !e.user && is_legal(e.target) && is_built(series_of(e.path));
  if (refused_by_qemu(r) && e.path != std::filesystem::canonical(qemu_path())) {
    EXPECT_EQ(lines_of(r.output).size(), 1u) << r.output;
  } else if (fits) {
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_TRUE(has(r.output, "-device multikron:")) << r.output;
    EXPECT_EQ(has(r.output, "-device surfboard:"), e.target != "ppc64") << "EISA is a PC's\n" << r.output;
  } else if (e.user) {
    expect_refused(r, {"qemu-" + e.target + " runs one program", kUse});
  } else if (is_legal(e.target)) {
    expect_refused(r, {"built for QEMU " + built()});
  } else {
    expect_refused(r, {"this is qemu-system-" + e.target + ";", kUse});
  }
}

TEST(GuardInstalled, OneLineOrTheBoards) {
  const auto all = installed();
  ASSERT_FALSE(all.empty());
  for (const Installed& e : all) expect_one_line_or_loaded(e);
  RecordProperty("emulators", static_cast<int>(all.size()));
}

TEST(GuardInstalled, LoadedTwice) {
  Scratch scratch;
  for (const std::string& file : {plugin_path(), object_path()})
    std::filesystem::copy_file(file, scratch.path(std::filesystem::path(file).filename()));
  expect_refused(start_and_end({"-plugin", scratch.path("perfboard.so")}), {"loaded already", "one -plugin"});
}

// perfboard.so may be a link; it looks for the object beside itself.
TEST(GuardInstalled, TheObjectIsBesideIt) {
  Scratch scratch;
  std::filesystem::create_symlink(plugin_path(), scratch.path("link.so"));
  EXPECT_EQ(start_and_end({}, qemu_path(), scratch.path("link.so") + ",help").status, 0);
  std::filesystem::copy_file(plugin_path(), scratch.path("alone.so"));
  expect_refused(start_and_end({}, qemu_path(), scratch.path("alone.so")),
                 {"/perfboard-" + own_series() + ".so: cannot open shared object file"});
}

// Whether they are there from the start, or may be plugged in; and before the guest runs.
TEST(GuardInstalled, MoreVcpusThanItCanTellApart) {
  for (const char* smp : {"288", "1,maxcpus=256"})
    expect_refused(start_and_end({"-machine", "q35", "-smp", smp, "-device", "smile-sci,latency=on"}),
                   {"-smp maxcpus=", "legal are 1 to 255"});
}

TEST(GuardInstalled, Kvm) {
  const int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
  if (kvm < 0) GTEST_SKIP() << "no /dev/kvm that this user may open";
  close(kvm);
  const Refusal r = start_and_end({"-accel", "kvm"});
  if (has(r.output, "failed to initialize kvm")) GTEST_SKIP() << r.output;
  expect_refused(r, {"TCG", "accelerator", "use -accel tcg"});
}

// --- where it fits ----------------------------------------------------------

// QEMU with these words, and a monitor that is given a command and then told to end.
Refusal ask_monitor(const std::string& command, Words words) {
  Scratch scratch;
  std::ofstream(scratch.path("commands")) << command << "\nquit\n";
  words.insert(words.end(), {"-nodefaults", "-display", "none", "-S", "-mon", "chardev=monitor", "-chardev",
                             "file,id=monitor,path=" + scratch.path("answer") +
                                 ",input-path=" + scratch.path("commands")});
  Refusal r = run(words);
  r.output += contents(scratch.path("answer"));
  return r;
}

TEST(Guard, BothMachinesTakeTheBoards) {
  for (const char* machine : {"pc", "q35"}) {
    const Refusal r = ask_monitor("info qtree", {qemu_path(), "-machine", machine, "-plugin", plugin_path(),
                                                 "-device", "i82375", "-device", "shrimp-sni,slot=1",
                                                 "-device", "surfboard,slot=2", "-device", "multikron"});
    EXPECT_EQ(r.status, 0) << machine << "\n" << r.output;
    EXPECT_FALSE(has(r.output, "perfboard: ")) << r.output;
    for (const char* device : {"dev: i82375", "dev: shrimp-sni", "dev: surfboard", "dev: multikron"})
      EXPECT_TRUE(has(r.output, device)) << machine << " " << device << "\n" << r.output;
  }
}

TEST(Guard, AMachineWithoutIsaRefusesTheBridge) {
  const Refusal r = ask_monitor(
      "info qtree", {qemu_path(), "-machine", "microvm", "-plugin", plugin_path(), "-device", "i82375"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(has(r.output, "i82375")) << r.output;
}

// --- POWER --------------------------------------------------------------------

// Empty: it is not installed.
std::string ppc64() {
  const char* path = std::getenv("PERFBOARD_QEMU_PPC64");
  return path && series_of(path) == own_series() ? path : "";
}

Words pseries(const Words& devices) {
  Words words = {ppc64(), "-machine",
                 "pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off",
                 "-plugin", plugin_path()};
  for (const std::string& device : devices) words.insert(words.end(), {"-device", device});
  return words;
}

TEST(GuardPower, PseriesTakesThePciBoard) {
  if (ppc64().empty()) GTEST_SKIP() << "no qemu-system-ppc64 of this series";
  const Refusal one = ask_monitor("info qtree", pseries({"multikron"}));
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_FALSE(has(one.output, "perfboard: ")) << one.output;
  EXPECT_TRUE(has(one.output, "dev: multikron")) << one.output;
}

TEST(GuardPower, EisaIsForPcs) {
  if (ppc64().empty()) GTEST_SKIP() << "no qemu-system-ppc64 of this series";
  // The second machine has ISA interrupt lines.
  for (const char* machine : {"pseries", "40p"}) {
    Words words = pseries({"i82375"});
    words[2] = machine;
    const Refusal r = ask_monitor("info qtree", words);
    EXPECT_EQ(r.status, 1) << machine << "\n" << r.output;
    EXPECT_TRUE(has(r.output, "'i82375' is not a valid device model name")) << machine << "\n" << r.output;
  }
}

// --- help -------------------------------------------------------------------

std::string help() {
  const Refusal r = start_and_end({}, qemu_path(), plugin_path() + ",help");
  EXPECT_EQ(r.status, 0) << r.output;
  return r.output;
}

// Digits count as the number they are.
bool comes_before(const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; }

struct HelpLine {
  std::string device, property, text;
};

std::vector<HelpLine> help_lines() {
  const std::regex device("-device ([^:]+): .+"), property(R"(  (\S+)=<\S+> +(.+))");
  std::vector<HelpLine> all;
  std::string now;
  std::smatch found;
  for (const std::string& line : lines_of(help())) {
    if (std::regex_match(line, found, device))
      now = found[1];
    else if (std::regex_match(line, found, property))
      all.push_back({now, found[1], found[2]});
  }
  return all;
}

TEST(GuardHelp, BeginsWithTheVersion) {
  const std::string first = help().substr(0, help().find('\n'));
  EXPECT_TRUE(std::regex_match(
      first, std::regex(R"(Perfboard \d+\.\d+\.\d+ \(commit [0-9a-f]{12}\), for QEMU \d+\.\d+)")))
      << first;
}

TEST(GuardHelp, DevicesAndPropertiesInOrder) {
  const auto lines = help_lines();
  std::set<std::string> devices;
  for (size_t i = 0; i < lines.size(); ++i) {
    devices.insert(lines[i].device);
    if (i == 0) continue;
    const auto& a = lines[i - 1];
    const auto& b = lines[i];
    EXPECT_TRUE(a.device == b.device ? comes_before(a.property, b.property) : a.device < b.device)
        << a.device << "." << a.property << ", " << b.device << "." << b.property;
  }
  EXPECT_EQ(devices, (std::set<std::string>{"i82375", "multikron", "perfboard-lan", "power2-pm", "shrimp-sni",
                                            "smile-hwm", "smile-sci", "surfboard"}));
}

// A member as text; "" if it is not there.
std::string field(const rapidjson::Value& object, const char* name) {
  if (!object.HasMember(name)) return "";
  return object[name].IsString() ? object[name].GetString() : text_of(object[name]);
}

// As help writes a value that QMP wrote.
std::string as_typed(const std::string& type, const std::string& value) {
  if (type == "bool") return value == "true" ? "on" : "off";
  const uint64_t n = type == "size" ? std::stoull(value) : 0;
  if (n == 0) return value;
  return n % (1 << 20) == 0   ? std::to_string(n >> 20) + "M"
         : n % (1 << 10) == 0 ? std::to_string(n >> 10) + "K"
                              : value;
}

// QEMU's own list of the same devices: the same properties, descriptions and defaults.
TEST(GuardHelp, AgreesWithQemusOwnList) {
  std::map<std::string, std::map<std::string, std::string>> ours;
  for (const HelpLine& l : help_lines()) ours[l.device][l.property] = l.text;
  Machine m;
  unsigned defaults = 0;
  for (const auto& [device, properties] : ours) {
    const Json answer = m.qmp("device-list-properties", {{"typename", device}});
    std::set<std::string> theirs;
    for (const auto& json : answer["return"].GetArray()) {
      const std::string name = field(json, "name");
      theirs.insert(name);
      const auto found = properties.find(name);
      if (found == properties.end()) continue;
      const std::string value = field(json, "default-value");
      EXPECT_TRUE(found->second.starts_with(field(json, "description"))) << device << "." << name;
      EXPECT_EQ(has(found->second, "(default: "), !value.empty()) << device << "." << name << ": " << value;
      if (value.empty()) continue;
      ++defaults;
      EXPECT_TRUE(has(found->second, "(default: " + as_typed(field(json, "type"), value) + ")"))
          << device << "." << name << ": " << value << "\n"
          << found->second;
    }
    for (const auto& [name, text] : properties) EXPECT_TRUE(theirs.count(name)) << device << "." << name;
  }
  EXPECT_GT(defaults, 10u);
}

TEST(GuardHelp, LeavesOutWhatEveryDeviceHas) {
  const std::string text = help();
  for (const char* name : {"hotplugged", "realized", "legacy-", "romfile", "multifunction"})
    EXPECT_FALSE(has(text, name)) << name << "\n" << text;
  for (const char* name :
       {"addr=<str>", "slot=<uint32>", "chardev=<str>", "led10=<bool>", "receive-time=<uint64>"})
    EXPECT_TRUE(has(text, name)) << name << "\n" << text;
}

// The names that a board takes, which it lists where it is given another.
TEST(GuardHelp, NamesOfEventSources) {
  const std::string refusal = start_and_end({"-device", "multikron,ext0=nothing"}).output;
  const size_t first = refusal.find("legal are "), last = refusal.find(", each", first);
  ASSERT_NE(last, refusal.npos) << refusal;
  std::string names = refusal.substr(first + 10, last - first - 10);
  Words sources;
  const std::regex name(R"([^, ]+)");
  for (std::sregex_iterator it(names.begin(), names.end(), name), end; it != end; ++it)
    sources.push_back(it->str());
  std::sort(sources.begin(), sources.end());
  ASSERT_GT(sources.size(), 5u) << refusal;
  std::string list;
  for (const std::string& source : sources) list += "  " + source + "\n";
  const std::string text = help();
  EXPECT_TRUE(has(text, list)) << list << "\n" << text;
}

// QEMU comes first with its own help, so nothing of ours can answer it; where the object is loaded QEMU's
// list is right.
TEST(GuardHelp, SaysWhatToTypeInsteadOfDeviceHelp) {
  const Refusal r = start_and_end({"-device", "surfboard,help"});
  EXPECT_TRUE(has(r.output, "Device 'surfboard' not found")) << "QEMU has changed: help.c\n" << r.output;
  EXPECT_TRUE(has(help(), "-device NAME,help"));
  EXPECT_TRUE(has(help(), "device_add NAME,help"));
  const Refusal loaded = ask_monitor("device_add surfboard,help", {qemu_path(), "-plugin", plugin_path()});
  EXPECT_EQ(loaded.status, 0);
  EXPECT_TRUE(has(loaded.output, "hist-size=<size>")) << loaded.output;
}

}  // namespace
}  // namespace perfboard::qtest
