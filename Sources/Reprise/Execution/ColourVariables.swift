// The variables by which programs are asked for colours, and texts without them.

/// The variables by which programs are asked for colours, or asked to do without.
package enum ColourVariables {
  /// Those that ask for colours, also if the output is no terminal (https://force-color.org).
  static let asking = ["FORCE_COLOR", "CLICOLOR_FORCE"]

  /// Returns whether an environment says anything about colours; an empty variable does not.
  package static func areSet(in environment: [String: String]) -> Bool {
    (asking + ["NO_COLOR"]).contains { environment[$0]?.isEmpty == false }
  }
}

extension AttemptSpec {
  /// Asks the program for colours, unless the workflow or the inherited environment says something about
  /// them.
  ///
  /// Not by the environment of the executor, on which the cache and expressions depend.
  mutating func askForColours(_ inherited: [String: String]) {
    guard ![environment, weakEnvironment, inherited].contains(where: ColourVariables.areSet)
    else { return }
    for name in ColourVariables.asking { environment[name] = "1" }
  }
}

extension String {
  /// The text without control sequences (ECMA-48), such as those of colours.
  var withoutColours: String {
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\u{1B}" else {
        result.append(scalar)
        continue
      }
      guard rest.popFirst() == "[" else { continue }
      while let next = rest.popFirst(), !(0x40...0x7E).contains(next.value) {}
    }
    return String(result)
  }
}
