// The build plugin that builds the pages of Documentation/errors into the program.

import Foundation
import PackagePlugin

/// Writes the pages into a source file whenever one of them changes.
///
/// The link `Pages` is for SwiftPM, which plans a build again after a file was added to the folder of
/// a target, or removed from it.
@main
struct ErrorTexts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "ErrorTexts.swift")
    let folder = context.package.directoryURL.appending(path: "Documentation/errors")
    let pages = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent != "README.md" }
    let script = #"""
      set -e
      quotes='"""'
      {
        echo 'enum ErrorTexts {'
        echo '  static let pages: [(code: String, markdown: String)] = ['
        for page in "$1"/R[0-9]*.md; do
          code=${page##*/}
          printf '    ("%s", ####%s\n' "${code%.md}" "$quotes"
          cat "$page"
          printf '\n%s####),\n' "$quotes"
        done
        echo '  ]'
        echo '}'
      } > "$2.new"
      mv "$2.new" "$2"
      """#
    return [
      .buildCommand(
        displayName: "Reading the pages of error codes", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", script, "sh", folder.path, output.path],
        inputFiles: pages.sorted { $0.path < $1.path }, outputFiles: [output])
    ]
  }
}
