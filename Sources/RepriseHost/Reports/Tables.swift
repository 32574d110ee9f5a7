// Columns and times for people, lines for programs.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Rows whose columns stand below one another.
package func aligned(_ rows: [[String]]) -> TerminalSafe {
  let rows = rows.map { row in row.map { TerminalSafe($0) } }
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in
    rows.map { $0.count > column ? $0[column].width : 0 }.max() ?? 0
  }
  return rows.map { row in
    let last = row.lastIndex { !$0.isEmpty } ?? -1
    return row.prefix(last + 1).enumerated().map { column, text in
      column == last ? text : text.padded(to: widths[column])
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}

/// A moment as the clock on the wall shows it, such as `2026-11-21 03:04:05`.
package func localTime(_ time: Timestamp) -> String {
  let local = time.advanced(by: localTimeOffset(time)).description
  return local.prefix(10) + " " + local.dropFirst(11).prefix(8)
}

/// A value as other programs read it: a JSON object on one line.
package func jsonLine(_ value: some Encodable) -> TerminalSafe {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? encoder.encode(value) else {
    preconditionFailure("BUG: \(type(of: value)) cannot be encoded")
  }
  return TerminalSafe(json: String(decoding: data, as: UTF8.self))
}

extension RunRecord {
  /// How long the run took; nil while it has not ended, and where its end is not known: the engine has died.
  package var took: Duration? { status == .interrupted ? nil : endedAt.map { $0 - requestedAt } }
}
