// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/inspector.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "hw/inspect/json_writer.h"
#include "hw/inspect/text.h"

namespace perfboard::inspect {

// The access that a thread is in the middle of. owner: null: none.
struct Inspector::Flight {
  Inspector* owner = nullptr;
  Access access;
  bool big = false;
  Parts parts;
  std::vector<Event> events;
  std::deque<std::string> lines;  // the events'
};

// A thread's is there for as long as the process: while that ends, a board may still tell of something.
Inspector::Flight& Inspector::of_thread() {
  static std::mutex lock;
  static auto* const all = new std::deque<Flight>;
  static thread_local Flight* flight = nullptr;
  if (!flight) {
    const std::lock_guard guard(lock);
    flight = &all->emplace_back();
  }
  return *flight;
}

// A look at the model.
class Inspector::Look {
 public:
  explicit Look(const PbInspectBoard& board) : board_(board) {
    if (board_.lock) board_.lock(board_.opaque, true);
  }
  ~Look() {
    if (board_.lock) board_.lock(board_.opaque, false);
  }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

 private:
  const PbInspectBoard& board_;
};

Inspector::Inspector(const PbInspectBoard& board)
    : board_(board),
      unit_(board.unit ? board.unit : ""),
      who_{view() ? view()->board : board.board, unit_, view()} {}

// --- who looks -----------------------------------------------------------------------------------

void Inspector::settle() {
  looking_ = !listeners_.empty() || recent_.most() || break_ ||
             std::any_of(awaits_.begin(), awaits_.end(), [](const Await& a) { return a.on; });
  may_break_ = break_ && (break_->kind == Pattern::Kind::kAccess || break_->kind == Pattern::Kind::kNone);
}

void Inspector::add(Listener* listener) {
  const std::lock_guard guard(lock_);
  listeners_.push_back(listener);
  settle();
}

void Inspector::look_away() {
  const std::lock_guard guard(lock_);
  listeners_.clear();
  recent_.resize(0);
  break_.reset();
  for (Await& a : awaits_) a.on = false;
  settle();
}

void Inspector::set_break(std::optional<Pattern> pattern) {
  const std::lock_guard guard(lock_);
  break_ = std::move(pattern);
  settle();
}

void Inspector::set_recent(uint32_t n) {
  const std::lock_guard guard(lock_);
  recent_.resize(n);
  settle();
}

Inspector::Await* Inspector::await(Pattern pattern, void (*come)(void* opaque, uint64_t ns), void* opaque) {
  const std::lock_guard guard(lock_);
  awaits_.push_back({std::move(pattern), come, opaque, true});
  settle();
  return &awaits_.back();
}

void Inspector::await(Await* await, bool on) {
  const std::lock_guard guard(lock_);
  await->on = on;
  settle();
}

void Inspector::set_filter(Filter filter) {
  const std::lock_guard guard(lock_);
  filter_ = std::move(filter);
}

// --- an access -----------------------------------------------------------------------------------

void Inspector::fill(const PbInspectAccess& from, Access& access, Parts& parts) const {
  access = {};
  access.ns = from.ns;
  access.vcpu = from.vcpu;
  if (from.has_pc) access.pc = from.pc;
  access.window = from.window;
  access.offset = from.offset;
  access.bytes = from.bytes;
  access.write = from.write;
  access.value = from.write ? from.value : 0;
  split_access(from.none ? nullptr : view(), board_.model, access, parts);
  if (from.write) put_value(access, from.big, parts);
}

void Inspector::look(uint64_t ns, Parts& parts, std::optional<uint32_t> Part::* into) const {
  for (Part& p : parts.all()) {
    if (p.place.reg) p.*into = view()->peek(board_.model, ns, p.place);
  }
}

bool Inspector::breaks(const PbInspectAccess& from) {
  Access access;
  Parts parts;
  {
    const Look at_model(board_);
    fill(from, access, parts);
    look(from.ns, parts, &Part::before);
  }
  if (!from.write) {
    for (Part& p : parts.all()) p.data = p.before.value_or(0) & p.lanes;
  }
  access.parts = parts.all();
  const std::lock_guard guard(lock_);
  return break_ && matches_alone(*break_, who_, access);
}

void Inspector::begin(const PbInspectAccess& from) {
  Flight& f = of_thread();
  given_up();
  const Look at_model(board_);
  f.owner = this;
  f.big = from.big;
  fill(from, f.access, f.parts);
  look(from.ns, f.parts, &Part::before);
}

void Inspector::end(uint64_t value) {
  Flight& f = of_thread();
  if (f.owner != this) return;  // somebody began to look in the middle of it
  if (!f.access.write) {
    f.access.value = value & (~uint64_t{0} >> (64 - 8 * f.access.bytes));
    put_value(f.access, f.big, f.parts);
  }
  {
    const Look at_model(board_);
    look(f.access.ns, f.parts, &Part::after);
  }
  f.owner = nullptr;
  f.access.parts = f.parts.all();
  f.access.events = f.events;
  deliver(f.access);
  f.events.clear();
  f.lines.clear();
}

void Inspector::given_up() {
  Flight& f = of_thread();
  if (!f.owner) return;
  Inspector* const owner = std::exchange(f.owner, nullptr);
  for (const Event& e : f.events) owner->deliver(e);
  f.events.clear();
  f.lines.clear();
}

// --- events --------------------------------------------------------------------------------------

void Inspector::tell(What what, uint32_t number, uint64_t value, std::string_view line) {
  Flight& f = of_thread();
  Event event{what, 0, number, value, line};
  if (f.owner == this) {
    event.ns = f.access.ns;
    event.line = f.lines.emplace_back(line);
    f.events.push_back(event);
    return;
  }
  event.ns = board_.now(board_.opaque);
  deliver(event);
}

// Those that it ends. They are told without the lock.
template <typename What>
std::vector<Inspector::Await*> Inspector::awaited(const What& what) {
  std::vector<Await*> come;
  for (Await& a : awaits_) {
    if (a.on && matches(a.pattern, who_, what)) {
      a.on = false;
      come.push_back(&a);
    }
  }
  return come;
}

template <typename Told>
void Inspector::deliver(const Told& told) {
  constexpr bool kAccess = std::is_same_v<Told, Access>;
  const auto fits = [&](const Event& e) { return break_ && matches(*break_, who_, e); };
  bool broke;
  std::vector<Await*> come;
  {
    const std::lock_guard guard(lock_);
    for (Listener* const listener : listeners_) {
      if constexpr (kAccess)
        listener->access(told);
      else
        listener->event(told);
    }
    recent_.keep(told);
    if constexpr (kAccess)
      broke = std::ranges::any_of(told.events, fits);
    else
      broke = fits(told);
    come = awaited(told);
  }
  for (const Await* const a : come) a->come(a->opaque, told.ns);
  if (broke && board_.broke) board_.broke(board_.opaque);
}

// --- registers -----------------------------------------------------------------------------------

constexpr size_t kMostOfArray = 256;  // entries of a register that are all shown

// The first word of each register, by the windows.
void Inspector::find_registers() {
  if (!spots_.empty() || !view()) return;
  std::set<std::tuple<const Register*, int, int>> seen;
  for (unsigned w = 0; w < view()->windows.size(); ++w) {
    for (uint64_t at = 0; at < view()->windows[w].bytes; at += 4) {
      const Place p = view()->place(board_.model, w, at);
      if (p.reg && seen.emplace(p.reg, p.index, p.unit).second) spots_.push_back({w, at});
    }
  }
}

// Those that hold something.
template <typename Each>
void Inspector::each_register(uint64_t ns, Each&& each) {
  const Look at_model(board_);
  find_registers();
  for (const Spot& spot : spots_) {
    const Place p = view()->place(board_.model, spot.window, spot.offset);
    const auto value = p.reg ? view()->peek(board_.model, ns, p) : std::nullopt;
    if (value) each(p, *value);
  }
}

std::string Inspector::registers(uint64_t ns, bool irq) {
  std::vector<std::pair<Place, uint32_t>> held;
  std::map<const Register*, size_t> many;  // entries of an array
  const auto plain = [&](const Place& p, uint32_t value) {
    return many[p.reg] > kMostOfArray && value == p.reg->reset();
  };
  each_register(ns, [&](const Place& p, uint32_t value) {
    held.emplace_back(p, value);
    ++many[p.reg];
  });
  JsonWriter json;
  json.StartObject();
  json.text("board", who_.board).text("unit", who_.unit).number("ns", ns).number("irq", irq);
  json.key("registers").StartArray();
  for (const auto& [place, value] : held) {
    if (!plain(place, value)) json.json(json_register(place, value));
  }
  json.EndArray();
  json.key("recent").StartArray();
  // Only now: a board that tells of something has its own lock, and waits for this one.
  const std::lock_guard guard(lock_);
  recent_.each([&](const Access& a) { json.json(json_of(who_, a)); },
               [&](const Event& e) { json.json(json_of(who_, e)); });
  json.EndArray();
  json.EndObject();
  return json.done();
}

std::string Inspector::pending(uint64_t ns) {
  if (!view()) return {};
  std::map<std::pair<std::string, int>, bool> set;  // a field by its dotted name, of each of several alike
  each_register(ns, [&](const Place& p, uint32_t value) {
    for (const Field& f : p.reg->fields)
      set[{std::string(p.reg->name) + "." + std::string(f.name), p.unit}] |= f.get(value) != 0;
  });
  std::string out;
  for (const auto& [name, on] : set) {
    for (const Condition& c : view()->conditions) {
      if (!on || c.status != name.first) continue;
      if (!c.enable.empty() && !set[{std::string(c.enable), name.second}]) continue;
      out += (out.empty() ? "" : ", ") + (name.second >= 0 ? std::to_string(name.second) + ":" : "") +
             name.first + " never acknowledged";
      if (!c.service.empty()) out += " (" + std::string(c.service) + ")";
    }
  }
  return out;
}

}  // namespace perfboard::inspect
