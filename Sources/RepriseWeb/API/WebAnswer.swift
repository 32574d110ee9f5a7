// What a request is answered with.

/// The answer to a request.
package struct WebAnswer: Sendable {
  /// The body of an answer.
  package enum Body: Sendable {
    /// All bytes.
    case bytes([UInt8])
    /// Server-sent events, without end.
    case events(FeedReader)
  }

  /// The HTTP status.
  package var status = 200
  /// The header fields, besides those of every answer.
  package var fields: [(name: String, value: String)] = []
  /// The body.
  package var body: Body

  /// The fields of every answer: nothing from elsewhere may run in the page, embed it, or read it.
  package static let commonFields: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  /// Creates an answer with a JSON object.
  static func json(_ value: some Encodable, status: Int = 200) -> WebAnswer {
    WebAnswer(
      status: status, fields: [("Content-Type", "application/json")],
      body: .bytes(jsonBytes(value)))
  }

  /// Creates the answer to a refused request.
  package init(_ refusal: Refusal) {
    self = .json(["error": refusal.text], status: refusal.status)
  }

  init(status: Int = 200, fields: [(name: String, value: String)], body: Body) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
