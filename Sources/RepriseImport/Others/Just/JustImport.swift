// Imports a justfile: the first recipe is the steps, and each other one a workflow.

/// Imports justfiles.
struct JustImport {
  private let file: Justfile
  private let folder: ImportFolder
  /// The recipes for this machine.
  private let recipes: [JustRecipe]
  private var remarks: [ImportRemark] = []
  /// Why no recipe can run as it does there.
  private var problems: [(line: Int, text: String)]
  private var stepCount = 0
  private static let stepsMax = 10_000

  init(_ text: String, folder: ImportFolder) {
    file = Justfile(text)
    self.folder = folder
    recipes = file.recipes.filter { $0.isFor(folder.system) }
    for recipe in file.recipes where !recipe.isFor(folder.system) {
      let text = "\(recipe.name): this recipe is for other systems"
      remarks.append(ImportRemark(weight: .note, line: recipe.line, text: text))
    }
    problems = file.problems
    readVariables()
  }

  /// Looks at all variables, which just computes before each recipe, also at those that it does not use.
  private mutating func readVariables() {
    for (name, variable) in file.variables.sorted(by: { $0.value.line < $1.value.line }) {
      do throws(Untranslatable) {
        let value = try JustExpression(file: file, folder: folder, values: [:])
          .value(variable.value)
        guard value.canFail else { continue }
        note(variable.line, "\(name): only recipes that use it compute it")
      } catch {
        // These are there to end each recipe.
        if ["error(", "assert(", "require("].contains(where: variable.value.contains) {
          problems.append((variable.line, "\(name): \(error.reason)"))
        } else {
          note(variable.line, "\(name): only recipes that use it fail: \(error.reason)")
        }
      }
    }
  }

  /// What is written for one recipe.
  private struct Plan {
    var names = StepNames()
    var steps: [Draft.Item] = []
    /// The recipes that have run, with their arguments.
    var done: Set<String> = []
    var active: Set<String> = []
    var parameters: [Draft.Item] = []
    var isComplete = true
  }

  /// Translates the file.
  mutating func draft() throws(ImportError) -> ImportDraft {
    guard let first = recipes.first else { throw ImportError("it has no recipe") }
    let main = recipes.first { $0.attributes.contains("default") } ?? first
    var names = StepNames()
    var items = workflow(main)
    var workflows: [Draft.Item] = []
    for recipe in recipes where recipe.name != main.name && !isPrivate(recipe) {
      workflows.append(
        Draft.Item(names.workflow(for: recipe.name, otherwise: "recipe"), .map(workflow(recipe))))
    }
    for (line, text) in problems {
      remarks.append(ImportRemark(weight: .missing, line: line, text: text))
      items[0].comments.append("missing: \(text)")
    }
    if !workflows.isEmpty { items.append(Draft.Item("workflows", .map(workflows))) }
    items[0].comments.insert(
      "This is the recipe \(main.name); other recipes: reprise run FILE#RECIPE", at: 0)
    return ImportDraft(root: .map(items), remarks: remarks, stepCount: stepCount)
  }

  private mutating func note(_ line: Int, _ text: String) {
    let remark = ImportRemark(weight: .note, line: line, text: text)
    if !remarks.contains(remark) { remarks.append(remark) }
  }

  private func isPrivate(_ recipe: JustRecipe) -> Bool {
    recipe.name.first == "_" || recipe.attributes.contains("private")
  }

  private mutating func workflow(_ recipe: JustRecipe) -> [Draft.Item] {
    var plan = Plan()
    var values: [String: ShellText] = [:]
    for parameter in recipe.parameters {
      let name = StepNames.identifier(parameter.name)
      let earlier = values
      values[parameter.name] = ShellText(part: .parameter(name))
      let expression = JustExpression(file: file, folder: folder, values: earlier)
      let computed = parameter.value.flatMap { try? expression.value($0) }
      let given = computed?.known
      if let computed, given == nil {
        values[parameter.name] = computed
        note(
          recipe.line, "\(recipe.name): \(parameter.name) cannot be set: its default is computed")
        continue
      }
      if let given, !given.isEmpty, !MakeVariables.isPlain(given) {
        // A shell would not read the value of a variable as just's text.
        values[parameter.name] = ShellText(given)
        note(
          recipe.line, "\(recipe.name): \(parameter.name) cannot be set: a shell reads its default")
        continue
      }
      let value: Draft =
        given.map { Draft.parameter($0) }
        ?? (parameter.kind == "*" ? .parameter("") : .map([Draft.Item("type", .text("string"))]))
      plan.parameters.append(Draft.Item(name, value))
      if parameter.value != nil, given == nil { plan.isComplete = false }
    }
    visit(recipe, values, key: recipe.name, &plan)
    if plan.steps.isEmpty {
      plan.steps = [Draft.Item("", .map([Draft.Item("run", .text("true"))]))]
    }
    var items: [Draft.Item] = []
    if let text = recipe.description { items.append(Draft.Item("description", .text(text))) }
    let aliases = file.aliases.filter { $0.recipe == recipe.name }.map(\.name)
    if !aliases.isEmpty { items.append(Draft.Item("aliases", .texts(aliases))) }
    if !plan.parameters.isEmpty { items.append(Draft.Item("params", .map(plan.parameters))) }
    if file.settings["dotenv-load"].map({ $0 != "false" }) == true {
      let entry = Draft.map([
        Draft.Item("path", .text(".env")), Draft.Item("required", .word("false")),
      ])
      items.append(Draft.Item("dotenv", .list([Draft.Item("", entry)])))
    }
    items.append(Draft.Item("shell", .texts(file.shell ?? ["sh", "-e", "-u", "-c"])))
    items.append(Draft.Item("steps", .list(plan.steps)))
    return items
  }

  private static let attributes: Set = [
    "private", "no-exit-message", "no-quiet", "default", "positional-arguments",
  ]

  private mutating func visit(
    _ recipe: JustRecipe, _ values: [String: ShellText], key: String, _ plan: inout Plan
  ) {
    guard plan.active.insert(key).inserted, !plan.done.contains(key) else { return }
    defer { plan.active.remove(key) }
    depend(recipe.before, recipe, values, &plan)
    if !recipe.body.isEmpty { plan.steps.append(step(recipe, values, &plan)) }
    plan.done.insert(key)
    // What comes after runs again if it has run before.
    let done = plan.done
    plan.done = []
    depend(recipe.after, recipe, values, &plan)
    plan.done.formUnion(done)
  }

  private mutating func depend(
    _ dependencies: [JustRecipe.Dependency], _ recipe: JustRecipe, _ values: [String: ShellText],
    _ plan: inout Plan
  ) {
    for dependency in dependencies {
      let alias = file.aliases.first { $0.name == dependency.name }
      let name = alias?.recipe ?? dependency.name
      do throws(Untranslatable) {
        guard let other = recipes.first(where: { $0.name == name }) else {
          throw Untranslatable("there is no recipe \(name)")
        }
        guard
          dependency.arguments.count <= other.parameters.count
            || other.parameters.last?.kind != nil
        else { throw Untranslatable("too many arguments for \(name)") }
        guard plan.active.count < Effort.depthMax, stepCount < Self.stepsMax else {
          throw Untranslatable("recipes that need too many others")
        }
        var given: [String: ShellText] = [:]
        var key = name
        let expression = JustExpression(file: file, folder: folder, values: values)
        for (position, parameter) in other.parameters.enumerated() {
          let own = JustExpression(file: file, folder: folder, values: given)
          let arguments = dependency.arguments.dropFirst(position)
          given[parameter.name] = try value(of: parameter, arguments, expression, own)
          key += "\u{0}\(given[parameter.name] ?? ShellText())"
        }
        visit(other, given, key: key, &plan)
      } catch {
        plan.steps.append(failed(recipe, recipe.line, error.reason, &plan))
      }
    }
  }

  /// Returns the value of a parameter of a dependency; its default has expressions of its own, which
  /// know the parameters before it.
  private func value(
    of parameter: JustRecipe.Parameter, _ arguments: ArraySlice<String>,
    _ expression: JustExpression, _ own: JustExpression
  ) throws(Untranslatable) -> ShellText {
    guard let first = arguments.first else {
      if let text = parameter.value { return try own.value(text) }
      if parameter.kind == "*" { return ShellText() }
      throw Untranslatable("a dependency without \(parameter.name)")
    }
    var value = try expression.value(first)
    for argument in parameter.kind == nil ? [] : arguments.dropFirst() {
      value.append(.literal(" "))
      value.append(try expression.value(argument))
    }
    return value
  }

  private mutating func failed(
    _ recipe: JustRecipe, _ line: Int, _ reason: String, _ plan: inout Plan
  ) -> Draft.Item {
    let remark = ImportRemark(weight: .missing, line: line, text: "\(recipe.name): \(reason)")
    if !remarks.contains(remark) { remarks.append(remark) }
    stepCount += 1
    let id = plan.names.id(for: recipe.name, otherwise: "recipe")
    return Draft.Item(
      "",
      .map([
        Draft.Item("id", .text(id)), Draft.Item("run", .text(Draft.failing(reason, line: line))),
      ]),
      comments: ["missing: \(reason)"] + recipe.body.map { "  \($0.text)" })
  }

  private mutating func step(
    _ recipe: JustRecipe, _ values: [String: ShellText], _ plan: inout Plan
  ) -> Draft.Item {
    var line = recipe.line
    do throws(Untranslatable) {
      guard plan.isComplete else { throw Untranslatable("the default value of a parameter") }
      if let problem = problems.first {
        line = problem.line
        throw Untranslatable(problem.text)
      }
      guard file.shell != nil else {
        throw Untranslatable("the shell \(file.settings["shell"] ?? "")")
      }
      let known: Set = [
        "shell", "dotenv-load", "quiet", "export", "allow-duplicate-variables", "ignore-comments",
        "windows-shell", "windows-powershell", "fallback", "unstable", "positional-arguments",
      ]
      if file.isPositional(recipe) { throw Untranslatable("the arguments of a script, such as $1") }
      if let name = file.settings.keys.sorted().first(where: { !known.contains($0) }) {
        throw Untranslatable("the setting \(name)")
      }
      var question: String?
      for attribute in recipe.attributes
      where !Self.attributes.contains(attribute) && !JustRecipe.systems.contains(attribute) {
        if attribute.hasPrefix("group") || attribute.hasPrefix("doc") { continue }
        guard attribute.hasPrefix("confirm") else {
          throw Untranslatable("the attribute [\(attribute)]")
        }
        let text = attribute.dropFirst(7).trimmed
        question =
          text.isEmpty
          ? "Run recipe \(recipe.name)?" : String(text.dropFirst().dropLast()).trimmingQuotes
      }
      let (script, parameters) = try script(recipe, values, &line)
      var items = [
        Draft.Item("id", .text(plan.names.id(for: recipe.name, otherwise: "recipe")))
      ]
      if let question { items.append(Draft.Item("approval", .text(question))) }
      let environment = try environment(recipe, values, parameters)
      if !environment.isEmpty { items.append(Draft.Item("env", .map(environment))) }
      items.append(Draft.Item("run", .text(ScalarText.tidied(script))))
      stepCount += 1
      return Draft.Item("", .map(items))
    } catch {
      return failed(recipe, line, error.reason, &plan)
    }
  }

  private func environment(
    _ recipe: JustRecipe, _ values: [String: ShellText], _ parameters: [String]
  ) throws(Untranslatable) -> [Draft.Item] {
    var items = parameters.map { Draft.Item($0, .text("${{ params.\($0) }}")) }
    let expression = JustExpression(file: file, folder: folder, values: values)
    let isAll = file.settings["export"].map { $0 != "false" } == true
    for name in file.variables.keys.sorted() {
      guard let variable = file.variables[name], variable.isExported || isAll else { continue }
      guard let text = try expression.value(variable.value).known,
        !text.contains(MakeVariables.here)
      else { throw Untranslatable("the exported variable \(name) is computed") }
      items.append(Draft.Item(name, .text(text)))
    }
    for parameter in recipe.parameters where parameter.isExported || isAll {
      guard let value = values[parameter.name] else { continue }
      let text = value.known ?? value.parameters.first.map { "${{ params.\($0) }}" }
      guard let text else { throw Untranslatable("the exported parameter \(parameter.name)") }
      items.removeAll { $0.key == parameter.name }
      items.append(Draft.Item(parameter.name, .text(text)))
    }
    return items
  }

  /// Reads a recipe that is a script with `#!`.
  private func script(
    _ recipe: JustRecipe, _ expression: JustExpression
  ) throws(Untranslatable) -> (String, [String]) {
    let text = recipe.body.map(\.text).joined(separator: "\n")
    let value = try interpolated(text, expression)
    let program = MakePattern.file(recipe.body.first?.text.words.last ?? "")
    let isShell = ["sh", "bash", "dash", "zsh", "ksh"].contains(program)
    guard value.known != nil || isShell && value.commands.isEmpty else {
      throw Untranslatable("a value in a script with #!")
    }
    let script: String
    if let known = value.known { script = known } else { script = try value.script() }
    guard !script.contains(MakeVariables.here) else {
      throw Untranslatable("the folder in a script with #!")
    }
    return (script, value.parameters)
  }

  private mutating func script(
    _ recipe: JustRecipe, _ values: [String: ShellText], _ line: inout Int
  ) throws(Untranslatable) -> (String, [String]) {
    let expression = JustExpression(file: file, folder: folder, values: values)
    if recipe.body.first?.text.hasPrefix("#!") == true { return try script(recipe, expression) }
    var parameters: [String] = []
    var lines: [String] = []
    var commands: [String] = []
    var continued: String?
    for entry in recipe.body {
      if continued == nil { line = entry.line }
      // The blanks at the start of a line that continues another one are left out.
      var text = continued.map { $0 + entry.text.drop(while: \.isWhitespace) } ?? entry.text
      continued = nil
      if text.last == "\\" {
        continued = text.dropLast() + ""
        continue
      }
      let value = try interpolated(text, expression).naming(&commands)
      for name in value.parameters where !parameters.contains(name) { parameters.append(name) }
      text = try value.script()
      var ignoresErrors = false
      while let first = text.first, first == "@" || first == "-" {
        ignoresErrors = ignoresErrors || first == "-"
        text.removeFirst()
      }
      guard !text.trimmed.isEmpty, !text.hasPrefix("#") else { continue }
      lines.append(
        try CommandLine(
          text: text, ignoresErrors: ignoresErrors, endsAtFailure: file.shellEndsAtFailure
        ).script())
    }
    if !commands.isEmpty {
      note(recipe.line, "\(recipe.name): what is in backquotes runs at the start of this recipe")
    }
    lines.insert(contentsOf: commands, at: 0)
    var script = lines.joined(separator: "\n")
    if script.contains(MakeVariables.here) {
      script = "JUST_DIR=$PWD\n" + script.replacing(MakeVariables.here, with: "${JUST_DIR}")
    }
    return (script.isEmpty ? "true" : script, parameters)
  }

  private func interpolated(
    _ text: String, _ expression: JustExpression
  ) throws(Untranslatable) -> ShellText {
    var result = ShellText()
    var rest = text[...]
    while let start = rest.firstRange(of: "{{") {
      result.append(.literal(String(rest[..<start.lowerBound])))
      rest = rest[start.upperBound...]
      if rest.hasPrefix("{{") {
        result.append(.literal("{{"))
        rest = rest.dropFirst(2)
        continue
      }
      guard let end = rest.firstRange(of: "}}") else { throw Untranslatable("{{ without an end") }
      // A brace before the end belongs to a condition.
      var close = end.lowerBound
      while rest[close...].hasPrefix("}}}") { close = rest.index(after: close) }
      result.append(try expression.value(String(rest[..<close])))
      rest = rest[close...].dropFirst(2)
    }
    result.append(.literal(String(rest)))
    return result
  }
}
