// Formatting of command output: tables, local times, and JSON lines.

package import Reprise
package import RepriseJournal
package import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Returns rows as a table with aligned columns.
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

/// Returns a moment in local time, such as `2026-11-21 03:04:05`.
package func localTime(_ time: Timestamp) -> String {
  let local = time.advanced(by: localTimeOffset(time)).description
  return local.prefix(10) + " " + local.dropFirst(11).prefix(8)
}

/// Returns a value as a JSON object on one line.
package func jsonLine(_ value: some Encodable) -> TerminalSafe {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? encoder.encode(value) else {
    preconditionFailure("BUG: \(type(of: value)) cannot be encoded")
  }
  return TerminalSafe(json: String(decoding: data, as: UTF8.self))
}

extension RunRecord {
  /// The duration of the run; nil if it has not ended, or if its engine died at an unknown time.
  package var took: Duration? { status == .interrupted ? nil : endedAt.map { $0 - requestedAt } }

  /// The time since the run was requested; nil if it is not live.
  package func elapsed(at now: Timestamp) -> Duration? {
    status.isLive ? max(now - requestedAt, .zero) : nil
  }
}
