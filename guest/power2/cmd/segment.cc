// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/segment.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>

#include "guest/common/input.h"
#include "guest/common/ranges.h"
#include "guest/power2/cmd/words.h"
#include "hw/model/number.h"

namespace perfboard::p2 {
namespace {

// A structure in the file, if all of it is there.
template <typename T>
std::optional<T> at(std::span<const uint8_t> elf, uint64_t offset) {
  if (offset > elf.size() || elf.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  memcpy(&value, elf.data() + offset, sizeof(T));
  return value;
}

// Where in the file the program's address is.
std::optional<uint64_t> offset_of(std::span<const uint8_t> elf, const Elf64_Ehdr& head, uint64_t address) {
  for (unsigned i = 0; i < head.e_phnum; i++) {
    const auto part = at<Elf64_Phdr>(elf, head.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (part && part->p_type == PT_LOAD && address >= part->p_vaddr &&
        address - part->p_vaddr < part->p_filesz)
      return part->p_offset + (address - part->p_vaddr);
  }
  return std::nullopt;
}

bool has_name(std::span<const uint8_t> elf, uint64_t offset, const std::string& name) {
  return offset < elf.size() && elf.size() - offset > name.size() &&
         memcmp(elf.data() + offset, name.c_str(), name.size() + 1) == 0;
}

std::optional<Elf64_Sym> find_symbol(std::span<const uint8_t> elf, const Elf64_Ehdr& head,
                                     const std::string& name) {
  for (unsigned i = 0; i < head.e_shnum; i++) {
    const auto section = at<Elf64_Shdr>(elf, head.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section || (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM)) continue;
    const auto strings = at<Elf64_Shdr>(elf, head.e_shoff + uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (!strings) continue;
    for (uint64_t from = 0; from + sizeof(Elf64_Sym) <= section->sh_size; from += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(elf, section->sh_offset + from);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
          has_name(elf, strings->sh_offset + symbol->st_name, name))
        return symbol;
    }
  }
  return std::nullopt;
}

// ELF v2: callers of the same file come in behind the instructions that find the table of contents.
uint64_t local_entry(unsigned char other) {
  const unsigned bits = other >> 5 & 7;
  return bits < 2 ? 0 : uint64_t{4} << (bits - 2);
}

std::vector<uint8_t> bytes_of(const std::string& file) {
  ByteInput in(file);
  std::vector<uint8_t> bytes;
  for (size_t got, had = 0;; had += got) {
    bytes.resize(had + (1 << 20));
    got = in.read(bytes.data() + had, 1 << 20);
    if (!got) {
      bytes.resize(had);
      return bytes;
    }
  }
}

}  // namespace

Segment find_function(std::span<const uint8_t> elf, const std::string& file, const std::string& name) {
  const auto head = at<Elf64_Ehdr>(elf, 0);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_ident[EI_DATA] != ELFDATA2LSB)
    throw Misuse(fmt::format("--segment {}: {} is no 64-bit little-endian ELF program", name, file));
  const auto symbol = find_symbol(elf, *head, name);
  if (!symbol)
    throw Misuse(fmt::format("--segment {}: {} has no such function (is it stripped?)", name, file));
  const auto offset = offset_of(elf, *head, symbol->st_value);
  if (!offset) throw Misuse(fmt::format("--segment {}: its code is not in {}", name, file));
  return {file, *offset + (head->e_machine == EM_PPC64 ? local_entry(symbol->st_other) : 0), {}};
}

std::string find_program(const std::string& command) {
  if (command.find('/') != command.npos) return command;
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/bin:/usr/bin", ':')) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + command;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

Segment parse_segment(const std::string& text, const std::string& command) {
  if (text.find(':') == text.npos) {
    const std::string file = find_program(command);
    if (file.empty()) throw Misuse(fmt::format("--segment {}: {} is not found", text, command));
    return find_function(bytes_of(file), file, text);
  }
  const std::vector<std::string> parts = split(text, ':');
  Segment segment{parts[0], 0, {}};
  for (size_t i = 1; i < parts.size(); i++) {
    uint64_t offset = 0;
    if (!parse_number(parts[i], offset))
      throw Misuse(fmt::format("--segment {}: {}: legal are FUNCTION and FILE:ENTRY:EXIT[:EXIT...]", text,
                               show_word(parts[i])));
    if (i == 1)
      segment.entry = offset;
    else
      segment.exits.push_back(offset);
  }
  if (segment.file.empty() || segment.exits.empty() || segment.exits.size() > P2_MOST_EXITS)
    throw Misuse(fmt::format("--segment {}: a file, an entry, and 1 to {} exits", text, P2_MOST_EXITS));
  return segment;
}

}  // namespace perfboard::p2
