// The tools whose files can be imported, and how a file is recognized.

package import Workflows
import YAML

/// A tool whose files can be imported.
package enum ImportFormat: String, Sendable, CaseIterable {
  /// A workflow of GitHub Actions.
  case github
  /// A Taskfile of go-task.
  case taskfile
  /// A file of dagu.
  case dagu
  /// A makefile.
  case make
  /// A justfile.
  case just
  /// A file of process-compose.
  case processCompose = "process-compose"
  /// The scripts of a package.json.
  case package

  /// The name of the tool, for people.
  package var title: String {
    switch self {
    case .github: "a workflow of GitHub Actions"
    case .taskfile: "a Taskfile"
    case .dagu: "a file of dagu"
    case .make: "a makefile"
    case .just: "a justfile"
    case .processCompose: "a file of process-compose"
    case .package: "a package.json"
    }
  }

  /// Recognizes a file by its name and content; nil if it is none of these formats.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - bytes: Its content.
  package init?(path: String, bytes: [UInt8]) {
    let name = (path.split(separator: "/").last.map(String.init) ?? path).lowercased()
    let isYAML = name.hasSuffix(".yml") || name.hasSuffix(".yaml")
    if ["makefile", "gnumakefile"].contains(name) || name.hasSuffix(".mk")
      || name.hasSuffix(".make")
    {
      self = .make
      return
    }
    if ["justfile", ".justfile"].contains(name) || name.hasSuffix(".just") {
      self = .just
      return
    }
    if name == "package.json" {
      self = .package
      return
    }
    if isYAML, name.hasPrefix("taskfile.") {
      self = .taskfile
      return
    }
    guard isYAML || path == "-", let root = Document(SourceText(bytes)).root else { return nil }
    if root["jobs"]?.isMap == true {
      self = .github
    } else if root["tasks"]?.isMap == true || root["includes"]?.isMap == true {
      self = .taskfile
    } else if root["processes"]?.isMap == true {
      self = .processCompose
    } else if root["steps"] != nil {
      self = .dagu
    } else {
      return nil
    }
  }
}

extension ImportedWorkflow {
  /// Translates a file of another tool.
  ///
  /// The result has no errors: what the language would refuse is a comment in it.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - format: The tool.
  ///   - path: The path of the file, for messages.
  ///   - folder: The files beside it, by their paths in the repository (GitHub Actions) or
  ///     relative to the folder of the file.
  ///   - actions: The kinds of runners, whose settings are checked, too.
  /// - Throws: ``ImportError`` if the file cannot be read or has nothing that could run.
  package init(
    _ bytes: [UInt8], from format: ImportFormat, path: String,
    folder: ImportFolder = ImportFolder(), actions: ActionCatalog? = nil
  ) throws(ImportError) {
    var draft: ImportDraft
    switch format {
    case .github:
      var reader = GitHubImport(SourceNode(try Self.root(of: bytes)), folder: folder)
      draft = try reader.draft()
    case .taskfile:
      var reader = TaskfileImport(SourceNode(try Self.root(of: bytes)), folder: folder)
      draft = try reader.draft()
    case .dagu:
      var reader = DaguImport(try Self.documents(of: bytes))
      draft = try reader.draft()
    case .make:
      let name = path.split(separator: "/").last.map(String.init) ?? "Makefile"
      var reader = MakeImport(try Self.text(of: bytes), name: name, folder: folder)
      draft = try reader.draft()
    case .just:
      var reader = JustImport(try Self.text(of: bytes), folder: folder)
      draft = try reader.draft()
    case .processCompose:
      var reader = ProcessComposeImport(SourceNode(try Self.root(of: bytes)))
      draft = try reader.draft()
    case .package:
      var reader = PackageScripts(SourceNode(try Self.root(of: bytes)))
      draft = try reader.draft()
    }
    let base = String(path.split(separator: "/").last ?? "workflow")
    let name = base.split(separator: ".").first.map(String.init) ?? base
    draft.root.items[0].comments.insert(
      "Imported from \(base), \(format.title), by reprise import.", at: 0)
    let checked = try CheckedDraft(draft.root, file: name + ".yaml", actions: actions)
    text = checked.text
    stepCount = draft.stepCount
    differences = draft.differences
    wanted = draft.wanted
    remarks =
      draft.remarks.sorted { $0.line < $1.line }
      + checked.removed.map { ImportRemark(weight: .missing, line: 0, text: $0) }
  }

  private static func text(of bytes: [UInt8]) throws(ImportError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImportError("it is not UTF-8")
    }
    return text
  }

  /// Returns the documents of a file, which a line with `---` separates.
  private static func documents(of bytes: [UInt8]) throws(ImportError) -> [SourceNode] {
    var parts: [[UInt8]] = [[]]
    var line = 0
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      let isSeparator = text.elementsEqual("---".utf8) || text.elementsEqual("---\r".utf8)
      if isSeparator {
        // The lines before keep the numbers of those that follow.
        parts.append(Array(repeating: UInt8(ascii: "\n"), count: line))
      } else {
        parts[parts.count - 1] += text + [UInt8(ascii: "\n")]
      }
    }
    let filled = parts.filter { part in
      String(decoding: part, as: UTF8.self).split(whereSeparator: \.isNewline)
        .contains { !$0.trimmed.isEmpty && !$0.trimmed.hasPrefix("#") }
    }
    var roots: [SourceNode] = []
    for part in filled { roots.append(SourceNode(try root(of: part))) }
    return roots
  }

  private static func root(of bytes: [UInt8]) throws(ImportError) -> Node {
    let document = Document(SourceText(bytes))
    if let problem = document.problems.first {
      throw ImportError("line \(problem.mark.line): \(problem.message)")
    }
    guard let root = document.root, root.isMap else { throw ImportError("this is no YAML map") }
    return root
  }
}
