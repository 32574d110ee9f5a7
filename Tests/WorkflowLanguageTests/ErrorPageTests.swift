// Tests of the codes of errors, with the examples of their pages.

import Testing
import WorkflowLanguage

/// Each code has a page with an example that causes it and nothing else.
struct ErrorPageTests {
  @Test(arguments: ErrorPage.all.map(\.code)) func `an example has its error`(_ code: String) throws
  {
    let page = try #require(ErrorPage(code: code))
    let found = page.diagnostics(of: page.example)
    #expect(!found.isEmpty && found.allSatisfy { $0.code == code }, "\(found)")
    #expect(found.allSatisfy { ($0.severity == .warning) == code.hasPrefix("R09") })
    if let fixed = page.fixed { #expect(page.diagnostics(of: fixed) == []) }
  }

  @Test func `codes are in order, and each is there once`() {
    let codes = ErrorPage.all.map(\.code)
    #expect(codes == Set(codes).sorted() && codes.allSatisfy(ErrorPage.isCode))
  }
}
