// The build plugin that puts the files of the page into the executable that serves it.

import Foundation
import PackagePlugin

/// Writes the files of `Page` into a source file whenever one of them changes, as text and compressed.
///
/// Literals of text compile at once; the arrays of bytes that SwiftPM makes of embedded resources
/// take seconds.
@main
struct PageText: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "PageText.swift")
    let page = target.directoryURL.appending(path: "Page")
    let files = try FileManager.default.contentsOfDirectory(
      at: page, includingPropertiesForKeys: nil)
    let script = """
      set -e
      quote='"'
      mark="####$quote$quote$quote"
      {
        echo 'enum PageText {'
        echo '  static let files: [(name: String, text: String, gzip: String)] = ['
        for file in "$1"/*; do
          [ -f "$file" ] || continue
          printf '    ("%s", %s\\n' "${file##*/}" "$mark"
          cat "$file"
          printf '\\n%s####, "' "$quote$quote$quote"
          gzip -9nc "$file" | base64 | tr -d '\\n'
          printf '"),\\n'
        done
        echo '  ]'
        echo '}'
      } > "$2.new"
      mv "$2.new" "$2"
      """
    return [
      .buildCommand(
        displayName: "Reading the page", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", script, "sh", page.path, output.path],
        inputFiles: files.sorted { $0.path < $1.path }, outputFiles: [output])
    ]
  }
}
