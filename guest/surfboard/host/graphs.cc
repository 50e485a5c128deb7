// SPDX-License-Identifier: GPL-2.0-or-later
// What is done to a CSV file before it is graphed (B.2.2).
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"

// reduceXY - drop the points of a graph that would print on top of each other (B.2.2).

namespace {

using namespace perfboard;

struct Point {
  double x, y;
};

struct Axis {
  double low, high;
  double dots;

  bool has(double v) const { return v >= low && v <= high; }
  uint64_t dot(double v) const {
    return high > low ? static_cast<uint64_t>(std::min((v - low) / (high - low) * dots, dots - 1)) : 0;
  }
};

std::string text_of(const std::vector<double>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

void check_range(const char* option, const std::vector<double>& range) {
  if (!range.empty() && (range.size() != 2 || !(range[0] < range[1])))
    throw UsageError(option, text_of(range) + ": expected LO,HI with LO less than HI");
}

// The range that the user gave, or that of the data.
Axis axis(const std::vector<double>& range, const std::vector<Point>& points, double Point::* v,
          double dots) {
  if (!range.empty()) return {range[0], range[1], dots};
  Axis a{0, 0, dots};
  for (size_t i = 0; i < points.size(); i++) {
    a.low = i ? std::min(a.low, points[i].*v) : points[i].*v;
    a.high = i ? std::max(a.high, points[i].*v) : points[i].*v;
  }
  return a;
}

}  // namespace

PERFBOARD_TOOL(reduceXY) {
  Tool tool("reduceXY",
            "Reduce a CSV file with two fields before it is graphed: of all points that would print\n"
            "on the same dot only the first is kept, and points outside the ranges are left out.\n"
            "In histogram mode the counts of all bins in a column of dots are added up, at the place\n"
            "of the first of them.");
  std::vector<double> x_range, y_range, size = {6.5, 4};
  double resolution = 300;
  bool histogram = false;
  tool.same_format = true;
  tool.args.option("-x,--x-range", x_range, "X from LO to HI; default: as in the data").type("LO,HI");
  tool.args.option("-y,--y-range", y_range, "Y from LO to HI; default: as in the data").type("LO,HI");
  tool.args.option("-s,--size", size, "width and height of the graph, inches")
      .positive()
      .type("W,H")
      .show_default();
  tool.args.option("-r,--resolution", resolution, "dots per inch of the output device")
      .positive()
      .show_default();
  tool.args.flag("--histogram", histogram, "histogram mode");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    check_range("--x-range", x_range);
    check_range("--y-range", y_range);
    if (size.size() != 2) throw UsageError("--size", text_of(size) + ": expected W,H");
    std::vector<Point> points;
    std::vector<std::string_view> fields;
    while (read_csv(in, fields)) {
      if (fields.size() != 2) in.fail(fmt::format("{} fields: expected two", fields.size()));
      points.push_back({csv_number(in, fields[0]), csv_number(in, fields[1])});
    }
    const auto dots = [&](double inches) {
      return std::max(1.0, std::min(std::floor(inches * resolution), 4e9));
    };
    const auto put = [&](const Point& p) {
      put_csv(out, p.x);
      out.put(',');
      put_csv(out, p.y);
      out.put('\n');
    };
    const Axis x = axis(x_range, points, &Point::x, dots(size[0]));
    const Axis y = axis(y_range, points, &Point::y, dots(size[1]));
    Selection<Point> selection;
    if (!x_range.empty())
      selection.add("--x-range", text_of(x_range), [&](const Point& p) { return x.has(p.x); });
    if (!y_range.empty() && !histogram)
      selection.add("--y-range", text_of(y_range), [&](const Point& p) { return y.has(p.y); });
    std::map<uint64_t, Point> columns;
    std::unordered_set<uint64_t> printed;
    for (const Point& p : points) {
      if (!selection.has(p)) continue;
      if (!histogram) {
        if (printed.insert(x.dot(p.x) << 32 | y.dot(p.y)).second) put(p);
        continue;
      }
      const auto [at, fresh] = columns.emplace(x.dot(p.x), p);
      if (!fresh) at->second.y += p.y;
    }
    for (const auto& [dot, p] : columns) put(p);
    selection.finish(tool, "points");
  });
}

// scale - scale fields in a CSV file (B.2.2).
PERFBOARD_TOOL(scale) {
  using namespace perfboard;
  Tool tool("scale",
            "Scale fields in a CSV file: each becomes field * factor + offset, first field with the\n"
            "first factor and offset, and so on; a field beyond the lists stays as it is. A first line\n"
            "without a number in it is taken as a heading.");
  tool.same_format = true;
  std::vector<double> factors, offsets;
  tool.args.option("-m,--multiply", factors, "factors, such as 0.1,1").type("LIST");
  tool.args.option("-a,--add", offsets, "offsets, such as 0,-5").type("LIST");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    std::vector<std::string_view> fields;
    for (bool first = true; read_csv(in, fields); first = false) {
      const bool heading = first && std::none_of(fields.begin(), fields.end(), is_number);
      for (size_t i = 0; i < fields.size(); i++) {
        if (i > 0) out.write(",");
        if (heading || (i >= factors.size() && i >= offsets.size())) {
          out.write(fields[i]);
          continue;
        }
        const double factor = i < factors.size() ? factors[i] : 1;
        const double offset = i < offsets.size() ? offsets[i] : 0;
        put_csv(out, csv_number(in, fields[i]) * factor + offset);
      }
      out.write("\n");
    }
  });
}
