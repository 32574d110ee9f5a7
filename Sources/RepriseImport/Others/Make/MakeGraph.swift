// Which rule makes a target, with the rules for patterns and those that make has itself.

/// The rules of a makefile with which its targets are made.
struct MakeGraph {
  let makefile: Makefile
  private var folder: ImportFolder { makefile.variables.folder }
  private let made = Made()

  /// The targets that have been asked for: whether a rule matches depends on files, which are asked for once.
  private final class Made {
    var targets: [String: MakeTarget?] = [:]
  }

  init(_ makefile: Makefile) { self.makefile = makefile }

  /// The longest chain of rules for patterns.
  private static let depthMax = 4

  /// The rules of make for C and C++, and for scripts.
  private static let builtIn: [MakePatternRule] = [
    ("%.o", "%.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c -o $@ $<"),
    ("%.o", "%.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c -o $@ $<"),
    ("%.o", "%.cpp", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c -o $@ $<"),
    ("%", "%.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH) $^ $(LOADLIBES) $(LDLIBS) -o $@"),
    (
      "%", "%.c",
      "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH) $^ $(LOADLIBES) $(LDLIBS) -o $@"
    ),
    (
      "%", "%.cc",
      "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH) $^ $(LOADLIBES) $(LDLIBS) -o $@"
    ),
    (
      "%", "%.cpp",
      "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH) $^ $(LOADLIBES) $(LDLIBS) -o $@"
    ),
    ("%", "%.sh", "cat $< >$@ && chmod a+x $@"),
  ].map { target, source, command in
    MakePatternRule(
      target: target, prerequisites: [source], orderOnly: [],
      recipe: [MakeCommand(line: 0, text: command)], line: 0)
  }

  /// The goal of make without an argument.
  var defaultGoal: String? {
    if let goal = makefile.variables[".DEFAULT_GOAL"], goal.choice == nil,
      let name = try? makefile.variables.known(goal.raw, MakeScope()).trimmed
    {
      return name
    }
    return makefile.order.first { $0.first != "." || $0.contains("/") }
  }

  /// Returns the target with what makes it; nil if no rule does.
  func target(_ name: String) -> MakeTarget? {
    if let known = made.targets[name] { return known }
    let target = find(name)
    made.targets[name] = .some(target)
    return target
  }

  private func find(_ name: String) -> MakeTarget? {
    let explicit = makefile.targets[name]
    if explicit?.recipe != nil || makefile.phony.contains(name) { return explicit }
    guard let rule = implicit(name, depth: 0) else {
      guard explicit == nil, var rule = makefile.fallback, !folder.exists(name) else {
        return explicit
      }
      rule.name = name
      return rule
    }
    var target = explicit ?? MakeTarget(name: name, line: rule.line)
    if target.recipe == nil, target.line == 0 || rule.recipe != nil { target.line = rule.line }
    target.recipe = rule.recipe
    target.prerequisites = rule.prerequisites + target.prerequisites
    target.orderOnly += rule.orderOnly
    target.problem = target.problem ?? rule.problem
    target.stem = rule.stem
    return target
  }

  /// Whether a file exists, or the makefile names it.
  private func isKnown(_ name: String) -> Bool {
    makefile.targets[name] != nil || folder.exists(name)
  }

  private func implicit(_ name: String, depth: Int) -> MakeTarget? {
    guard depth < Self.depthMax else { return nil }
    // What exists and has no rule is a source.
    let own = makefile.patterns.filter { !$0.recipe.isEmpty }
    for isChain in [false, true] {
      for rule in own { if let made = matched(name, rule, isChain, depth) { return made } }
    }
    if makefile.targets[name] == nil, folder.exists(name) { return nil }
    for rule in Self.builtIn {
      let isCancelled = makefile.patterns.contains {
        $0.recipe.isEmpty && $0.target == rule.target && $0.prerequisites == rule.prerequisites
      }
      guard !isCancelled, let made = matched(name, rule, false, depth) else { continue }
      return made
    }
    return nil
  }

  private func matched(
    _ name: String, _ rule: MakePatternRule, _ isChain: Bool, _ depth: Int
  ) -> MakeTarget? {
    guard let match = Self.match(name, rule.target), !match.stem.isEmpty else { return nil }
    func path(_ pattern: String) -> String {
      pattern.contains("%")
        ? match.folder + MakePattern.filled(pattern, match.stem) : pattern
    }
    let prerequisites = rule.prerequisites.map(path)
    let isPossible = prerequisites.allSatisfy {
      isKnown($0) || isChain && $0 != name && implicit($0, depth: depth + 1) != nil
    }
    guard isPossible else { return nil }
    for file in prerequisites where !isKnown(file) {
      makefile.findings.remark(.note, rule.line, "\(file) is kept, which make removes at the end")
    }
    return MakeTarget(
      name: name, prerequisites: prerequisites, orderOnly: rule.orderOnly.map(path),
      recipe: rule.recipe, line: rule.line, problem: rule.problem,
      stem: match.folder + match.stem)
  }

  /// Matches a name, without its folder if the pattern has no slash.
  private static func match(_ name: String, _ pattern: String) -> (folder: String, stem: String)? {
    guard pattern.contains("%") else { return nil }
    if pattern.contains("/") { return MakePattern.stem(name, pattern).map { ("", $0) } }
    guard let slash = name.lastIndex(of: "/") else {
      return MakePattern.stem(name, pattern).map { ("", $0) }
    }
    return MakePattern.stem(String(name[name.index(after: slash)...]), pattern)
      .map { (String(name[...slash]), $0) }
  }

  /// Whether a target needs something that is no file and has no rule.
  func lacksRule(_ target: MakeTarget) -> Bool {
    (target.prerequisites + target.orderOnly).contains {
      self.target($0) == nil && !folder.exists($0)
    }
  }

  /// Whether a rule for a pattern could make a target, if other files were there.
  func mayMatch(_ name: String) -> Bool {
    makefile.patterns.contains {
      !$0.recipe.isEmpty && Self.match(name, $0.target)?.stem.isEmpty == false
    }
  }

  // MARK: Order

  /// Returns what a target needs, each once; empty if no rule makes it.
  func needs(of name: String) -> [String] {
    target(name).map { MakeStep.unique($0.prerequisites + $0.orderOnly) } ?? []
  }

  /// Returns targets and all that they need, each once, after what it needs itself.
  ///
  /// Linear in the number of needs.
  func closure(of goals: [String]) -> [String] {
    var order: [String] = []
    var found: Set<String> = []
    for goal in goals where found.insert(goal).inserted {
      var open = [(name: goal, needs: needs(of: goal)[...])]
      while let last = open.indices.last {
        if let need = open[last].needs.popFirst() {
          if found.insert(need).inserted { open.append((need, needs(of: need)[...])) }
        } else {
          order.append(open.removeLast().name)
        }
      }
    }
    return order
  }
}
