// R09: warnings.

package import Workflows

extension Diagnostic.Cause {
  package static func redundantNeed(_ name: String, by other: String) -> Self {
    Self("R0901", "\"\(name)\" is redundant: \"\(other)\" needs it").hint("remove it")
  }

  package static let neverTrue = Self(
    "R0902", "this condition is never true, so the step never runs"
  )
  .hint("remove the step, or make the condition depend on a value")

  package static let neverCancelled = Self(
    "R0903", "cancelled() is never true outside \"finally\": a cancelled run starts no other steps"
  )
  .hint("move the step to \"finally\"; for !cancelled() write always()")

  package static func unsetVariable(_ name: String, nearest: String?) -> Self {
    Self("R0904", "the variable \"\(name)\" is set neither in this file nor in the environment")
      .hint(nearest.map(didYouMean) ?? "if it is optional, write: env.\(name) || ''")
  }
  package static func variableOfSameFile(_ name: String) -> Self {
    Self("R0904", "the variable \"\(name)\" has no value here")
      .hint("variables under \"env\" of a workflow cannot refer to one another")
  }
  package static func variableOfStep(_ name: String) -> Self {
    Self("R0904", "the variable \"\(name)\" has no value here")
      .hint("the variables of a step are visible to its command, not to its expressions")
  }

  package static func unusedOutput(_ name: String, of step: String) -> Self {
    Self("R0905", "the output \"\(name)\" of \"\(step)\" is never used in this file")
  }

  package static func writtenNumber(_ text: String, as number: String) -> Self {
    Self("R0906", "\(text) is read as the number \(number)")
      .hint("if it is a version or a name, quote it: '\(text)'")
  }

  package static func booleanWord(_ text: String) -> Self {
    Self("R0907", "\"\(text)\" is text, not true or false")
      .hint("write true or false, or quote the text")
  }

  package static func noEffectInUse(_ key: String) -> Self {
    Self("R0908", "\"\(key)\" has no effect in a workflow that is used by another workflow")
      .hint("it has an effect only when this file is run directly")
  }

  package static let alwaysIsNotOnCancel = Self(
    "R0909", "always() does not run this step when the run is cancelled"
  )
  .hint(
    "for clean-up, move the step to \"finally\"; if it only follows other steps, write: "
      + "needs: { ID: over }")

  package static func vainExclusion(_ name: String) -> Self {
    Self("R0910", "no value of \"\(name)\" is excluded: the list has no such value")
      .hint("write it as in the list, or remove the combination")
  }

  package static let alwaysTrue = Self("R0911", "this condition is always true")
    .hint("remove it, or make it depend on a value")
  package static func oneRound(isWhile: Bool) -> Self {
    Self("R0911", "this condition is always \(!isWhile), so the step never runs again")
      .hint("remove \"repeat\", or make the condition depend on a value")
  }

  package static func unusedAnchor(_ name: String) -> Self {
    Self("R0912", "the anchor \"\(name)\" is never used").hint("remove it, or use it as: *\(name)")
  }

  package static func plainBraces(_ text: String, meant: String) -> Self {
    Self("R0913", "\"\(text)\" is plain text here")
      .hint("write ${{ \(meant) }}, if it is an expression")
  }

  package static func notExpanded(_ text: String, meant: String) -> Self {
    Self("R0915", "\"\(text)\" is plain text here: no shell reads it")
      .hint("write ${{ \(meant) }}, if its value is meant")
  }

  package static func expressionInCode(program: String) -> Self {
    Self("R0916", "the value of an expression becomes code of \(program)")
      .hint("put it into env, and read that variable in the code")
  }

  package static func serviceOfNothing(_ service: String) -> Self {
    Self(
      "R0917",
      "the service \"\(service)\" never starts: it ends with the list of steps in which it is "
        + "written, and no other step of the list can use it"
    )
    .hint("move it to the list that contains all steps that use it")
  }

  package static func formerKey(_ name: String, now: String, in place: String) -> Self {
    Self(Diagnostic.codeOfFormerNames, "\"\(name)\" of \(place) is called \"\(now)\" now")
      .hint("write \"\(now)\"").fixed(by: .replacement(now))
  }
  package static func formerWord(_ word: String, now: String) -> Self {
    Self(Diagnostic.codeOfFormerNames, "\"\(word)\" is called \"\(now)\" now")
      .hint("write \"\(now)\"").fixed(by: .replacement(now))
  }

  package static let formerOutcome = Self(
    Diagnostic.codeOfFormerNames, "run.outcome is called run.result now"
  )
  .hint("its words are success, failure and cancelled; run.reason says more")
  package static let comparedOutcome = Self(
    Diagnostic.codeOfFormerNames, "run.outcome is called run.result now"
  )
  .fixed(by: .replacement("run.result"))
  package static func formerResult(_ word: String, now: String) -> Self {
    Self(Diagnostic.codeOfFormerNames, "the result '\(word)' is called '\(now)' now")
      .fixed(by: .replacement("'\(now)'"))
  }
  package static func formerLimit(_ text: String) -> Self {
    let counted =
      Int(text).map { String($0 - 1) }
      ?? text.replacing("${{", with: "${{ (", maxReplacements: 1)
      .replacing("}}", with: ") - 1 }}", maxReplacements: 1)
    return Self(
      Diagnostic.codeOfFormerNames, "the limit of \"repeat\" counts how often it runs again"
    )
    .hint("beside \"delay\", this limit is \(counted)").fixed(
      by: .replacement(Int(text) == nil ? Value.quoted(counted) : counted))
  }

  package static func unreadableScript(step: String, shell: String, reason: String) -> Self {
    Self("R0920", "\(shell) cannot read the script of step \"\(step)\": \(reason)")
      .hint("nothing of the script runs before this is corrected")
  }

  package static func missingProgram(_ name: String, step: String) -> Self {
    Self("R0921", "step \"\(step)\": there is no program \"\(name)\" on this machine")
      .hint("install it, or check the \(name.contains("/") ? "path" : "name and PATH")")
  }

  package static func runnerNotReady(_ text: String) -> Self { Self("R0922", text) }

  package static func unmatchedInput(_ pattern: String, step: String) -> Self {
    Self("R0930", "step \"\(step)\": no file matches \"\(pattern)\"")
      .hint(
        pattern.hasPrefix("~")
          ? "~ is a name like any other here; for files elsewhere, put a link to them into the folder"
          : "correct it; no change of the files that are meant runs the step again")
  }
}
