// SPDX-License-Identifier: GPL-2.0-or-later
// surf - the user interface to the SurfBoard (TR-596-99, B.2.1). README.md is its manual.
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>

#include "guest/common/arguments.h"
#include "guest/common/tool_main.h"
#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/cmd/memory.h"
#include "guest/surfboard/cmd/session.h"
#include "guest/surfboard/cmd/state.h"
#include "guest/surfboard/lib/surflib.h"
#include "guest/surfboard/regs.h"
#include "guest/surfboard/uapi.h"

namespace perfboard::prompt {
namespace {

[[noreturn]] void fail(const std::string& device, std::string_view what) {
  throw BoardError(fmt::format("{}: {}: {}", device, what, strerror(errno)));
}

// A Board behind /dev/surfN: registers through surflib, the memories by mmap.
class DeviceBoard : public Board {
 public:
  explicit DeviceBoard(const std::string& device) : device_(device), board_(surf_Open(device.c_str())) {
    if (board_ < 0) fail(device_, errno == ENOTTY ? "not a SurfBoard" : "cannot open the board");
  }
  ~DeviceBoard() override {
    for (std::span<uint32_t> memory : {trace_, histogram_})
      if (!memory.empty()) munmap(memory.data(), memory.size_bytes());
    surf_Close(board_);
  }
  DeviceBoard(const DeviceBoard&) = delete;
  DeviceBoard& operator=(const DeviceBoard&) = delete;

  uint32_t get(uint32_t offset) override {
    uint32_t value;
    if (surf_GetReg(board_, offset, &value) < 0)
      fail(device_, fmt::format("read of register {:02X}", offset));
    return value;
  }
  void put(uint32_t offset, uint32_t value) override {
    if (surf_PutReg(board_, offset, value) < 0)
      fail(device_, fmt::format("write of register {:02X}", offset));
  }
  std::span<uint32_t> trace() override {
    return map(trace_, surf_GetTSize(board_), SURF_MAP_TRACE, "mapping the trace memory");
  }
  std::span<uint32_t> histogram() override {
    return map(histogram_, surf_GetHSize(board_), SURF_MAP_HIST, "mapping the histogram memory");
  }
  void configure(std::span<const uint8_t> bits) override;
  Woken wait(int timeout_ms) override;
  void clear_exception() override {
    if (surf_ClearException(board_) < 0) fail(device_, "clearing the exception");
  }

 private:
  std::span<uint32_t> map(std::span<uint32_t>& memory, int64_t size, uint32_t offset, const char* what);
  std::string device_;
  int board_;
  std::span<uint32_t> trace_, histogram_;  // mapped when first wanted
};

std::span<uint32_t> DeviceBoard::map(std::span<uint32_t>& memory, int64_t size, uint32_t offset,
                                     const char* what) {
  if (size < 0) fail(device_, "size of the memories");
  if (memory.empty() && size > 0) {
    const size_t bytes = static_cast<size_t>(size);
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, board_, offset);
    if (at == MAP_FAILED) fail(device_, what);
    memory = {static_cast<uint32_t*>(at), bytes / 4};
  }
  return memory;
}

void DeviceBoard::configure(std::span<const uint8_t> bits) {
  if (surf_ConfigHAS(board_, bits.data(), bits.size()) == 0) return;
  if (errno != EIO) fail(device_, "configuring the FPGA");
  const uint32_t fccr = get(SURF_FCCR);
  throw BoardError(
      fmt::format("the FPGA did not take the bitstream: DONE {} ERR {} CFG {}: {}",
                  fccr & SURF_FCCR_DONE ? 1 : 0, fccr & SURF_FCCR_ERR ? 1 : 0, fccr & SURF_FCCR_CFG ? 1 : 0,
                  fccr & SURF_FCCR_ERR ? "a frame is damaged" : "it is too short or not for this part"));
}

Woken DeviceBoard::wait(int timeout_ms) {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : kHeldSignals) sigaddset(&held, signal);
  const int signals = signalfd(-1, &held, SFD_CLOEXEC);
  if (signals < 0) fail(device_, "signals");
  pollfd both[] = {{.fd = board_, .events = POLLPRI, .revents = 0},
                   {.fd = signals, .events = POLLIN, .revents = 0}};
  int woken;
  do woken = poll(both, 2, timeout_ms);
  while (woken < 0 && errno == EINTR);
  const int error = errno;
  close(signals);
  errno = error;
  if (woken < 0) fail(device_, "waiting for an interrupt");
  if (both[1].revents) return Woken::signal;
  if (both[0].revents & ~POLLPRI) throw BoardError(device_ + ": the board has gone");
  return woken > 0 ? Woken::exception : Woken::time;
}

// One line on the terminal, from the first second of a transfer on.
class Meter {
 public:
  void operator()(std::string_view what, size_t done, size_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (done == 0) begin_ = shown_ = now;
    const bool finished = all > 0 && done >= all;
    if (visible_ && finished) fputs("\r\033[K", stderr);
    if (finished) visible_ = false;
    if (finished || now - begin_ < std::chrono::seconds(1) || now - shown_ < std::chrono::milliseconds(200))
      return;
    shown_ = now;
    visible_ = true;
    const int width = static_cast<int>(what.size());
    if (all > 0)
      fprintf(stderr, "\r%.*s: %zu %%", width, what.data(), 100 * done / all);
    else
      fprintf(stderr, "\r%.*s: %zu", width, what.data(), done);
  }

 private:
  std::chrono::steady_clock::time_point begin_, shown_;
  bool visible_ = false;
};

struct HotOptions {
  static constexpr unsigned kAll = UINT_MAX;
  static constexpr unsigned kMostSeconds = INT_MAX / 1000;

  void add(Arguments& args, const std::function<void()>& chosen) {
    Arguments& command =
        args.command("hot", "tell which sender, color or category gets many packets, when it does", chosen);
    command.option("VARIABLE", variable, "whose values have the bins")
        .one_of({"sender", "color", "category"})
        .required();
    command.option("-p,--packets", hot.threshold, "the threshold of a bin")
        .range(1, Hot::kMostPackets)
        .show_default();
    command.option("-o,--only", only, "watch this value alone").range(0, kHotMost - 1);
    command.option("-n,--times", hot.times, "end after so many thresholds").positive().show_default();
    command.option("-t,--timeout", seconds, "end if no interrupt comes for so many seconds; 0: wait for ever")
        .range(0, kMostSeconds)
        .show_default();
    command.option("--trace", hot.trace_file, "trigger a trace with the first, and save it").type("FILE");
    command.option("--mode", mode, "where the trace's trigger is")
        .one_of({"beginning", "middle", "end"})
        .show_default();
    command.option("--selector", hot.selector, "bitstream instead of /firmware/VARIABLE.bit").type("FILE");
  }
  // After parsing: what --only says against the variable; otherwise what is wrong.
  std::string finish() {
    if (variable.empty()) return "";
    hot.variable = *std::ranges::find(kHotVariables, variable, &HotVariable::name);
    if (hot.selector.empty()) hot.selector = "/firmware/" + variable + ".bit";
    hot.mode = mode == "beginning" ? SURF_MODE_BEGIN : mode == "middle" ? SURF_MODE_MIDDLE : SURF_MODE_END;
    if (seconds > 0) hot.timeout_ms = static_cast<int>(1000 * seconds);
    if (only == kAll) return "";
    hot.only = only;
    if (only < hot.variable.values) return "";
    return fmt::format("--only {}: expected 0 to {}, the values of {}", only, hot.variable.values - 1,
                       variable);
  }

  Hot hot;
  std::string variable, mode = "middle";
  unsigned only = kAll, seconds = 0;
};

int surf(int argc, char** argv) {
  Arguments args(
      "surf",
      "surf - user interface to the SurfBoard\n"
      "Reads commands from the terminal, or from standard input, and ends at the first error if that\n"
      "is not a terminal. There HELP lists the commands.\n"
      "With a command behind it, surf executes that alone.");
  std::string device = SURF_DEFAULT_DEVICE;
  std::vector<std::string> commands;
  bool echo = false;
  args.option("-d,--device", device, "the board's device").show_default().type("FILE");
  args.option("-c,--command", commands, "execute COMMAND and read no input; may be repeated")
      .type("COMMAND")
      .each();
  args.flag("-e,--echo", echo, "show the prompt and each command, as a terminal would");
  std::string file;
  std::function<void(Board&, const Progress&)> work;
  const Note note = [](std::string_view text) { std::cerr << "surf: " << text << std::endl; };
  Arguments& save = args.command("save", "write the whole board, but for the bitstream, into FILE", [&] {
    work = [&](Board& board, const Progress& progress) { save_state(board, file, progress); };
  });
  save.option("FILE", file, "that it makes").required();
  Arguments& load = args.command("load", "give the board what FILE has of one", [&] {
    work = [&](Board& board, const Progress& progress) { load_state(board, file, note, progress); };
  });
  load.option("FILE", file, "of surf save").required();
  HotOptions hot;
  hot.add(args, [&] {
    work = [&](Board& board, const Progress& progress) {
      watch_hot(board, hot.hot, std::cout, note, progress);
    };
  });
  args.command_may_be_missing();
  args.version("surf (Perfboard) " PERFBOARD_VERSION);
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  if (const std::string wrong = hot.finish(); !wrong.empty()) {
    note(wrong);
    return 2;
  }
  if (work && (echo || !commands.empty())) {
    note("save, load and hot: expected no -c and no -e with them");
    return 2;
  }

  try {
    DeviceBoard board(device);
    const Session::Watch watch = isatty(STDERR_FILENO) ? Session::Watch(Meter{}) : Session::Watch{};
    if (work) {
      work(board, [&](size_t done, size_t all) {
        if (watch) watch(file, done, all);
      });
      return 0;
    }
    Session session(board, std::cout, std::cerr, watch);
    if (!commands.empty()) {
      for (const std::string& command : commands) {
        if (echo) std::cout << Session::kPrompt << command << std::endl;
        const Outcome outcome = session.execute(command);
        if (outcome != Outcome::done) return outcome == Outcome::failed;
      }
      return 0;
    }
    if (isatty(STDIN_FILENO) && !echo) {
      run_terminal(session);
      return 0;
    }
    return session.run(std::cin, "<stdin>", echo) == Outcome::failed;
  } catch (const std::runtime_error& e) {
    std::cerr << "surf: " << e.what() << std::endl;
    return 1;
  }
}

}  // namespace
}  // namespace perfboard::prompt

PERFBOARD_TOOL(surf) { return perfboard::prompt::surf(argc, argv); }
