#if os(Linux)
import Foundation
import Testing

/// What `make install` and `make uninstall` do, with a small archive instead of a build.
struct InstallTests {
  private static let list = "share/doc/reprise/files"

  /// Writes an archive like that of `Scripts/package`, with the given files beside the command.
  private static func archive(of files: [String], in folder: URL) async throws -> String {
    let all = (["bin/reprise"] + files).sorted()
    for path in all + [list] {
      let file = folder.appendingPathComponent("reprise-1/" + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let text = path == list ? all.map { $0 + "\n" }.joined() : "#!/bin/sh\necho 1.2.3\n"
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let command = folder.appendingPathComponent("reprise-1/bin/reprise").path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: command)
    let archive = folder.appendingPathComponent("reprise-1.tar.gz").path
    let packed = try await Toolchain.run(
      ["tar", "-C", folder.path, "-czf", archive, "reprise-1"], in: folder)
    #expect(packed.status == 0, "\(packed.output)")
    try FileManager.default.removeItem(at: folder.appendingPathComponent("reprise-1"))
    return archive
  }

  /// Returns the paths of the files below a folder.
  private static func files(below folder: URL) throws -> Set<String> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return Set(
      try paths.filter {
        let file = folder.appendingPathComponent($0).path
        return try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
          == .typeRegular
      })
  }

  private static func install(_ arguments: String...) async throws -> Toolchain.Ended {
    try await Toolchain.run(["Scripts/install"] + arguments)
  }

  @Test func `what was installed is replaced and removed, and other files stay`() async throws {
    try await Toolchain.withFolder { folder in
      let prefix = folder.appendingPathComponent("a prefix")
      let share = prefix.appendingPathComponent("share")
      try FileManager.default.createDirectory(at: share, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: share.path)
      try Data().write(to: share.appendingPathComponent("mine"))

      let first = try await Self.archive(of: ["share/old file", "share/page"], in: folder)
      let installed = try await Self.install(first, prefix.path)
      #expect(installed.status == 0 && installed.output.contains("1.2.3"), "\(installed.output)")
      #expect(
        try Self.files(below: prefix)
          == ["bin/reprise", "share/mine", "share/old file", "share/page", Self.list])
      let attributes = try FileManager.default.attributesOfItem(atPath: share.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)

      let second = try await Self.archive(of: ["share/page"], in: folder)
      #expect(try await Self.install(second, prefix.path).status == 0)
      #expect(
        try Self.files(below: prefix) == ["bin/reprise", "share/mine", "share/page", Self.list])

      #expect(try await Self.install("--remove", prefix.path).status == 0)
      #expect(try Self.files(below: prefix) == ["share/mine"])
      let again = try await Self.install("--remove", prefix.path)
      #expect(again.status == 1 && again.output.hasPrefix("error: nothing is installed in"))
    }
  }

  @Test func `a prefix is an absolute path`() async throws {
    let ended = try await Self.install("reprise.tar.gz", "~/.local")
    #expect(ended.status == 2)
    #expect(ended.output == "error: PREFIX must be an absolute path, and is \"~/.local\"\n")
  }

  @Test func `the check of the archive runs every block of commands on its page`() throws {
    let page = try Repository.text(of: "Documentation/install.md")
    let names = page.matches(of: /<!-- check: (\w+) -->\n```sh\n/).map(\.1)
    #expect(names.count > 2 && names.count == page.matches(of: /```sh\n/).count)
    let script = try Repository.text(of: "Scripts/check-tarball")
    for name in names { #expect(script.contains("\n. /page/\(name)\n"), "\(name)") }
  }
}
#endif
