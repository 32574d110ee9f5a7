// Draws growth as a picture: two diagrams with logarithmic axes, in which a linear cost is a line at
// forty-five degrees.

import Foundation

/// Draws the processor time and the memory of lines, each beside a linear cost.
///
/// - Parameter lines: The measured lines, at least one.
/// - Returns: An SVG image.
public func growthPicture(_ lines: [GrowthLine]) -> String {
  let time = Diagram(
    title: "processor time (ms)", left: 60, lines: lines.map { ($0.id, $0.points.map(\.processor)) }
  )
  let memory = Diagram(
    title: "memory (MiB)", left: 420, lines: lines.map { ($0.id, $0.points.map(\.resident)) })
  let legend = lines.enumerated().map { position, line in
    let y = 60 + 24 * position
    return "<circle cx=\"772\" cy=\"\(y - 4)\" r=\"5\" fill=\"\(color(position))\"/>"
      + "<text x=\"784\" y=\"\(y)\">\(line.id)</text>\n"
  }.joined()
  let linear =
    "<line x1=\"764\" y1=\"\(56 + 24 * lines.count)\" x2=\"780\" y2=\"\(56 + 24 * lines.count)\" "
    + "stroke=\"#888\" stroke-dasharray=\"4 3\"/>"
    + "<text x=\"784\" y=\"\(60 + 24 * lines.count)\">linear</text>\n"
  return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 340" width="900" height="340" \
    font-family="sans-serif" font-size="12">
    <rect width="900" height="340" fill="white"/>
    \(time.svg)\(memory.svg)\(legend)\(linear)</svg>

    """
}

private func color(_ position: Int) -> String {
  let colors = ["#4e79a7", "#e15759", "#59a14f", "#f28e2b", "#b07aa1", "#76b7b2"]
  return colors[position % colors.count]
}

/// A diagram with one line for each kind of work; both axes are logarithmic with the same scale, so
/// that a slope can be seen.
private struct Diagram {
  let title: String
  let left: Double
  let lines: [(id: String, values: [Double])]

  private let top = 40.0
  private let bottom = 300.0
  /// The length of a factor of ten, in both directions.
  private let decade = 65.0

  private var lowest: Double {
    floor(log10(lines.flatMap(\.values).min() ?? 1))
  }

  private func x(_ position: Int) -> Double { left + 20 + Double(position) * decade * 1.4 }
  private func y(_ value: Double) -> Double { bottom - (log10(value) - lowest) * decade / 1.4 }

  private func text(_ x: Double, _ y: Double, _ text: String, _ anchor: String) -> String {
    "<text x=\"\(fixed(x, 1))\" y=\"\(fixed(y, 1))\" text-anchor=\"\(anchor)\">\(text)</text>\n"
  }

  private func path(_ points: [(x: Double, y: Double)], _ style: String) -> String {
    let list = points.map { "\(fixed($0.x, 1)),\(fixed($0.y, 1))" }.joined(separator: " ")
    return "<polyline fill=\"none\" points=\"\(list)\" \(style)/>\n"
  }

  var svg: String {
    var svg = text(left + 150, 20, title, "middle")
    for (position, size) in Growth.sizes.enumerated() {
      svg += text(x(position), bottom + 18, grouped(size), "middle")
      svg += path([(x(position), top), (x(position), bottom)], "stroke=\"#eee\"")
    }
    for exponent in Int(lowest)...Int(lowest) + 5 {
      let value = pow(10, Double(exponent))
      guard y(value) >= top else { break }
      svg += text(left + 10, y(value) + 4, significant(value), "end")
      svg += path([(left + 16, y(value)), (x(3) + 10, y(value))], "stroke=\"#eee\"")
    }
    for (number, line) in lines.enumerated() {
      let points = line.values.enumerated().map { (x($0), y($1)) }
      svg += path(points, "stroke=\"\(color(number))\" stroke-width=\"2\"")
      for point in points {
        svg +=
          "<circle cx=\"\(fixed(point.0, 1))\" cy=\"\(fixed(point.1, 1))\" r=\"3\" "
          + "fill=\"\(color(number))\"/>\n"
      }
    }
    // What a linear cost looks like.
    let start = pow(10, lowest)
    svg += path(
      (0..<4).map { (x($0), y(start * pow(10, Double($0)))) },
      "stroke=\"#888\" stroke-dasharray=\"4 3\"")
    return svg
  }
}
