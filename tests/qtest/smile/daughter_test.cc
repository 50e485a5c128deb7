// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card with a daughter board in a stock QEMU: its designs come over a chardev, from the tool that is for
// it, while the card stays on the bus; properties, snapshots.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/qtest/smile/rig.h"

namespace perfboard::qtest {
namespace {

std::vector<uint8_t> daughter_image(unsigned design) {
  smile::Image image;
  image.go_to_daughter();
  image.design = static_cast<uint8_t>(design);
  return hot::assemble(image);
}

// A cable at the card; time goes on while the tool is at work.
struct CableRig {
  explicit CableRig(const std::string& daughter, const std::string& more = "")
      : r(",daughter=" + daughter + ",xchecker=cable,xchecker-rate=100000000" + more,
          {.args = {"-chardev", "socket,id=cable,server=on,wait=off,path=" + scratch.path("cable")}}) {}
  // What the tool says, and its status.
  std::string tool(const std::string& words) {
    const std::string root = std::getenv("PERFBOARD_ROOT"), out = scratch.path("said");
    std::atomic<int> status = -1;
    std::thread at_work([&] {
      status = std::system(
          (root + "/firmware/smile/xchecker " + scratch.path("cable") + " " + words + " >" + out + " 2>&1")
              .c_str());
    });
    while (status < 0) r.m.step(1'000'000);
    at_work.join();
    return contents(out) + std::to_string(status / 256);
  }
  const Scratch scratch;
  Rig r;
};

unsigned design(Rig& r) { return r.get(SMR_MSR) & SMR_MSR_DESIGN_MASK; }

TEST(SmileDaughterBoard, HoldsWhatThePropertySays) {
  for (const auto& [name, wanted] : {std::pair{"none", 0u}, {"static", 1u}, {"dynamic", 2u}}) {
    Rig r(std::string(",daughter=") + name);
    EXPECT_EQ(r.get(SMR_CCM_DESIGN), SMR_DESIGN_TARGET);
    EXPECT_EQ(design(r), wanted);
    EXPECT_EQ(r.get(SMR_MSR) & SMR_MSR_EXCHANGED, 0u);
  }
  const Scratch scratch;
  const std::string file = scratch.path("a.bit");
  write_file(file, daughter_image(1));
  Rig r(",daughter=" + file);
  EXPECT_EQ(design(r), 1u);
}

TEST(SmileDaughterBoard, TheToolExchangesDesignsAndTheCardStaysOnTheBus) {
  CableRig c("dynamic");
  Rig& r = c.r;
  r.put(SMR_MBOX(1), 0x77);
  r.put(SMR_NODE, 9);
  r.put(SMR_MCR, SMR_MCR_RUN);
  const std::string file = c.scratch.path("static.bit");
  write_file(file, daughter_image(1));
  EXPECT_EQ(c.tool(file),
            "XC4085XLA: 1924992 bits loaded, DONE high\nXC4085XLA: 1924935 bits of 2715 frames verified\n0");
  EXPECT_EQ(r.id(), kIdentity);
  EXPECT_EQ(r.m.pci_read32(r.device, kBar0), r.at);
  EXPECT_EQ(r.get(SMR_MBOX(1)), 0x77u);
  EXPECT_EQ(r.get(SMR_NODE), 9u);
  EXPECT_EQ(r.get(SMR_MCR), SMR_MCR_RUN);
  EXPECT_EQ(r.get(SMR_MSR) & (SMR_MSR_DESIGN_MASK | SMR_MSR_EXCHANGED), 1u | SMR_MSR_EXCHANGED);
  EXPECT_EQ(c.tool(""), "XC4085XLA: INIT* high, DONE high\n0");
  EXPECT_EQ(c.tool("--clear"), "XC4085XLA: INIT* high, DONE low\n0");
  EXPECT_EQ(design(r), 0u);
  std::vector<uint8_t> bad = daughter_image(2);
  bad[1000] ^= 4;
  write_file(file, bad);
  EXPECT_EQ(c.tool(file),
            "xchecker: INIT* went low between bits 8192 and 10240: a frame that ends there is damaged\n1");
  EXPECT_EQ(c.tool(""), "XC4085XLA: INIT* low, DONE low\n0");
  EXPECT_EQ(design(r), 0u);
  write_file(file, design_image(2));
  EXPECT_EQ(c.tool(file), "xchecker: " + file + ": its length count is not that of an XC4085XLA, 1924981\n1");
}

TEST(SmileDaughterBoard, ASnapshotHasItsConfigurationAndItsMemory) {
  CableRig c("none");
  const std::string file = c.scratch.path("d.bit");
  write_file(file, daughter_image(2));
  EXPECT_EQ(c.tool("--no-verify " + file), "XC4085XLA: 1924992 bits loaded, DONE high\n0");
  c.r.put(SMR_MAXR, 0x21);
  c.r.m.save(c.r.m.scratch("state"));
  Rig after = Rig::incoming(",daughter=none");
  after.m.load(c.r.m.scratch("state"));
  EXPECT_EQ(after.get(SMR_MSR) & (SMR_MSR_DESIGN_MASK | SMR_MSR_EXCHANGED), 2u | SMR_MSR_EXCHANGED);
  EXPECT_EQ(after.get(SMR_MAXR), 0x21u);
}

TEST(SmileDaughterBoard, WrongPropertiesAreNamed) {
  const Scratch scratch;
  const std::string card = scratch.path("card"), big = scratch.path("big");
  write_file(card, design_image(1));
  write_file(big, std::vector<uint8_t>(262'145));
  const Wrong cases = {
      {"daughter=statik", {"daughter=statik", "No such file", "none, static, dynamic and a file"}},
      {"daughter=" + card, {"daughter=", "card", "no configuration for the daughter board"}},
      {"daughter=" + big, {"daughter=", "big", "more than 262144 bytes"}},
      {"daughter=none,initial=static", {"initial=static", "target and none"}},
      {"daughter=none,flash=" + card, {"flash=", "card", "no configuration"}},
      {"initial=target", {"initial=target", "dynamic, static and none"}},
      {"daughter=none,xchecker-rate=9599", {"xchecker-rate=9599", "9600 to 100000000"}},
      {"xchecker=n", {"xchecker=n", "daughter="}},
  };
  expect_refused({"-chardev", "null,id=n"}, "smile-hwm", cases);
}

}  // namespace
}  // namespace perfboard::qtest
