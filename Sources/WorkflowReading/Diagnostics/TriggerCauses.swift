// R07: triggers. R08: actions and other files.

package import Workflows

extension Diagnostic.Cause {
  package static func noTrigger(keys: [String]) -> Self {
    Self("R0701", "\"on\" has no trigger").hint("add one of: " + keys.joined(separator: ", "))
  }

  package static func noFile(_ what: String) -> Self {
    Self("R0702", "\"\(what)\" needs a pattern that does not begin with \"!\"")
      .hint("write it like: [src/**, Makefile]")
  }

  package static func scheduleTwice(_ text: String) -> Self {
    Self("R0703", "the schedule \"\(text)\" is listed twice")
  }

  package static let shortInterval = Self("R0704", "\"every\" must be at least 1s")

  package static func unknownZone(_ zone: String, nearest: String?, areInstalled: Bool) -> Self {
    Self("R0705", "there is no time zone \"\(zone)\"")
      .hint(
        !areInstalled
          ? "no time zones are installed (on Debian: tzdata); TZDIR can name another folder"
          : nearest.map(didYouMean) ?? "write a name such as Europe/Berlin, America/New_York or UTC"
      )
  }

  package static func cron(_ message: String, hint: String?) -> Self {
    Self("R0706", message).hint(hint)
  }

  package static func unknownAction(_ name: String, _ others: Alternatives) -> Self {
    Self("R0801", "there is no action \"\(name)\"")
      .hint(
        others == .names([])
          ? "actions are registered by the program that embeds the engine, and this one has none"
          : others.hint())
  }

  package static func usesPath(_ name: String) -> Self {
    let isFile = name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let path = isFile ? "./\(name.drop { $0 == "/" })" : "./other.yaml"
    return Self("R0805", "\"\(name)\" is not a relative path to a workflow file")
      .hint(
        name.contains("@")
          ? "actions of GitHub cannot be used; a file with them is translated by: "
            + "reprise import FILE" : "write a path relative to this file, such as \(path)")
  }
  package static func usesOutside(_ name: String) -> Self {
    Self("R0805", "\"\(name)\" is outside the project of the workflow that is run")
      .hint("copy it into the project: the nearest folder with .git, or with the folder workflows")
  }

  package static func usesCycle(_ paths: [String]) -> Self {
    Self("R0806", "workflows use one another in a cycle: \(paths.joined(separator: " -> "))")
  }

  package static func notUsable(_ key: String) -> Self {
    Self("R0807", "a workflow with \"\(key)\" cannot be used by another workflow")
      .hint("move it to the workflow that is run")
  }

  package static func unknownWorkflow(_ name: String, _ others: Alternatives) -> Self {
    Self("R0808", "the file has no workflow \"\(name)\" under \"workflows\"").hint(others.hint())
  }

  package static func unknownPool(_ name: String, _ others: Alternatives) -> Self {
    Self("R0809", "there is no pool \"\(name)\"")
      .hint(
        others == .names([])
          ? "declare it at the top of this workflow: pools: { db: 2 }" : others.hint())
  }
}
