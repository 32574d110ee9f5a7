// The build plugin that tells the command which commit it was built from, for `reprise --version`.

import Foundation
import PackagePlugin

/// Writes the commit of the checkout into a source file before each build.
///
/// The manifest could read it from `Context.gitInformation`, but evaluated manifests are cached, and
/// a build after a new commit would carry the old one.
@main
struct CommitOfBuild: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    let folder = context.pluginWorkDirectoryURL
    // The file is replaced only when it changes, so that nothing is compiled again for the same
    // commit. Without git, or outside a checkout, the commit is empty.
    let script = """
      commit=$(git -C "$1" describe --always --abbrev=12 --exclude='*' --dirty=-modified 2>/dev/null)
      text="let commitOfBuild = \\"$commit\\""
      [ "$(cat "$2" 2>/dev/null)" = "$text" ] || printf '%s\\n' "$text" > "$2"
      """
    return [
      .prebuildCommand(
        displayName: "Reading the commit", executable: URL(filePath: "/bin/sh"),
        arguments: [
          "-c", script, "sh", context.package.directoryURL.path,
          folder.appending(path: "CommitOfBuild.swift").path,
        ],
        outputFilesDirectory: folder)
    ]
  }
}
