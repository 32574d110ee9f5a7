// Decides which requests are served, before anything else looks at them. Pure.

/// A request that is refused.
package struct Refusal: Error, Equatable, Sendable {
  /// The HTTP status.
  package let status: Int
  /// Why, in a sentence without a period.
  package let text: String

  /// Creates a refusal.
  package init(_ status: Int, _ text: String) {
    self.status = status
    self.text = text
  }
}

/// The rules that each request must meet.
///
/// Documentation/web.md says why; each rule has a test.
package struct WebGuard: Sendable {
  /// The maximum size of a body, in bytes.
  package static let bodyBytesMax = 64 << 10

  private let address: WebAddress
  private let keys: WebKeys

  /// Creates the guard of a page.
  package init(_ address: WebAddress, _ keys: WebKeys) {
    self.address = address
    self.keys = keys
  }

  /// Checks the head of a request.
  ///
  /// - Parameter head: The head.
  /// - Returns: Whether it has the session; requests for the files of the page, and for a session, need
  ///   none.
  /// - Throws: ``Refusal``.
  @discardableResult
  package func check(_ head: RequestHead) throws(Refusal) -> Bool {
    guard let host = head.only("host"), address.accepts(host: host) else {
      throw Refusal(421, "this server has another name; open the address that reprise web printed")
    }
    guard ["GET", "HEAD", "POST"].contains(head.method) else {
      throw Refusal(405, "only GET and POST are served")
    }
    guard let path = head.path else { throw Refusal(400, "the path cannot be read") }
    guard head.query != nil else { throw Refusal(400, "the query cannot be read") }
    if let length = head.only("content-length").flatMap({ Int($0) }), length > Self.bodyBytesMax {
      throw Refusal(413, "the body is longer than \(Self.bodyBytesMax) bytes")
    }
    let isChange = head.method == "POST"
    if isChange { try checkOrigin(head, host) }
    guard path.first == "api" else {
      if isChange { throw Refusal(405, "only paths below /api accept POST") }
      return false
    }
    // A request of another site, as far as browsers say so.
    if let site = head.only("sec-fetch-site"), site != "same-origin", site != "none" {
      throw Refusal(403, "requests of other sites are refused")
    }
    if path == ["api", "session"], isChange { return false }
    guard hasSession(head, mayBeInQuery: path == ["api", "events"]) else {
      throw Refusal(401, "there is no session; open the page with: reprise web")
    }
    return true
  }

  /// Checks that a change comes from the page itself: another site cannot send these fields
  /// without the permission of this server, which it never gives.
  private func checkOrigin(_ head: RequestHead, _ host: String) throws(Refusal) {
    guard head.only("origin") == "http://\(host)" else {
      throw Refusal(403, "the field Origin is missing or of another site")
    }
    guard head.only("x-reprise") != nil else {
      throw Refusal(403, "the field X-Reprise is missing")
    }
    let type = head.only("content-type")?.split(separator: ";").first.map(String.init)
    guard type?.lowercased() == "application/json" else {
      throw Refusal(415, "the body must be application/json")
    }
  }

  /// Whether a request has the session.
  ///
  /// A cookie would be sent to every port of this machine, also to one of another user. Browsers
  /// add no field to a stream of events, so its address has the session.
  private func hasSession(_ head: RequestHead, mayBeInQuery: Bool) -> Bool {
    let sent = head.only("x-reprise") ?? (mayBeInQuery ? head.query?["session"] : nil)
    return areEqualInConstantTime(sent ?? "", keys.session)
  }

  /// Trades the token for the session.
  ///
  /// - Parameter token: The token.
  /// - Returns: The session.
  /// - Throws: ``Refusal`` if it is the wrong token.
  package func session(for token: String) throws(Refusal) -> String {
    guard areEqualInConstantTime(token, keys.token) else {
      throw Refusal(403, "the token is wrong; open the page with: reprise web")
    }
    return keys.session
  }
}
