// The corrections that diagnostics know, applied to the text of a file.

import YAML

/// The text of a file before and after corrections.
package struct FixedText: Sendable, Equatable {
  /// A line that is changed.
  struct Change: Sendable, Equatable {
    /// The line, from 1.
    let line: Int
    let old: String
    /// The lines instead of it, joined by line feeds.
    let new: String
  }

  /// The text after the corrections.
  package let bytes: [UInt8]
  /// The changed lines, in order.
  let changes: [Change]

  /// Applies corrections; of those that overlap, the last one in the line.
  ///
  /// - Parameters:
  ///   - bytes: The text of a file.
  ///   - edits: The corrections.
  package init(_ bytes: [UInt8], _ edits: [Diagnostic.Edit]) {
    let source = SourceText(bytes)
    let byLine = Dictionary(grouping: edits, by: \.line)
    let (starts, lines) = (source.lineStarts(), source.lines(Set(byLine.keys)))
    let lineBreak = bytes.contains(0x0D) ? "\r\n" : "\n"
    var (result, changes) = (bytes, [Change]())
    for (number, edits) in byLine.sorted(by: { $0.key > $1.key }) {
      guard let old = lines[number], starts.indices.contains(number - 1) else { continue }
      let new = Self.applied(edits, to: old)
      guard !new.hasSameBytes(as: old) else { continue }
      changes.append(Change(line: number, old: old, new: new))
      let start = starts[number - 1]
      result.replaceSubrange(
        start..<start + old.utf8.count, with: Array(new.replacing("\n", with: lineBreak).utf8))
    }
    self.bytes = result
    self.changes = changes.reversed()
  }

  private static func applied(_ edits: [Diagnostic.Edit], to line: String) -> String {
    var scalars = Array(line.unicodeScalars)
    var end = scalars.count
    // From the end, so that columns stay valid.
    for edit in edits.sorted(by: { ($0.column, $0.length) > ($1.column, $1.length) }) {
      let start = edit.column - 1
      guard start >= 0, edit.length >= 0, start + edit.length <= end else { continue }
      scalars.replaceSubrange(start..<start + edit.length, with: Array(edit.text.unicodeScalars))
      end = start
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// Returns the changes as a unified diff without context, which `patch` can apply.
  package func difference(in path: String) -> String {
    guard !changes.isEmpty else { return "" }
    var lines = ["--- \(path)", "+++ \(path)"]
    var added = 0
    for change in changes {
      let new = change.new.split(separator: "\n", omittingEmptySubsequences: false)
      let count = new.count == 1 ? "" : ",\(new.count)"
      lines.append("@@ -\(change.line) +\(change.line + added)\(count) @@")
      lines.append("-\(change.old)")
      lines += new.map { "+\($0)" }
      added += new.count - 1
    }
    return lines.joined(separator: "\n")
  }
}
