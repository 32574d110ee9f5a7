// Tests of the error codes against the examples on their pages.

import Testing
import WorkflowLanguage

/// Each code has a page with an example that causes this error and no other.
struct ErrorPageTests {
  @Test(arguments: ErrorPage.all.map(\.code)) func `the example on an error page causes its error`(
    _ code: String
  ) throws {
    let page = try #require(ErrorPage(code: code))
    let found = page.diagnostics(of: page.example)
    #expect(!found.isEmpty && found.allSatisfy { $0.code == code }, "\(found)")
    #expect(found.allSatisfy { ($0.severity == .warning) == code.hasPrefix("R09") })
    if let fixed = page.fixed { #expect(page.diagnostics(of: fixed) == []) }
  }

  @Test func `error codes are sorted and unique`() {
    let codes = ErrorPage.all.map(\.code)
    #expect(codes == Set(codes).sorted() && codes.allSatisfy(ErrorPage.isCode))
  }
}
