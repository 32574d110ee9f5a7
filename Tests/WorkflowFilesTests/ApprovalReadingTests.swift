import Testing

@testable import WorkflowFiles

/// Approvals that are written as maps.
struct ApprovalReadingTests {
  @Test(arguments: [
    ("{ timeout: 1d }", "R0213"), ("{ message: Go?, default: reject }", "R0213"),
    ("{ message: Go?, values: { a: { type: string } }, timeout: 1d, default: approve }", "R0213"),
    ("{ message: Go?, default: yes, timeout: 1d }", "R0211"), ("{ question: Go? }", "R0201"),
    ("{ message: Go?, timeout: 0 }", "R0208"),
    ("{ message: Go?, values: { a: { typ: x } } }", "R0201"),
    ("{ message: Go?, values: [a] }", "R0202"), ("{ message: Go?, after: later }", "R0209"),
    ("[Go?]", "R0204"),
  ]) func `a wrong approval is reported`(_ approval: String, _ code: String) {
    let found = diagnostics("steps: [{ id: a, run: make, approval: \(approval) }]\n")
    #expect(found.map(\.code).contains(code), "\(found)")
  }

  @Test func `the word of another tool is corrected`() {
    let found = diagnostics("steps: [{ id: a, approval: { message: Go?, fields: { b: c } } }]\n")
    #expect(found.map(\.code) == ["R0201"])
    #expect(found.first?.hint == "did you mean \"values\"?")
  }
}
