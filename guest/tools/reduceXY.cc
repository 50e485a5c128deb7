// SPDX-License-Identifier: GPL-2.0-or-later
// reduceXY - drop the points of a graph that would print on top of each other (B.2.2).
#include <cmath>
#include <map>
#include <unordered_set>

#include "guest/tools/tool.h"

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

// The range that the user gave, or that of the data.
Axis axis(const char* option, const std::vector<double>& range, const std::vector<Point>& points,
          double Point::*v, double dots) {
  if (!range.empty()) {
    if (range[0] >= range[1]) throw CLI::ValidationError(option, "expected LO,HI with LO less than HI");
    return {range[0], range[1], dots};
  }
  Axis a{0, 0, dots};
  for (size_t i = 0; i < points.size(); i++) {
    a.low = i ? std::min(a.low, points[i].*v) : points[i].*v;
    a.high = i ? std::max(a.high, points[i].*v) : points[i].*v;
  }
  return a;
}

}  // namespace

int main(int argc, char** argv) {
  Tool tool("reduceXY",
            "Reduce a CSV file with two fields before it is graphed: of all points that would print\n"
            "on the same dot only the first is kept, and points outside the ranges are left out.\n"
            "In histogram mode the counts of all bins in a column of dots are added up, at the place\n"
            "of the first of them.");
  std::vector<double> x_range, y_range, size = {6.5, 4};
  double resolution = 300;
  bool histogram = false;
  tool.app.add_option("-x,--x-range", x_range, "X from LO to HI; default: as in the data")
      ->delimiter(',')
      ->expected(2)
      ->type_name("LO,HI");
  tool.app.add_option("-y,--y-range", y_range, "Y from LO to HI; default: as in the data")
      ->delimiter(',')
      ->expected(2)
      ->type_name("LO,HI");
  tool.app.add_option("-s,--size", size, "width and height of the graph, inches")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::PositiveNumber)
      ->type_name("W,H")
      ->capture_default_str();
  tool.app.add_option("-r,--resolution", resolution, "dots per inch of the output device")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  tool.app.add_flag("--histogram", histogram, "histogram mode");
  return tool.run(argc, argv, [&](Input& in, Output& out) {
    std::vector<Point> points;
    std::vector<std::string_view> fields;
    while (read_csv(in, fields)) {
      if (fields.size() != 2) in.fail(fmt::format("{} fields: expected two", fields.size()));
      points.push_back({csv_number(in, fields[0]), csv_number(in, fields[1])});
    }
    const auto dots = [&](double inches) {
      return std::max(1.0, std::min(std::floor(inches * resolution), 4e9));
    };
    const Axis x = axis("--x-range", x_range, points, &Point::x, dots(size[0]));
    if (histogram) {
      std::map<uint64_t, Point> columns;
      for (const Point& p : points) {
        if (!x.has(p.x)) continue;
        const auto [at, fresh] = columns.emplace(x.dot(p.x), p);
        if (!fresh) at->second.y += p.y;
      }
      for (const auto& [dot, p] : columns) out.print("{},{}\n", csv_text(p.x), csv_text(p.y));
      return;
    }
    const Axis y = axis("--y-range", y_range, points, &Point::y, dots(size[1]));
    std::unordered_set<uint64_t> printed;
    for (const Point& p : points)
      if (x.has(p.x) && y.has(p.y) && printed.insert(x.dot(p.x) << 32 | y.dot(p.y)).second)
        out.print("{},{}\n", csv_text(p.x), csv_text(p.y));
  });
}
