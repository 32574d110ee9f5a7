// The build plugin that puts the files of the page into the executable that serves it.

import Foundation
import PackagePlugin

/// Writes the files of `Page` into a source file before each build, as text and compressed.
///
/// Literals of text compile at once; the arrays of bytes that SwiftPM makes of embedded resources
/// take seconds.
@main
struct PageText: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    let folder = context.pluginWorkDirectoryURL
    // The file is replaced only when it changes, so that nothing is compiled again for the same page.
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
      cmp -s "$2.new" "$2" && rm "$2.new" || mv "$2.new" "$2"
      """
    return [
      .prebuildCommand(
        displayName: "Reading the page", executable: URL(filePath: "/bin/sh"),
        arguments: [
          "-c", script, "sh", target.directoryURL.appending(path: "Page").path,
          folder.appending(path: "PageText.swift").path,
        ],
        outputFilesDirectory: folder)
    ]
  }
}
