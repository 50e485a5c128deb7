// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two promises of a node concern the others' limits, and both are true whatever happens: they are carried as
// they are. The third, `alone`, is true only if nothing reaches the node but what it has taken, and on one
// host that is known by looking at all nodes at one moment (quiet_until() in cluster.cc). Hosts have no
// common moment. So what a mirrored node says as `alone` is what it says whatever happens, the earlier one of
// the other two; that is right, but idle nodes get on by a step of the network's at a time.
//
// It may be later if there is a cut through all hosts that no message crosses. Each host tells of a moment
// of its own at which nothing was under way on it, and how many messages it had sent to and had from each
// other host until then (Quiet). Channels keep their order, so if each host had, at its moment, all that the
// others had sent until theirs, nothing is under way between them either: whatever is sent behind the cut
// follows from what the nodes do alone. Counts are compared channel by channel: of a sum over hosts one
// message that is under way could be hidden by another one, which was sent and came behind one host's moment
// and before the other's. A message like that by itself does no harm: whoever has it took it into account in
// what it says. Hosts' moments stay true as long as their counts fit; the own host's nodes look at theirs
// when they work out their limit, as ever.
#include "hw/cluster/carrier.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hw/cluster/group.h"
#include "hw/cluster/segment.h"
#include "hw/model/host.h"
#include "hw/model/state_check.h"

namespace perfboard::cluster {

Carrier::Carrier(const CarrierConfig& config, Transport& transport)
    : config_(config), transport_(transport) {}

Carrier::~Carrier() {
  if (segment_.at) unmap_segment(segment_);
}

bool Carrier::open() {
  const auto bad = [this](const char* what, uint64_t value, uint64_t low, uint64_t high) {
    char text[PB_WHY_BYTES];
    if (in_range(what, value, low, high, text, sizeof text)) return false;
    is_wrong(text);
    return true;
  };
  if (bad("nodes", config_.nodes, 2, kMostNodes) ||
      bad("hosts", config_.hosts, 2, std::min(config_.nodes, kMostHosts)) ||
      bad("host", config_.host, 0, config_.hosts - 1) || bad("join", config_.join, 0, PB_NEVER >> 1))
    return false;
  std::string why;
  if (!map_segment(config_.path.c_str(), config_.nodes, config_.join, segment_, why)) {
    is_wrong("cluster=" + config_.path + ": " + why);
    return false;
  }
  first_ = first_node(config_.nodes, config_.hosts, config_.host);
  end_ = first_node(config_.nodes, config_.hosts, config_.host + 1);
  hosts_.resize(config_.hosts);
  mirrors_.resize(config_.nodes);
  pages_.resize(end_ - first_);
  told_.resize(end_ - first_);
  ways_.resize(ring_number(config_.nodes, config_.nodes - 1, config_.nodes - 2) + 1);
  for (uint32_t n = 0; n < config_.nodes; n++) {
    if (here(n)) continue;
    if (!claim(segment_.node(n), why)) {
      is_wrong(name("node", n) + " is another host's: cluster " + config_.path + " " + why);
      return false;
    }
    mirrors_[n].page = {
        .node = n, .state = kComes, .promise = config_.join, .answers = config_.join, .now = 0};
    mirrors_[n].said = {.promise = config_.join, .answers = config_.join, .alone = config_.join, .taken = 0};
  }
  const Hello hello = {
      .nodes = config_.nodes, .hosts = config_.hosts, .host = config_.host, .join = config_.join};
  for (uint32_t h = 0; h < config_.hosts; h++)
    if (h != config_.host) transport_.send(h, hello_bytes(hello));
  return true;
}

bool Carrier::step() {
  bool moved = false;
  Bytes bytes;
  // Only so many: the own nodes have their turn, however much another host sends.
  for (uint32_t h = 0; h < config_.hosts; h++)
    for (int n = 0; n < 16 && h != config_.host && wrong_.empty() && transport_.receive(h, bytes); n++) {
      receive(h, bytes);
      moved = true;
    }
  look_at_nodes();
  empty_rings();
  uint32_t whose = first_;
  const std::string cut = missed(segment_, config_.path, config_.nodes, whose);
  if (!cut.empty()) is_wrong(name("node", whose) + " " + cut);
  if (!wrong_.empty()) return moved;
  publish();
  return tell() || moved;
}

bool Carrier::done() const {
  if (!last_sent_) return false;
  for (uint32_t h = 0; h < config_.hosts; h++)
    if (h != config_.host && !hosts_[h].finished) return false;
  return true;
}

// --- what comes from the other hosts -----------------------------------------------------------

void Carrier::receive(uint32_t h, const Bytes& bytes) {
  Host& host = hosts_[h];
  if (!host.greeted) {
    const Hello own = {
        .nodes = config_.nodes, .hosts = config_.hosts, .host = config_.host, .join = config_.join};
    const std::string what = wrong_hello(bytes, own, h);
    if (!what.empty()) return is_wrong(name("host", h) + " " + what);
    host.greeted = true;
    return;
  }
  BatchReader reader;
  if (host.finished || !reader.open(bytes, host.batches_came++))
    return is_wrong(name("host", h) + " has sent a damaged batch");
  while (wrong_.empty() && reader.message(*message_)) receive_message(h, *message_);
  for (const Page& page : reader.pages()) receive_page(h, page);
  if (reader.quiet().is) receive_quiet(h, reader.quiet());
  host.finished = reader.last();
}

void Carrier::receive_message(uint32_t h, const ClusterMessage& m) {
  if (m.from >= config_.nodes || host_of(config_.nodes, config_.hosts, m.from) != h || !here(m.to))
    return is_wrong(name("host", h) + " has sent a message from " + name("node", m.from) + " to " +
                    name("node", m.to) + ", which it does not carry");
  const Page& from = mirrors_[m.from].page;
  if (m.at < (m.answers ? from.answers : from.promise))
    return is_wrong(name("node", m.from) + " has sent a message for " + seconds(m.at) +
                    ", later than it had promised");
  hosts_[h].came++;
  // Lost, as with a node that is switched off. It would stay in its ring, until there is no room.
  if (pages_[m.to - first_].state >= kLeft) return;
  count_sent(segment_, m.from);
  Way& way = ways_[ring_number(config_.nodes, m.from, m.to)];
  if (!reserve(segment_, m.from, m.to, m.bytes, way.reserved))
    return is_wrong(name("node", m.to) + " cannot be sent to, " + config_.path + ": " + strerror(errno));
  if (!post(segment_, m.from, m.to, way.number, m))
    return is_wrong(name("node", m.to) + " takes no messages");
  way.number++;
  put_++;
}

void Carrier::receive_page(uint32_t h, const Page& page) {
  if (page.node >= config_.nodes || host_of(config_.nodes, config_.hosts, page.node) != h)
    return is_wrong(name("host", h) + " speaks for " + name("node", page.node) + ", which it does not have");
  Page& old = mirrors_[page.node].page;
  if (page.promise < old.promise || page.answers < old.answers)
    return is_wrong(name("node", page.node) + " takes back what it had promised");
  if (page.state < old.state || page.state > kDied)
    return is_wrong(name("node", page.node) + " has the state " + std::to_string(page.state));
  const bool changed = page.state != old.state;
  old = page;
  if (!changed) return;
  Node& node = segment_.node(page.node);
  if (page.state == kDied) {  // a process that is not there
    node.started = 1;
    node.pid = 0;
  }
  node.state = page.state == kDied ? kHere : page.state;
}

void Carrier::receive_quiet(uint32_t h, const Quiet& quiet) {
  if (quiet.came[config_.host] > hosts_[h].went || quiet.went[config_.host] != hosts_[h].came)
    return is_wrong(name("host", h) + " counts messages that nobody has sent");
  hosts_[h].quiet = quiet;
}

// --- what the host's own nodes say ----------------------------------------------------------------

// Before their rings are emptied. Whoever has left sends nothing more.
void Carrier::look_at_nodes() {
  const uint64_t ms = host_ns() / 1'000'000;
  const bool look = ms >= looked_ms_ + 100;
  if (look) looked_ms_ = ms;
  for (uint32_t n = first_; n < end_; n++) {
    const Node& node = segment_.node(n);
    Page& page = pages_[n - first_];
    page.node = n;
    page.promise = node.promise.load(std::memory_order_acquire);
    page.answers = node.answers.load(std::memory_order_acquire);
    page.now = node.now.load(std::memory_order_relaxed);
    if (page.state < kLeft) page.state = state_of(n, look);
    // It says that it has left before it promises that nothing more comes.
    if (page.state == kLeft) page.promise = page.answers = PB_NEVER;
    if (page.state == kDied && died_.empty())
      died_ = name("node", n) + (node.state < kHere ? " has not come" : " has died");
  }
}

uint32_t Carrier::state_of(uint32_t n, bool look_at_process) {
  const Node& node = segment_.node(n);
  const uint32_t state = node.state;
  if (state < kHere) return no_more_ ? kDied : kComes;
  if (state > kHere) return kLeft;
  if (!look_at_process || start_of(node.pid) == node.started) return kHere;
  return node.state == kLeft ? kLeft : kDied;  // it may have left, and ended, since
}

void Carrier::empty_rings() {
  for (uint32_t to = 0; to < config_.nodes; to++)
    if (!here(to))
      take_set(segment_.node(to).inbox, config_.nodes, [this, to](uint32_t from) {
        if (here(from)) empty_ring(from, to);
      });
}

void Carrier::empty_ring(uint32_t from, uint32_t to) {
  const uint32_t h = host_of(config_.nodes, config_.hosts, to);
  Way& way = ways_[ring_number(config_.nodes, from, to)];
  for (;;) {
    const Taken got = take(segment_, from, to, way.number, way.reserved, *message_);
    if (got == Taken::kNone) return;
    if (got == Taken::kDamaged) return is_wrong(name("node", from) + " has sent a damaged message");
    if (got == Taken::kNoMemory)
      return is_wrong(name("node", from) + " is not heard any more, " + config_.path + ": " +
                      strerror(errno));
    way.number++;
    taken_++;
    mirrors_[to].taken++;
    hosts_[h].went++;
    message_->from = from;
    message_->to = to;
    hosts_[h].writer.message(*message_);
    if (hosts_[h].writer.full()) send(h, false);  // what is promised comes behind the last of them
  }
}

// --- what they are told -------------------------------------------------------------------------------

// What is sent to a host that has finished is lost: it need not have come.
bool Carrier::others_are_quiet() const {
  for (uint32_t x = 0; x < config_.hosts; x++) {
    if (x == config_.host) continue;
    const Quiet& quiet = hosts_[x].quiet;
    if (!quiet.is || (quiet.came[config_.host] != hosts_[x].went && !hosts_[x].finished)) return false;
    for (uint32_t y = 0; y < config_.hosts; y++)
      if (y != x && y != config_.host && quiet.went[y] > hosts_[y].quiet.came[x] && !hosts_[y].finished)
        return false;
  }
  return true;
}

// All pages that change are odd at one time: a node that looks at all sees them as before, or as behind.
void Carrier::publish() {
  const bool quiet = others_are_quiet();
  uint32_t changed[kMostNodes], count = 0;
  uint64_t taken[kMostNodes];  // messages, of those
  for (uint32_t n = 0; n < config_.nodes; n++) {
    if (here(n)) continue;
    Mirror& m = mirrors_[n];
    const uint64_t anyway = std::min(m.page.promise, m.page.answers);
    const Host& host = hosts_[host_of(config_.nodes, config_.hosts, n)];
    const Said next = {.promise = m.page.promise,
                       .answers = m.page.answers,
                       .alone = quiet ? std::max(anyway, host.quiet.alone) : anyway,
                       .taken = m.taken};
    segment_.node(n).now.store(m.page.now, std::memory_order_relaxed);
    if (next == m.said) continue;
    taken[count] = next.taken - m.said.taken;
    m.said = next;
    m.stamp += 2;
    segment_.node(n).stamp.store(m.stamp - 1, std::memory_order_relaxed);
    changed[count++] = n;
  }
  if (!count) return;
  std::atomic_thread_fence(std::memory_order_release);
  for (uint32_t i = 0; i < count; i++) write(segment_.node(changed[i]), mirrors_[changed[i]].said);
  for (uint32_t i = 0; i < count; i++)
    segment_.node(changed[i]).stamp.store(mirrors_[changed[i]].stamp, std::memory_order_release);
  for (uint32_t i = 0; i < count; i++) tell_group(segment_, changed[i], taken[i]);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_sleepers(segment_, kNobody);
}

// As quiet_until() in cluster.cc. What the carrier itself has put and taken is what others' nodes have sent
// and taken.
Quiet Carrier::quiet_here() const {
  Moment m;
  if (!look(segment_, first_, end_, m) || m.sent + put_ != m.taken + taken_) return {};
  Quiet quiet = {.is = 1, .alone = m.alone, .came = {}, .went = {}};
  count(quiet);
  return quiet;
}

void Carrier::count(Quiet& quiet) const {
  for (uint32_t h = 0; h < config_.hosts; h++) {
    quiet.came[h] = hosts_[h].came;
    quiet.went[h] = hosts_[h].went;
  }
}

bool Carrier::tell() {
  if (last_sent_) return false;
  const bool last = std::all_of(pages_.begin(), pages_.end(), [](const Page& p) { return p.state >= kLeft; });
  Quiet quiet = {.is = 1, .alone = PB_NEVER, .came = {}, .went = {}};
  if (last)
    count(quiet);  // nothing follows, whatever they have not taken
  else
    quiet = quiet_here();
  const bool quiet_news = quiet.is && quiet != quiet_told_;
  std::vector<const Page*> news;
  for (size_t i = 0; i < pages_.size(); i++) {
    const Page &is = pages_[i], &told = told_[i];
    if (is.state != told.state || is.promise != told.promise || is.answers != told.answers)
      news.push_back(&is);
  }
  bool sent = false;
  for (uint32_t h = 0; h < config_.hosts; h++) {
    BatchWriter& writer = hosts_[h].writer;
    if (h == config_.host || !(!news.empty() || quiet_news || last || !writer.empty())) continue;
    for (const Page* page : news) writer.page(*page);
    if (quiet_news) writer.quiet(quiet, config_.hosts);
    send(h, last);
    sent = true;
  }
  if (quiet_news) quiet_told_ = quiet;
  told_ = pages_;
  last_sent_ = last;
  return sent;
}

void Carrier::send(uint32_t h, bool last) {
  Host& host = hosts_[h];
  if (transport_.under_way(h) > kMostUnderWay) return is_wrong(name("host", h) + " takes no messages");
  transport_.send(h, host.writer.finish(host.batches_sent++, last));
}

}  // namespace perfboard::cluster
