// The build plugin that builds Documentation/workflow-file.md into the program, for agents.

import Foundation
import PackagePlugin

/// Writes the page into a source file whenever it changes.
@main
struct ReferenceText: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let output = context.pluginWorkDirectoryURL.appending(path: "ReferenceText.swift")
    let page = context.package.directoryURL.appending(path: "Documentation/workflow-file.md")
    let script = #"""
      set -e
      quotes='"""'
      {
        echo 'enum ReferenceText {'
        printf '  static let markdown = ####%s\n' "$quotes"
        cat "$1"
        printf '\n%s####\n' "$quotes"
        echo '}'
      } > "$2.new"
      mv "$2.new" "$2"
      """#
    return [
      .buildCommand(
        displayName: "Reading the language reference", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", script, "sh", page.path, output.path],
        inputFiles: [page], outputFiles: [output])
    ]
  }
}
