// Reads a file of another tool, for `reprise import` and `reprise validate --from`.

import Platform
import Reprise
import RepriseHost
import RepriseImport
import RepriseTerminal

extension ImportedWorkflow {
  /// Reads and translates a file.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - given: The tool; if nil, it is recognized by the file.
  /// - Returns: The translation, and the tool.
  /// - Throws: ``Problem``.
  static func read(
    _ file: String, from given: ImportFormat?
  ) throws(Problem) -> (ImportedWorkflow, ImportFormat) {
    let (bytes, format) = try content(of: file, from: given)
    return (try translated(bytes, from: format, file), format)
  }

  /// Reads and translates a file, with the actions and workflows of other repositories that it uses.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - given: The tool; if nil, it is recognized by the file.
  /// - Returns: The translation, and the tool.
  /// - Throws: ``Problem``, or `CancellationError`; what cannot be fetched is missing in the translation.
  static func fetching(
    _ file: String, from given: ImportFormat?
  ) async throws -> (ImportedWorkflow, ImportFormat) {
    let (bytes, format) = try content(of: file, from: given)
    guard format == .github else {
      throw Problem("error: --fetch is for workflows of GitHub Actions; leave it out")
    }
    let repositories = try OtherRepositories()
    defer { repositories.remove() }
    var others: [OtherFile: OtherFile.Answer] = [:]
    while true {
      // What has been fetched can use more; the import limits how much.
      let workflow = try translated(bytes, from: format, file, others: others)
      guard !workflow.wanted.isEmpty else { return (workflow, format) }
      for other in workflow.wanted {
        others[other] = await repositories.read(other)
        try Task.checkCancellation()
      }
    }
  }

  private static func content(
    of file: String, from given: ImportFormat?
  ) throws(Problem) -> ([UInt8], ImportFormat) {
    let bytes: [UInt8]
    do throws(WorkflowError) {
      bytes = try Workflow.bytes(of: file)
    } catch {
      throw Problem(error)
    }
    guard let format = given ?? ImportFormat(path: file, bytes: bytes) else {
      throw Problem(
        """
        error: "\(file)" is not recognized; choose the tool: --from github, taskfile, dagu, make, \
        just, process-compose or package
        """)
    }
    return (bytes, format)
  }

  private static func translated(
    _ bytes: [UInt8], from format: ImportFormat, _ file: String,
    others: [OtherFile: OtherFile.Answer]? = nil
  ) throws(Problem) -> ImportedWorkflow {
    var folder = ImportFolder(at: folder(of: file, format))
    folder.others = others
    do throws(ImportError) {
      return try ImportedWorkflow(
        bytes, from: format, path: file, folder: folder, actions: RunnerReport.catalog)
    } catch {
      throw Problem("error: \"\(file)\" cannot be imported: \(error.description)")
    }
  }

  /// The files of a folder that can be imported, by their names.
  static func files(in folder: String) -> [String] {
    let names = entries(of: folder).filter { $0.last != "/" }.sorted()
    let known = names.filter { name in
      let lower = name.lowercased()
      return lower.hasPrefix("process-compose.") || ImportFormat(path: name, bytes: []) != nil
    }
    let workflows = ".github/workflows"
    let actions = entries(of: folder + "/" + workflows).sorted()
      .filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }.map { workflows + "/" + $0 }
    return known + actions
  }

  /// The name of the workflow that is written for a file.
  static func suggestedName(for file: String, _ format: ImportFormat) -> String {
    switch format {
    case .github, .dagu:
      let name = file.split(separator: "/").last ?? "workflow"
      return String(name.split(separator: ".").first ?? name)
    case .taskfile, .make, .just, .processCompose, .package: return format.rawValue
    }
  }

  /// The folder of other files that a file uses: the repository of a workflow of GitHub.
  private static func folder(of file: String, _ format: ImportFormat) -> String {
    var parts = file.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast()
    if format == .github, parts.suffix(2) == [".github", "workflows"] { parts.removeLast(2) }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// The file, with what it is and how much is in it.
  func title(of file: String, _ format: ImportFormat) -> String {
    "\(file): \(format.title), \(countText(stepCount, "step"))"
  }
}

extension ImportFolder {
  /// A folder of this machine.
  init(at folder: String) {
    func full(_ path: String) -> String { path.first == "/" ? path : folder + "/" + path }
    self.init(
      read: { try? Workflow.bytes(of: full($0)) },
      names: { entries(of: full($0)) }, system: Machine.system == "linux" ? "Linux" : "Darwin",
      architecture: Self.architecture)
  }

  /// What `uname -m` prints.
  private static var architecture: String {
    Machine.system == "linux" && Machine.architecture == "arm64" ? "aarch64" : Machine.architecture
  }
}

/// The names in a folder; empty if it cannot be read.
private func entries(of folder: String) -> [String] {
  do throws(Errno) {
    var reader = try FolderReader(folder)
    var names: [String] = []
    while let entry = try reader.next() {
      guard let name = entry.text else { continue }
      names.append(entry.kind == .folder ? name + "/" : name)
    }
    return names
  } catch {
    return []
  }
}

extension ImportRemark {
  /// The place in the file of the other tool.
  func place(in file: String) -> String { line > 0 ? "\(file):\(line)" : file }
}
