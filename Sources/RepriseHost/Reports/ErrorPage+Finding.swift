// Finds the page of an error code that a user names.

package import Reprise
import RepriseTerminal

extension ErrorPage {
  /// Finds the page of a code, ignoring case.
  ///
  /// - Parameter code: The code, such as `R0304`.
  /// - Returns: The page.
  /// - Throws: ``Problem`` that names the nearest code if there is none.
  package static func found(_ code: String) throws(Problem) -> ErrorPage {
    if let page = ErrorPage(code: code) { return page }
    // The nearest by number: by edit distance, many codes would be equally near.
    func distance(_ other: String) -> Int {
      abs((Int(other.dropFirst()) ?? 0) - (Int(code.dropFirst()) ?? 0))
    }
    let near = codes.min { distance($0) < distance($1) } ?? ""
    throw Problem("error: there is no error code \"\(code)\"; did you mean \"\(near)\"?")
  }
}
