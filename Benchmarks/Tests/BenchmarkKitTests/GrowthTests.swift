// Tests of growth: its exponents, its table and its picture.

import BenchmarkKit
import Foundation
import FoundationXML
import Testing

struct GrowthTests {
  private func line(_ id: String, exponent: Double, constant: Double = 0) -> GrowthLine {
    GrowthLine(
      id: id, work: "work",
      points: [100, 1_000, 10_000, 100_000].map { size in
        (size, constant + pow(Double(size), exponent) / 10, 20)
      })
  }

  @Test
  func
    `what is quadratic or n log n with a large factor misses the limit, what is linear meets it`()
  {
    #expect(abs(line("a", exponent: 1).processorExponent - 1) < 0.001)
    #expect(!line("a", exponent: 1).hasMissed)
    #expect(!line("a", exponent: 1, constant: 50).hasMissed)
    #expect(line("a", exponent: 1.2).hasMissed)
    #expect(line("a", exponent: 2).hasMissed)
    #expect(line("a", exponent: 1).residentExponent == 0)
  }

  @Test func `the table has the costs of each size and the verdict`() {
    let table = growthTable([line("good", exponent: 1), line("bad", exponent: 2)])
    #expect(table.contains("| n = 100 | n = 1,000 | n = 10,000 | n = 100,000 |"))
    #expect(
      table.contains(
        "| good | processor time | 10.0 ms | 100 ms | 1000 ms | 10000 ms | 1.00 | ≤ 1.1 | met |"))
    #expect(table.contains("| 2.00 | ≤ 1.1 | MISSED |"))
  }

  @Test func `the picture is well-formed and names each line`() throws {
    let picture = growthPicture([line("steps", exponent: 1), line("files", exponent: 1)])
    let document = try XMLDocument(xmlString: picture)
    #expect(document.rootElement()?.name == "svg")
    #expect(picture.contains(">steps<") && picture.contains(">files<"))
  }
}
