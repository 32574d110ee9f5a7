import Testing

@testable import RepriseWeb

/// The rules that each request must meet.
struct WebGuardTests {
  static let keys = WebKeys()
  static let guarding = WebGuard(.loopback(port: 8123), keys)

  /// A request that is allowed, changed by a test.
  static func head(
    _ method: String = "GET", _ target: String = "/api/runs",
    _ change: (inout [String: [String]]) -> Void = { _ in }
  ) -> RequestHead {
    var fields = ["host": ["127.0.0.1:8123"], "x-reprise": [keys.session]]
    if method == "POST" {
      fields["origin"] = ["http://127.0.0.1:8123"]
      fields["content-type"] = ["application/json"]
    }
    change(&fields)
    return RequestHead(method: method, target: target, fields: fields)
  }

  static func status(_ head: RequestHead) -> Int {
    do throws(Refusal) {
      try guarding.check(head)
      return 200
    } catch {
      return error.status
    }
  }

  @Test func `a request for a session does not count as one with a session`() throws {
    #expect(try Self.guarding.check(Self.head()))
    #expect(try !Self.guarding.check(Self.head("POST", "/api/session")))
    #expect(try !Self.guarding.check(Self.head("GET", "/") { $0["x-reprise"] = nil }))
  }

  @Test(arguments: ["127.0.0.1:8123", "localhost:8123", "[::1]:8123"])
  func `the names of this machine are accepted`(host: String) {
    #expect(Self.status(Self.head { $0["host"] = [host] }) == 200)
  }

  @Test(arguments: [
    [], ["127.0.0.1"], ["127.0.0.1:8124"], ["evil.test:8123"], ["127.0.0.1:8123.evil.test"],
    ["127.0.0.1:8123", "evil.test"], ["127.0.0.1:8123", "127.0.0.1:8123"], ["LOCALHOST:8123"],
    ["127.1:8123"], ["0.0.0.0:8123"], [" 127.0.0.1:8123"], ["127.0.0.1:08123"],
  ])
  func `any other name is refused before all else`(hosts: [String]) {
    let bare = RequestHead(method: "DELETE", target: "//", fields: ["host": hosts])
    #expect(Self.status(bare) == 421)
  }

  @Test func `a forwarded socket accepts the port of the other side`() {
    let guarding = WebGuard(.socket(path: "/tmp/s"), Self.keys)
    func isAccepted(_ host: String) -> Bool {
      let head = RequestHead(method: "GET", target: "/", fields: ["host": [host]])
      return (try? guarding.check(head)) != nil
    }
    #expect(["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:80"].allSatisfy(isAccepted))
    #expect(
      !["evil.test", "localhost:x", "localhost.evil.test", "localhost:99999"].contains(
        where: isAccepted))
  }

  @Test(arguments: ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", ""])
  func `only GET, HEAD and POST are served`(method: String) {
    #expect(Self.status(Self.head(method)) == 405)
  }

  @Test(arguments: [
    "", "api/runs", "*", "http://127.0.0.1:8123/", "//api", "/api//runs", "/../x", "/api/%2e%2e/x",
    "/api/%", "/api/%zz", "/api/%00", "/api/%ff", "/api/runs/", "/api/%+1",
  ])
  func `a path that can be read in two ways is refused`(target: String) {
    #expect(Self.status(Self.head("GET", target)) == 400)
  }

  @Test func `the page itself needs no session, and everything below api does`() {
    #expect(Self.status(Self.head("GET", "/") { $0["x-reprise"] = nil }) == 200)
    #expect(Self.status(Self.head("GET", "/app.js") { $0["x-reprise"] = nil }) == 200)
    for path in ["/api", "/api/runs", "/api/session", "/%61pi/runs"] {
      #expect(Self.status(Self.head("GET", path) { $0["x-reprise"] = nil }) == 401, "\(path)")
    }
  }

  @Test func `only the right field is a session`() {
    let session = Self.keys.session
    func status(_ fields: [String]) -> Int { Self.status(Self.head { $0["x-reprise"] = fields }) }
    #expect(status([session]) == 200)
    for fields in [
      [], [""], [String(session.dropLast())], [session + "0"], [Self.keys.token],
      [session, session], [WebKeys().session],
    ] {
      #expect(status(fields) == 401, "\(fields)")
    }
    // Browsers send cookies to all ports of a host, also to one of another user.
    for cookie in [session, "session=\(session)", "reprise-8123=\(session)"] {
      let head = Self.head {
        $0["x-reprise"] = nil
        $0["cookie"] = [cookie]
      }
      #expect(Self.status(head) == 401, "\(cookie)")
    }
  }

  @Test func `only the stream takes the session from its address`() {
    func status(_ target: String, _ method: String = "GET") -> Int {
      Self.status(Self.head(method, target) { $0["x-reprise"] = nil })
    }
    let session = Self.keys.session
    #expect(status("/api/events?session=\(session)&run=x:1") == 200)
    #expect(status("/api/events?session=\(session)0") == 401)
    #expect(status("/api/events") == 401)
    #expect(status("/api/runs?session=\(session)") == 401)
    #expect(status("/api/runs?session=\(session)", "POST") == 403)
  }

  @Test func `a change needs all that another site cannot send`() {
    func status(_ change: (inout [String: [String]]) -> Void) -> Int {
      Self.status(Self.head("POST", "/api/runs", change))
    }
    #expect(status { _ in } == 200)
    for origin in [
      nil, "null", "http://evil.test", "https://127.0.0.1:8123", "http://localhost:8123",
    ] {
      #expect(status { $0["origin"] = origin.map { [$0] } } == 403)
    }
    #expect(status { $0["x-reprise"] = nil } == 403)
    #expect(status { $0["x-reprise"] = ["0"] } == 401)
    for type in [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
      #expect(status { $0["content-type"] = type.map { [$0] } } == 415)
    }
    #expect(status { $0["content-type"] = ["application/json; charset=utf-8"] } == 200)
    #expect(Self.status(Self.head("POST", "/index.html")) == 405)
  }

  @Test(arguments: ["cross-site", "same-site"])
  func `requests of other sites are refused where browsers say so`(site: String) {
    #expect(Self.status(Self.head { $0["sec-fetch-site"] = [site] }) == 403)
    #expect(Self.status(Self.head { $0["sec-fetch-site"] = ["same-origin"] }) == 200)
  }

  @Test func `the token is traded for the session, and no other text is`() throws {
    #expect(try Self.guarding.session(for: Self.keys.token) == Self.keys.session)
    for token in ["", Self.keys.session, String(Self.keys.token.dropLast()), Self.keys.token + "0"]
    {
      #expect(throws: Refusal.self) { try Self.guarding.session(for: token) }
    }
    #expect(Self.keys != WebKeys() && Self.keys.areWellFormed)
  }

  @Test(arguments: ["-9223372036854775808", "9223372036854775807", "1125899906842625", "x", ""])
  func `a number out of range is refused`(text: String) throws {
    let request = APIRequest(Self.head("GET", "/api/runs?limit=\(text)&from=-5"), ["runs"], [])
    #expect(throws: Refusal.self) { try request.number("limit") }
    #expect(try request.number("from") == -5)
  }

  @Test func `a body that is announced as too long is refused`() {
    let max = WebGuard.bodyBytesMax
    #expect(Self.status(Self.head("POST") { $0["content-length"] = ["\(max)"] }) == 200)
    #expect(Self.status(Self.head("POST") { $0["content-length"] = ["\(max + 1)"] }) == 413)
  }
}
