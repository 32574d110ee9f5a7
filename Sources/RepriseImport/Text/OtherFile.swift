// Actions and workflows of other repositories, which an import reads if they were fetched.

/// An action or workflow of another repository, as `uses` names it: `OWNER/NAME/PATH@VERSION`.
package struct OtherFile: Hashable, Sendable, CustomStringConvertible {
  /// What has been found of it.
  package enum Answer: Sendable {
    /// The content of its file, the path of the file in the repository, and the id of the commit.
    case read([UInt8], path: String, commit: String)
    /// The reason why it cannot be read.
    case failed(String)
  }

  /// The maximum number of files of other repositories that one import reads.
  static let countMax = 100

  /// The repository, `OWNER/NAME`.
  package let repository: String
  /// The path in the repository; empty for the repository itself.
  package let path: String
  /// A tag, a branch or the id of a commit.
  package let version: String
  /// Whether the path is that of a file, also if its name does not say so.
  private var isFile = false

  /// Reads a value of `uses`; the result is nil if it is none of another repository.
  ///
  /// All parts have only characters that are plain in an address and in a command.
  package init?(_ uses: String) {
    guard let mark = uses.firstIndex(of: "@") else { return nil }
    let parts = uses[..<mark].split(separator: "/", omittingEmptySubsequences: false)
    let version = uses[uses.index(after: mark)...]
    var path = parts.dropFirst(2)
    if path.last?.isEmpty == true { path.removeLast() }
    guard parts.count >= 2, (parts.prefix(2) + path).allSatisfy(Self.isPlain),
      version.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isPlain)
    else { return nil }
    repository = parts.prefix(2).joined(separator: "/")
    self.path = path.joined(separator: "/")
    self.version = String(version)
  }

  /// Names any file of another repository; the result is nil if one of these is not plain.
  init?(fileOf repository: String, path: String, version: String) {
    self.init("\(repository)/\(path)@\(version)")
    guard !self.path.isEmpty else { return nil }
    isFile = true
  }

  package var description: String {
    repository + (path.isEmpty ? "" : "/" + path) + "@" + version
  }

  /// The paths of the files that it can be; the first that is there counts.
  package var files: [String] {
    if isFile || path.hasSuffix(".yml") || path.hasSuffix(".yaml") { return [path] }
    let start = path.isEmpty ? "" : path + "/"
    return ["action.yml", "action.yaml"].map { start + $0 }
  }

  private static func isPlain(_ part: Substring) -> Bool {
    !part.isEmpty && part.first != "-" && !part.contains("..") && part != "."
      && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-+".contains($0)) }
      && part.first != "+"
  }
}
