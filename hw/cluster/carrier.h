// SPDX-License-Identifier: GPL-2.0-or-later
//
// Carrier - nodes of a cluster on several hosts: on each host one carrier, which is there for all nodes that
// run elsewhere. For the host's own nodes they are in the segment as if they ran here.
//
//   Carrier carrier({path, nodes, hosts, host, join}, transport);
//   carrier.open();                        before a node of this host needs one of another
//   while (!carrier.done() && carrier.wrong().empty())
//     if (!carrier.step()) ...             nothing has moved: wait a little
//
// It keeps the order on which all rests: what a node promises is read before its rings are emptied, and told
// behind the messages that were in them. So wherever the promise is read, these messages are there.
//
// The other hosts are not trusted: what they send is checked, and what is wrong is one line that names the
// host or the node. Then the carrier must end, and with it "has died" whoever it stands for.
//
// One thread. How bytes go from host to host is the Transport's: hw/cluster/mpi has one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/cluster/batch.h"
#include "hw/cluster/segment.h"

namespace perfboard::cluster {

// Between any two hosts in order, and nothing is lost.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void send(uint32_t host, Bytes bytes) = 0;
  // False: nothing is there.
  virtual bool receive(uint32_t host, Bytes& bytes) = 0;
  // Bytes that the host was sent and has not taken; 0 where nobody can say.
  virtual uint64_t under_way(uint32_t) const { return 0; }
};
// Nodes stop until the other hosts have promised more: so much is not under way.
inline constexpr uint64_t kMostUnderWay = 64 * uint64_t{kFullBatch};

struct CarrierConfig {
  std::string path;
  uint32_t nodes, hosts, host;  // host h has the nodes first_node(h) to first_node(h + 1) - 1
  uint64_t join;
};

class Carrier {
 public:
  Carrier(const CarrierConfig& config, Transport& transport);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  bool open();  // false: wrong() says why
  bool step();  // true: something has moved
  // All nodes of all hosts have left or died, and all carriers know it.
  bool done() const;
  // Nodes of this host that have not come do not come any more.
  void no_more() { no_more_ = true; }

  const std::string& wrong() const { return wrong_; }
  // A node of this host that has died, the first one; empty: none. The others are told, and the carrier goes
  // on.
  const std::string& died() const { return died_; }

 private:
  // A node that runs on another host.
  struct Mirror {
    Page page = {};      // as it was told last
    uint64_t taken = 0;  // messages to it, out of the host's own nodes' rings
    uint64_t stamp = 0;
    Said said = {};  // by its page in the segment
  };
  struct Host {
    BatchWriter writer;
    uint64_t batches_sent = 0, batches_came = 0;
    uint64_t went = 0, came = 0;  // messages
    bool greeted = false, finished = false;
    Quiet quiet = {};  // the last one that it has told
  };

  bool here(uint32_t node) const { return node >= first_ && node < end_; }
  void is_wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  std::string name(const char* kind, uint32_t number) const { return kind + (' ' + std::to_string(number)); }

  void receive(uint32_t h, const Bytes& bytes);
  void receive_message(uint32_t h, const ClusterMessage& m);
  void receive_page(uint32_t h, const Page& page);
  void receive_quiet(uint32_t h, const Quiet& quiet);
  void look_at_nodes();
  void empty_ring(uint32_t from, uint32_t to);
  uint32_t state_of(uint32_t n, bool look_at_process);
  void empty_rings();
  bool others_are_quiet() const;
  void publish();
  Quiet quiet_here() const;
  void count(Quiet& quiet) const;
  bool tell();
  void send(uint32_t h, bool last);

  const CarrierConfig config_;
  Transport& transport_;
  Segment segment_;
  uint32_t first_ = 0, end_ = 0;  // the nodes of this host
  std::vector<Host> hosts_;
  std::vector<Mirror> mirrors_;     // by node; of the others
  std::vector<Page> pages_, told_;  // of the own nodes, now, and as told to all
  Quiet quiet_told_ = {};
  // A ring: the number of its next message, and its memory.
  struct Way {
    uint64_t number = 0;
    uint32_t reserved = 0;  // bytes
  };
  std::vector<Way> ways_;         // by ring_number()
  uint64_t put_ = 0, taken_ = 0;  // messages, into and out of rings
  uint64_t looked_ms_ = 0;
  bool no_more_ = false, last_sent_ = false;
  std::string wrong_, died_;
  std::unique_ptr<ClusterMessage> message_ = std::make_unique<ClusterMessage>();
};

}  // namespace perfboard::cluster
