// Imports the simple rules of a makefile: each target is a step that needs other targets.

/// Imports makefiles.
struct MakeImport {
  private let makefile: Makefile
  private var remarks: [ImportRemark] = []
  private var names = StepNames()
  private var ids: [String: String] = [:]
  private var used: Set<String> = []

  init(_ text: String) { makefile = Makefile(text) }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    remarks = makefile.remarks
    let rules = makefile.rules.filter { !$0.recipe.isEmpty || !$0.prerequisites.isEmpty }
    guard !rules.isEmpty else { throw ImportError("it has no rule with a target") }
    for rule in rules where ids[rule.target] == nil {
      ids[rule.target] = names.id(for: rule.target, otherwise: "target")
    }
    var steps: [Draft.Item] = []
    for rule in rules { steps.append(step(rule)) }
    remarks.append(
      ImportRemark(
        weight: .note, line: 0,
        text: "without an option all targets are made; one with what it needs: --to TARGET"))
    var items: [Draft.Item] = []
    let variables = makefile.variables.filter { used.contains($0.name) }
    if !variables.isEmpty {
      // As with `make NAME=VALUE`, a run can set them.
      items.append(
        Draft.Item(
          "params",
          .map(variables.map { Draft.Item($0.name, .parameter($0.value)) })))
      items.append(
        Draft.Item(
          "env", .map(variables.map { Draft.Item($0.name, .text("${{ params.\($0.name) }}")) })))
    }
    items.append(
      Draft.Item("steps", .list([Draft.Item("", .map([Draft.Item("parallel", .list(steps))]))])))
    items[0].comments.append("Make one target with what it needs: reprise run FILE --to TARGET")
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: steps.count)
  }

  private mutating func step(_ rule: Makefile.Rule) -> Draft.Item {
    var comments: [String] = []
    var needs: [String] = []
    for name in rule.prerequisites + rule.orderOnly {
      guard let id = ids[name], id != ids[rule.target], !needs.contains(id) else { continue }
      needs.append(id)
    }
    var items = [
      Draft.Item("id", .text(ids[rule.target] ?? rule.target)), Draft.Item("needs", .texts(needs)),
    ]
    var lines: [String] = []
    if let problem = rule.problem {
      remarks.append(
        ImportRemark(weight: .missing, line: rule.line, text: "\(rule.target): \(problem)"))
      comments.append("missing: what it needs: \(problem)")
      lines.append("echo 'complete this step' >&2; exit 1")
    }
    for line in rule.recipe {
      do throws(Untranslatable) {
        lines.append(try command(line, rule))
      } catch {
        remarks.append(
          ImportRemark(weight: .missing, line: rule.line, text: "\(rule.target): \(error.reason)"))
        comments.append("missing: \(line)")
        lines.append("echo 'complete this step' >&2; exit 1")
      }
    }
    if !makefile.phony.contains(rule.target), !rule.recipe.isEmpty, rule.problem == nil,
      !rule.target.contains("$")
    {
      let files = rule.prerequisites.filter { !makefile.phony.contains($0) }
      let first =
        files.isEmpty ? Draft.Item("key", .text(rule.target)) : Draft.Item("inputs", .texts(files))
      items.append(
        Draft.Item("cache", .map([first, Draft.Item("makes", .texts([rule.target]))])))
    }
    let script = lines.isEmpty ? "true" : ScalarText.tidied(lines.joined(separator: "\n"))
    items.append(Draft.Item("run", .text(script)))
    return Draft.Item("", .map(items), comments: comments)
  }

  /// Returns a line of a recipe as a command of a shell.
  private mutating func command(
    _ line: String, _ rule: Makefile.Rule
  ) throws(Untranslatable) -> String {
    var line = line.trimmed
    var ignoresErrors = false
    while let first = line.first, "@-+".contains(first) {
      ignoresErrors = ignoresErrors || first == "-"
      line = String(line.dropFirst()).trimmed
    }
    var text = try makefile.expanded(line, rule, used: &used)
    // Each line of a recipe has a shell of its own.
    if text.hasPrefix("cd ") || text.contains(" cd ") { text = "(\(text))" }
    return ignoresErrors ? "\(text) || true" : text
  }
}
