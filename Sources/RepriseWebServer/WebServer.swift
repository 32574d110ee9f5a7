// The HTTP server: Hummingbird's, with limits, in front of the guard and the API.

#if Web
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Platform
import RepriseHost
import RepriseJournal
import RepriseTerminal
import RepriseWeb
import Synchronization

/// Where the page is to be served.
enum WebPlace: Sendable {
  /// A port of the loopback addresses; nil for a free one.
  case loopback(port: Int?)
  /// A Unix socket.
  case socket(path: String)
}

/// Serves the page of projects until the process ends.
struct WebServer: Sendable {
  private static let headBytesMax = 16 << 10
  private static let headFieldsMax = 64
  private static let idleMax: Int64 = 60

  private let site: WebSite
  private let place: WebPlace
  private let opens: Bool
  private let connections = OpenConnections()

  init(_ site: WebSite, _ place: WebPlace, opens: Bool) {
    self.site = site
    self.place = place
    self.opens = opens
  }

  /// Serves the page; if another process serves a page of the same projects, prints its address.
  ///
  /// - Throws: ``Problem`` if the address is in use, or another page shows some of the projects.
  func run() async throws {
    let locks = try site.directories.map { try LivePage.lock(in: $0) }
    defer { withExtendedLifetime(locks) {} }
    if let served = locks.firstIndex(where: { $0 == nil }) {
      return try showOther(servedAt: served, isForAll: locks.allSatisfy { $0 == nil })
    }
    let keys = WebKeys()
    try record(keys)
    let projects = try site.projects()
    try await withThrowingTaskGroup { group in
      for project in projects { group.addTask { await project.feed.run() } }
      group.addTask { try await serve(projects, keys) }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Prints the address of the page that another process serves.
  ///
  /// - Parameters:
  ///   - position: The position of one of its projects.
  ///   - isForAll: Whether all projects have a page.
  /// - Throws: ``Problem`` if it does not show all projects, or is served elsewhere than asked.
  private func showOther(servedAt position: Int, isForAll: Bool) throws {
    let (directories, name) = (site.directories, site.names[position])
    guard let page = LivePage(in: directories[position]), let words = page.words else {
      throw Problem("error: the page of \"\(name)\" is just starting; try again")
    }
    let showsAll =
      isForAll && directories.allSatisfy { LivePage(in: $0)?.keys == page.keys }
    guard showsAll, try isAtPlace(page) else {
      let what = showsAll ? "not there" : "not with all of these projects"
      throw Problem(
        """
        error: a page of "\(name)" is already served, but \(what): \(words)
          \(page.advice)
        """)
    }
    say(words)
    if opens { try page.open(in: directories[position]) }
  }

  /// Whether a page is served where this one was asked for.
  private func isAtPlace(_ page: LivePage) throws -> Bool {
    switch place {
    case .loopback(port: nil): true
    case .loopback(let port?): page.address == .loopback(port: port)
    case .socket(let path): page.address == .socket(path: try absolute(path))
    }
  }

  private func absolute(_ path: String) throws -> String {
    path.hasPrefix("/") ? path : try currentDirectory() + "/" + path
  }

  /// Records the page in the state directories of all projects, each with its own address.
  ///
  /// - Parameters:
  ///   - keys: The keys of the page.
  ///   - address: Where it is served; nil if it is not yet.
  /// - Returns: What the first project has of it.
  /// - Throws: ``Problem``, or the system error, if it cannot be written.
  @discardableResult
  private func record(_ keys: WebKeys, at address: WebAddress? = nil) throws -> LivePage {
    let pages = site.names.map { name in
      LivePage(keys, at: address, project: site.names.count > 1 ? name : nil)
    }
    for (page, directory) in zip(pages, site.directories) { try page.write(in: directory) }
    return pages[0]
  }

  private func serve(_ projects: [WebProject], _ keys: WebKeys) async throws {
    switch place {
    case .socket(let path):
      let address = WebAddress.socket(path: try absolute(path))
      let served = ServedAPI()
      served.set(site.api(projects, WebGuard(address, keys)))
      let page = try record(keys, at: address)
      try await serve(
        .unixDomainSocket(path: path), served,
        onPort: { _ in
          try? changePermissions(of: path, to: .ownerReadWrite)
          say(page.words ?? "")
        })
    case .loopback(let port):
      do {
        try await serveLoopback(projects, keys, port ?? 0)
      } catch {
        throw Problem("error: port \(port ?? 0) cannot be used: \(error)")
      }
    }
  }

  /// Serves on both loopback addresses.
  private func serveLoopback(
    _ projects: [WebProject], _ keys: WebKeys, _ port: Int
  ) async throws {
    let bound = AsyncStream.makeStream(of: Int.self)
    let served = ServedAPI()
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await serve(
          .hostname("127.0.0.1", port: port), served,
          onPort: { port in
            let address = WebAddress.loopback(port: port)
            served.set(site.api(projects, WebGuard(address, keys)))
            bound.continuation.yield(port)
          })
      }
      group.addTask {
        guard let port = await bound.stream.first(where: { _ in true }) else { return }
        let page = try record(keys, at: .loopback(port: port))
        say(page.words ?? "")
        if opens { try page.open(in: site.directories[0]) }
        // Without IPv6, 127.0.0.1 is enough.
        try? await serve(.hostname("::1", port: port), served, onPort: { _ in })
      }
      // The first error ends both, unlike with waitForAll.
      while try await group.next() != nil {}
    }
  }

  private func serve(
    _ address: BindAddress, _ served: ServedAPI, onPort: @escaping @Sendable (Int) -> Void
  ) async throws {
    var logger = Logger(label: "reprise-web")
    logger.logLevel = .critical
    let application = Application(
      responder: CallbackResponder { (request: Request, context: ConnectionContext) in
        guard let api = served.api else { return Response(status: .serviceUnavailable) }
        return await answer(request, api, on: context.channel)
      },
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionHandler(connections)],
          idleTimeout: .seconds(Self.idleMax),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: Self.headBytesMax, maxHeaderListSize: Self.headBytesMax,
            maxHeaderFieldCount: Self.headFieldsMax))),
      configuration: .init(
        address: address,
        availableConnectionsDelegate: MaximumAvailableConnections(
          2 * OpenConnections.countMax)),
      onServerRunning: { channel in onPort(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  }

  // MARK: Requests

  private func answer(
    _ request: Request, _ api: WebAPI, on channel: any Channel
  ) async -> Response {
    let head = RequestHead(request)
    let answer: WebAnswer
    do throws(Refusal) {
      if try api.guarding.check(head) { connections.hasSession(channel) }
      answer = await api.answer(head, try await body(of: request))
    } catch {
      answer = WebAnswer(error)
    }
    return response(to: head, answer)
  }

  private func body(of request: Request) async throws(Refusal) -> [UInt8] {
    guard request.method == .post else { return [] }
    do {
      let buffer = try await request.body.collect(upTo: WebGuard.bodyBytesMax)
      return Array(buffer.readableBytesView)
    } catch {
      throw Refusal(413, "the body is longer than \(WebGuard.bodyBytesMax) bytes, or cut off")
    }
  }

  private func response(to head: RequestHead, _ answer: WebAnswer) -> Response {
    var fields = HTTPFields()
    for (name, value) in WebAnswer.commonFields + answer.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let status = HTTPResponse.Status(code: answer.status)
    switch answer.body {
    case .bytes(let bytes):
      let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
      let response = Response(status: status, headers: fields, body: body)
      return head.method == "HEAD" ? response.createHeadResponse() : response
    case .events(let reader):
      guard head.method == "GET" else {
        reader.end()
        return Response(status: status, headers: fields)
      }
      return Response(
        status: status, headers: fields,
        body: ResponseBody { writer in
          defer { reader.end() }
          // Waits until the client has taken a piece, before the next one is made.
          for await piece in reader { try await writer.write(ByteBuffer(bytes: piece)) }
          try await writer.finish(nil)
        })
    }
  }

  private func say(_ text: String) {
    try? writeBytes(Array((text + "\n").utf8), to: 1)
  }
}

/// The API that is served once the port is known.
private final class ServedAPI: Sendable {
  private let state = Mutex(WebAPI?.none)

  var api: WebAPI? { state.withLock { $0 } }

  func set(_ api: WebAPI) { state.withLock { $0 = api } }
}

extension RequestHead {
  fileprivate init(_ request: Request) {
    var fields: [String: [String]] = [:]
    for field in request.headers {
      fields[field.name.rawName.lowercased(), default: []].append(field.value)
    }
    if let authority = request.head.authority { fields["host", default: []].append(authority) }
    self.init(
      method: request.method.rawValue, target: request.head.path ?? "", fields: fields)
  }
}
#endif
