// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/qtest/core/machine.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace perfboard::qtest {
namespace {

constexpr int kPatienceMs = 600'000;  // ends a hang, nothing else
constexpr uint32_t kProgramAt = 0x600;

// The i6300ESB: PCI device number and where its registers are put.
constexpr unsigned kWatchdog = 0x1e;
constexpr uint32_t kWatchdogBar = 0xfe000000;
constexpr uint64_t kUnit = 960, kSlowUnit = kUnit << 10;
constexpr uint64_t kPreloadMax = 0xfffff;

constexpr uint32_t kHpet = 0xfed00000, kHpetTimer2 = kHpet + 0x140;
constexpr uint64_t kHpetTick = 10;

void write_rom(const std::string& file) {
  std::vector<uint8_t> rom(0x10000, 0xf4);
  const std::array<uint8_t, 5> jump = {0xea, kProgramAt & 0xff, kProgramAt >> 8, 0, 0};  // jmp 0:0600
  std::copy(jump.begin(), jump.end(), rom.end() - 16);
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(rom.data()), 0x10000);
}

uint64_t to_number(std::string_view text) { return std::stoull(std::string(text), nullptr, 0); }

}  // namespace

Machine::Machine(MachineOptions options) {
  write_rom(scratch_.path("rom"));
  qtest_ = std::make_unique<Link>(scratch_.path("qtest"));
  qmp_ = std::make_unique<Qmp>(scratch_.path("qmp"));
  std::string plugin = plugin_path();
  if (!options.scenario.empty()) {
    std::ofstream(scratch_.path("scenario")) << options.scenario;
    plugin += ",scenario=" + scratch_.path("scenario");
    if (options.unreached) plugin += ",unreached=" + scratch_.path("unreached");
  }
  std::vector<std::string> words = {qemu_path()};
  std::istringstream fixed(
      "-nodefaults -no-user-config -display none -S -machine pc,accel=tcg -m 128 -icount shift=0,sleep=off "
      "-rtc clock=vm,base=2026-01-01 -seed 1 -qtest-log none -d guest_errors -action watchdog=pause");
  for (std::string word; fixed >> word;) words.push_back(word);
  words.insert(words.end(), {"-device", fmt::format("i6300esb,addr={:x}", kWatchdog)});
  for (const auto& [option, file] : {std::pair("-bios", "rom"), std::pair("-D", "log")})
    words.insert(words.end(), {option, scratch_.path(file)});
  for (const char* socket : {"qtest", "qmp"})
    words.insert(words.end(), {std::string("-") + socket, "unix:" + scratch_.path(socket)});
  words.insert(words.end(), {"-plugin", plugin, "-device", "i82375"});
  for (const std::string& d : options.devices) words.insert(words.end(), {"-device", d});
  words.insert(words.end(), options.args.begin(), options.args.end());
  process_ = std::make_unique<Process>(words, scratch_.path("output"));
  qtest_->accept_from(*process_);
  qmp_->accept_from(*process_);
  if (options.program.empty()) options.program = {0xf4, 0xeb, 0xfd};  // hlt; jmp to it
  write_bytes(kProgramAt, options.program);
}

Machine::~Machine() = default;

// --- qtest ------------------------------------------------------------------

std::string Machine::command_line(const std::string& line) {
  qtest_->send_line(line);
  const std::string answer = qtest_->line();
  if (!answer.starts_with("OK")) throw std::runtime_error("qtest: " + line + ": " + answer);
  return answer.size() > 3 ? answer.substr(3) : "";
}

template <typename... Values>
std::string Machine::command(const char* name, Values... values) {
  std::string line = name;
  ((line += fmt::format(" 0x{:x}", values)), ...);
  return command_line(line);
}

template <typename... Values>
uint64_t Machine::number(const char* name, Values... values) {
  return to_number(command(name, values...));
}

template std::string Machine::command(const char*, uint16_t, uint32_t);
template std::string Machine::command(const char*, uint64_t, uint32_t);
template std::string Machine::command(const char*, uint64_t, uint64_t);
template uint64_t Machine::number(const char*, uint16_t);
template uint64_t Machine::number(const char*, uint64_t);

uint64_t Machine::read(uint64_t a, unsigned size) {
  switch (size) {
    case 1:
      return read8(a);
    case 2:
      return read16(a);
    case 4:
      return read32(a);
    default:
      return read64(a);
  }
}

void Machine::write(uint64_t a, uint64_t v, unsigned size) {
  switch (size) {
    case 1:
      return write8(a, static_cast<uint8_t>(v));
    case 2:
      return write16(a, static_cast<uint16_t>(v));
    case 4:
      return write32(a, static_cast<uint32_t>(v));
    default:
      return write64(a, v);
  }
}

std::vector<uint8_t> Machine::read_bytes(uint64_t a, size_t bytes) {
  if (bytes == 0) return {};
  const std::string hex = command_line(fmt::format("read 0x{:x} 0x{:x}", a, bytes));
  std::vector<uint8_t> data;
  for (size_t i = 2; i + 1 < hex.size(); i += 2)
    data.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return data;
}

void Machine::write_bytes(uint64_t a, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  std::string line = fmt::format("write 0x{:x} 0x{:x} 0x", a, bytes.size());
  for (uint8_t b : bytes) line += fmt::format("{:02x}", b);
  command_line(line);
}

void Machine::fill(uint64_t a, size_t bytes, uint8_t value) {
  command_line(fmt::format("memset 0x{:x} 0x{:x} 0x{:x}", a, bytes, value));
}

// --- devices of the PC --------------------------------------------------------

unsigned Machine::pci_device(uint32_t ids, unsigned nth) {
  for (unsigned device = 0; device < 32; ++device)
    if (pci_read32(device, 0) == ids && nth-- == 0) return device;
  throw std::runtime_error(fmt::format("no PCI device {:08x}", ids));
}

uint32_t Machine::pci_read32(unsigned device, unsigned offset) {
  out32(0xcf8, 0x80000000u | device << 11 | (offset & 0xfc));
  return in32(0xcfc);
}

void Machine::pci_write32(unsigned device, unsigned offset, uint32_t value) {
  out32(0xcf8, 0x80000000u | device << 11 | (offset & 0xfc));
  out32(0xcfc, value);
}

void Machine::pci_write16(unsigned device, unsigned offset, uint16_t value) {
  out32(0xcf8, 0x80000000u | device << 11 | (offset & 0xfc));
  out16(static_cast<uint16_t>(0xcfc + (offset & 2)), value);
}

void Machine::pci_write8(unsigned device, unsigned offset, uint8_t value) {
  out32(0xcf8, 0x80000000u | device << 11 | (offset & 0xfc));
  out8(static_cast<uint16_t>(0xcfc + (offset & 3)), value);
}

void Machine::pci_place(unsigned device, const std::vector<uint32_t>& bars, uint16_t command) {
  for (unsigned i = 0; i < bars.size(); ++i)
    if (bars[i]) pci_write32(device, 0x10 + 4 * i, bars[i]);
  pci_write16(device, 0x04, command);
}

uint16_t Machine::irr() {
  out8(0x20, 0x0a);  // OCW3: the next read is of the IRR
  out8(0xa0, 0x0a);
  return static_cast<uint16_t>(in8(0x20) | in8(0xa0) << 8);
}

void Machine::level_triggered(uint16_t irqs) {
  out8(0x4d0, irqs & 0xff);
  out8(0x4d1, irqs >> 8);
}

// --- time ---------------------------------------------------------------------

// Its two stages are its preloads long, in units of 32 or 32768 PCI clocks of 30 ns. The second
// one, here of no length, asks for the pause and resets the watchdog.
void Machine::set_watchdog(uint64_t units, bool slow) {
  pci_write8(kWatchdog, 0x68, 0);
  pci_write16(kWatchdog, 0x60, slow ? 3 : 7);  // no interrupt; 1 kHz or 1 MHz
  for (uint32_t stage : {0u, 4u}) {
    write16(kWatchdogBar + 0xc, 0x80);  // unlock
    write16(kWatchdogBar + 0xc, 0x86);
    write32(kWatchdogBar + stage, stage == 0 ? static_cast<uint32_t>(units) : 0);
  }
  pci_write8(kWatchdog, 0x68, 2);
}

// QEMU's main loop warps to one more deadline after the one that asks for the pause. So that no
// board's is skipped to, there is one right behind: the HPET's.
void Machine::set_backstop(uint64_t ticks) {
  const uint64_t low = read32(kHpet + 0xf0);
  const uint64_t at = (low | uint64_t{read32(kHpet + 0xf4)} << 32) + ticks;
  write32(kHpetTimer2 + 8, static_cast<uint32_t>(at));
  write32(kHpetTimer2 + 12, static_cast<uint32_t>(at >> 32));
}

void Machine::step(uint64_t ns) {
  if (!timers_ready_) {
    pci_place(kWatchdog, {kWatchdogBar});
    write32(kHpetTimer2, 20 << 9);  // to a pin of the I/O APIC that nobody else has
    write32(kHpet + 0x10, 1);
    timers_ready_ = true;
  }
  uint64_t units = (ns + kUnit - 1) / kUnit;
  const bool slow = units > kPreloadMax;
  if (slow) units = (ns + kSlowUnit - 1) / kSlowUnit;
  if (units > kPreloadMax) throw std::runtime_error("step: too long");
  const uint64_t pause_after = units * (slow ? kSlowUnit : kUnit);
  set_watchdog(units, slow);
  set_backstop(pause_after / kHpetTick + 1);
  qmp("cont");
  qmp_->wait_event("STOP");
  stepped_ += pause_after + kHpetTick;
}

// --- QMP ------------------------------------------------------------------------

namespace {

std::string path_of(const std::string& id) { return "/machine/peripheral/" + id; }

}  // namespace

uint64_t Machine::get(const std::string& id, const std::string& property) {
  return qmp("qom-get", {{"path", path_of(id)}, {"property", property}})["return"].GetUint64();
}

bool Machine::flag(const std::string& id, const std::string& property) {
  return qmp("qom-get", {{"path", path_of(id)}, {"property", property}})["return"].GetBool();
}

std::string Machine::text(const std::string& id, const std::string& property) {
  return qmp("qom-get", {{"path", path_of(id)}, {"property", property}})["return"].GetString();
}

std::string Machine::set(const std::string& id, const std::string& property, const std::string& json) {
  const Json answer =
      qmp_->ask("qom-set", {{"path", path_of(id)}, {"property", property}, {"value", Value::raw(json)}});
  return answer.HasMember("error") ? answer["error"]["desc"].GetString() : "";
}

// --- boards that come and go ---------------------------------------------------------

std::string Machine::plug(const std::string& device) {
  std::string said = hmp("device_add " + device);
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.pop_back();
  return said;
}

void Machine::eject_at_once(unsigned device) {
  constexpr uint16_t kEject = 0xae08, kBus = 0xae10;
  out32(kBus, 0);
  out32(kEject, 1u << device);
}

void Machine::eject(unsigned device) {
  eject_at_once(device);
  qmp_->wait_event("DEVICE_DELETED");
}

// --- snapshots --------------------------------------------------------------------

void Machine::wait_migrated(const char* what) {
  for (int i = 0; i < kPatienceMs / 5; ++i) {
    const std::string status = migration_status();
    if (status == "completed") return;
    if (status == "failed") break;
    poll(nullptr, 0, 5);
  }
  throw std::runtime_error(std::string(what) + " failed: " + text_of(qmp("query-migrate")) + "\n" + output());
}

std::string Machine::migration_status() {
  const Json answer = qmp("query-migrate");
  const auto& info = answer["return"];
  return info.HasMember("status") ? info["status"].GetString() : "";
}

void Machine::save(const std::string& file) {
  qmp("migrate", {{"uri", "file:" + file}});
  wait_migrated("save");
}

void Machine::load(const std::string& file) {
  qmp("migrate-incoming", {{"uri", "file:" + file}});
  wait_migrated("load");
  timers_ready_ = true;  // they came with the snapshot
}

std::string Machine::load_refused(const std::string& file) {
  qmp("migrate-incoming", {{"uri", "file:" + file}, {"exit-on-error", false}});
  for (int i = 0; i < kPatienceMs / 5; ++i) {
    const std::string status = migration_status();
    if (status == "failed") return output();
    if (status == "completed") break;
    poll(nullptr, 0, 5);
  }
  throw std::runtime_error("load: it is not refused");
}

std::string Machine::log() const { return contents(scratch_.path("log")); }

bool Machine::answers() { return process_->running() && qmp_->ask("query-status").HasMember("return"); }

std::optional<int> Machine::quit() {
  constexpr int kTenMinutesMs = 600'000;
  qmp("quit");
  return process_->wait(kTenMinutesMs);
}

}  // namespace perfboard::qtest
