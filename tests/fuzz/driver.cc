// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs a fuzz target without a fuzzer: the corpus, then inputs from a seed, the same in every run.
//
//   fuzz-sni                         a few seconds' worth
//   fuzz-sni --runs 1000000 --seed 7 --max-len 8192
//   fuzz-sni CORPUS-FOLDER crash-file --runs 0
//   fuzz-sni tests/fuzz/shrimp/sni.corpus --runs 0     an archive of inputs: scripts/fuzzrun/corpus.py
//
// An input that ends the program is left in the file that it names ("input: ...").
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/input.h"

namespace {

using Bytes = std::vector<uint8_t>;

// What a signal handler may touch.
Bytes g_current;
char g_file[128];

void save_current() {
  std::FILE* f = std::fopen(g_file, "wb");
  if (!f) return;
  std::fwrite(g_current.data(), 1, g_current.size(), f);
  std::fclose(f);
  std::fprintf(stderr, "input: %s (%zu bytes)\n", g_file, g_current.size());
}

void on_signal(int number) {
  save_current();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(Bytes input) {
  g_current = std::move(input);
  LLVMFuzzerTestOneInput(g_current.data(), g_current.size());
}

long peak_kb() {
  rusage used;
  return getrusage(RUSAGE_SELF, &used) ? 0 : used.ru_maxrss;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// False: it is cut short.
bool read_archive(const std::filesystem::path& path, std::vector<Bytes>& corpus) {
  const Bytes all = read_file(path);
  for (size_t at = 0; at < all.size();) {
    if (all.size() - at < 4) return false;
    const size_t bytes = all[at] | all[at + 1] << 8 | all[at + 2] << 16 | size_t{all[at + 3]} << 24;
    at += 4;
    if (bytes > all.size() - at) return false;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    corpus.emplace_back(first, first + static_cast<std::ptrdiff_t>(bytes));
    at += bytes;
  }
  return true;
}

// Random bytes; or runs of one byte, which keep a target at one kind of decision; or an earlier
// input, changed.
Bytes make(std::mt19937_64& random, size_t max_len, const std::vector<Bytes>& corpus) {
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  if (!corpus.empty() && below(4) == 0) {
    Bytes b = corpus[below(corpus.size())];
    for (size_t i = 0; !b.empty() && i < 1 + below(8); ++i)
      b[below(b.size())] = static_cast<uint8_t>(random());
    return b;
  }
  Bytes b(1 + below(below(4) ? max_len : 1 + max_len / 16));
  size_t repeat = 0;
  for (uint8_t& byte : b) {
    if (repeat) {
      --repeat;
      byte = (&byte)[-1];
      continue;
    }
    byte = static_cast<uint8_t>(random());
    if (&byte != b.data() && below(64) == 0) repeat = below(32);
  }
  return b;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t runs = 2'000, seed = 1, max_len = 4096;
  std::vector<Bytes> corpus;
  for (int i = 1; i < argc; ++i) {
    uint64_t* number = !std::strcmp(argv[i], "--runs")      ? &runs
                       : !std::strcmp(argv[i], "--seed")    ? &seed
                       : !std::strcmp(argv[i], "--max-len") ? &max_len
                                                            : nullptr;
    if (number) {
      char* end = nullptr;
      if (i + 1 < argc) *number = std::strtoull(argv[++i], &end, 0);
      if (!end || *end || (number == &max_len && max_len == 0)) {
        std::fprintf(stderr, "%s: %s wants a number\n", argv[0], argv[i]);
        return 2;
      }
    } else if (std::filesystem::is_directory(argv[i])) {
      std::vector<std::filesystem::path> files;
      for (const auto& e : std::filesystem::directory_iterator(argv[i]))
        if (e.is_regular_file()) files.push_back(e.path());
      std::sort(files.begin(), files.end());
      for (const auto& f : files) corpus.push_back(read_file(f));
    } else if (std::filesystem::path(argv[i]).extension() == ".corpus") {
      if (!read_archive(argv[i], corpus)) {
        std::fprintf(stderr, "%s: %s: no archive of inputs, or cut short\n", argv[0], argv[i]);
        return 2;
      }
    } else if (std::filesystem::is_regular_file(argv[i])) {
      corpus.push_back(read_file(argv[i]));
    } else {
      std::fprintf(stderr, "%s: %s: no such file; options are --runs, --seed, --max-len\n", argv[0], argv[i]);
      return 2;
    }
  }
  GTEST_FLAG_SET(throw_on_failure, true);  // and nobody catches it: a fixture's EXPECT ends the program, too
  std::snprintf(g_file, sizeof g_file, "fuzz-input-%d", int(getpid()));
  for (int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(number, on_signal);

  for (const Bytes& b : corpus) run(b);
  std::mt19937_64 random(seed);
  long early = 0;
  for (uint64_t i = 0; i < runs; ++i) {
    run(make(random, max_len, corpus));
    if (i == runs / 10) early = peak_kb();
  }
  std::printf(
      "ok - %zu inputs of the corpus, %llu from seed %llu; %llu operations; %ld KB at most, %ld behind a "
      "tenth\n",
      corpus.size(), static_cast<unsigned long long>(runs), static_cast<unsigned long long>(seed),
      static_cast<unsigned long long>(perfboard::fuzz::operations), peak_kb(), early);
  return 0;
}
