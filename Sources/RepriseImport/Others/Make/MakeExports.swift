// The variables that the commands of a makefile get.

extension MakeStep {
  /// Returns the variable of the environment, or else a value, for a text in double quotes.
  private func defaulted(
    _ name: String, _ raw: String, _ scope: MakeScope
  ) throws(Untranslatable) -> ShellText {
    var inner = scope
    inner.isCommand = true
    let value = try variables.expanded(raw, inner)
    let hasBrace = value.parts.contains {
      if case .literal(let text) = $0 { text.contains("}") } else { false }
    }
    guard value.parameters.isEmpty, !hasBrace else {
      throw Untranslatable("the default of \(name)")
    }
    return ShellText(part: .shell("${\(name)-\(value.doubleQuoted.dropFirst().dropLast())}"))
  }

  /// The lines that set the exported variables whose values need a shell.
  mutating func exports(_ scope: MakeScope) throws(Untranslatable) -> [String] {
    var lines: [String] = []
    for name in makefile.exportedNames + makefile.ownExports(target) {
      guard let variable = own[name] ?? variables[name] else { continue }
      var value: ShellText
      if let known = variable.value {
        value = known
      } else if variable.choice != nil {
        value = try variables.expanded("$(\(name))", scope)
      } else if variable.isDefault {
        value = try defaulted(name, variable.raw, scope)
      } else {
        if let problem = variable.problem { throw Untranslatable(problem) }
        var inner = scope
        inner.automatic[name] = ShellText(part: .shell("${\(name)}"))
        value = try variables.expanded(variable.raw, inner)
      }
      if own[name] == nil, value.known?.contains(MakeVariables.here) == false { continue }
      try use(value)
      lines.append(
        "export \(name)=\(value.doubleQuoted)".replacing(
          MakeVariables.here, with: "${\(MakeVariables.hereVariable)}"))
    }
    return lines
  }
}

extension Makefile {
  /// The variables that the commands get, in the order of the file.
  var exportedNames: [String] {
    variables.names.filter { name in
      StepNames.identifier(name) == name
        && (exported.contains(name) || exported.contains("*")
          || MakeVariables.environment.contains(name))
    }
  }

  func ownExports(_ target: MakeTarget) -> [String] {
    target.own.filter(\.isExported).map { String($0.name) }
  }
}
