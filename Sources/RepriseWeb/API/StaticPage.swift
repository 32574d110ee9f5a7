// A run as one file of HTML, with the page and its data in it: to attach to a bug report.

import Platform
import Reprise
import RepriseHost
package import RepriseJournal
import RepriseTerminal

/// One run, to be read without a server.
package struct StaticPage {
  /// The maximum number of bytes of the output of one attempt, from its end.
  private static let logBytesMax: Int64 = 256 << 10
  /// The maximum number of bytes of the output of all attempts.
  private static let logsBytesMax: Int64 = 8 << 20

  private struct Content: Encodable {
    let run: RunDocument
    let project: ProjectDocument
    let logs: [String: LogWindow]
    let source: [String: String]
  }

  /// The file.
  package let bytes: [UInt8]

  /// Creates the page of a run.
  ///
  /// - Parameters:
  ///   - name: The name of the run.
  ///   - journal: The journal of the run.
  ///   - version: The version of the command.
  /// - Throws: ``JournalError`` if the run cannot be read.
  package init(of name: String, in journal: Journal, version: String) throws {
    let record = try journal.run(named: name)
    var run = FollowedRun(record)
    _ = try run.readNew(in: journal)
    var logs: [String: LogWindow] = [:]
    var room = Self.logsBytesMax
    let steps = run.state.steps.map(\.id)
    let newest = Dictionary(
      journal.directory.logs(of: record.id, steps: steps).map { ($0.step, $0) },
      uniquingKeysWith: { $1 })
    // What has failed is worth more than what has succeeded.
    let order =
      run.state.steps.filter { if case .failed = $0.phase { true } else { false } }
      + run.state.steps
    for step in order where logs[step.id] == nil && room > 0 {
      guard let log = newest[step.id] else { continue }
      let window = LogWindow(of: log, from: -min(Self.logBytesMax, room), limit: Self.logBytesMax)
      room -= window.to - window.from
      logs[step.id] = window
    }
    let definition = try journal.definition(ofGeneration: record.generation, of: record)
    let folder = record.request.directory
    let name = WebProject.names(of: [folder])[0]
    let content = Content(
      run: RunDocument(run),
      project: ProjectDocument(
        name: name, folder: folder, version: version,
        projects: [ProjectDocument.Place(name: name, folder: folder)]),
      logs: logs, source: ["path": record.request.file, "text": definition.source])
    // Within a script element, only `</` and `<!` have a meaning, and JSON can write them otherwise.
    let json = String(decoding: jsonBytes(content), as: UTF8.self)
      .replacing("<", with: "\\u003C")
    let markup = PageFiles.text(of: "index.html") ?? ""
    bytes = Array(try Self.inlined(markup, data: json).utf8)
  }

  /// Puts style, modules and data into the markup.
  private static func inlined(_ markup: String, data: String) throws -> String {
    var style = ""
    var lines: [String] = []
    for line in markup.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.contains("rel=\"stylesheet\""), let name = attribute("href", of: line) {
        style += PageFiles.text(of: name) ?? ""
      } else if line.contains("<script"), let name = attribute("src", of: line) {
        lines.append(
          "<script type=\"application/json\" id=\"static-run\">\(data)</script>")
        lines.append("<script type=\"module\">\n\(try PageModules.joined(from: name))</script>")
      } else if line.contains("rel=\"icon\"") {
        continue
      } else {
        lines.append(String(line))
      }
    }
    return lines.joined(separator: "\n")
      .replacing("</head>", with: "<style>\n\(style)</style>\n</head>", maxReplacements: 1)
  }

  private static func attribute(_ name: String, of line: Substring) -> String? {
    guard let start = line.firstRange(of: "\(name)=\"")?.upperBound,
      let end = line[start...].firstIndex(of: "\"")
    else { return nil }
    return line[start..<end].split(separator: "/").last.map(String.init)
  }
}

/// The modules of the page as one script.
///
/// The modules follow rules (Documentation/web.md) by which imports and the word `export` can be
/// left out: no name is declared in two modules, and none is renamed.
enum PageModules {
  /// Returns the code of a module after that of all modules that it imports.
  static func joined(from name: String) throws -> String {
    var seen: Set<String> = []
    var code = ""
    add(name, &seen, &code)
    return code
  }

  private static func add(_ name: String, _ seen: inout Set<String>, _ code: inout String) {
    guard seen.insert(name).inserted, let text = PageFiles.text(of: name) else { return }
    var own = ""
    var importing = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if !importing.isEmpty || line.hasPrefix("import ") {
        importing += line + " "
        guard line.hasSuffix(";") else { continue }
        if let path = importing.split(separator: "\"").dropFirst().first {
          add(path.split(separator: "/").last.map(String.init) ?? "", &seen, &code)
        }
        importing = ""
      } else if line.hasPrefix("export ") {
        own += line.dropFirst("export ".count) + "\n"
      } else {
        own += line + "\n"
      }
    }
    // A module is a scope of its own, so the end of a script must not be in one either.
    code += own.replacing("</script", with: "<\\/script")
  }
}
