// The page that is being served for a project, so that a second start finds it.

import Dispatch
import Platform
import RepriseHost
package import RepriseJournal
import RepriseTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The record of the page in the state directory, which only its user can read.
///
/// It outlives the server, but what it contains is worth nothing then: the next server has new keys.
package struct LivePage: Codable, Sendable {
  /// The address for a browser, with the token; nil for a socket, and until there is a port.
  package let url: String?
  /// The secrets of the page.
  package let keys: WebKeys
  /// The process that serves the page; nil in records of earlier versions.
  private let process: Int?
  /// The port, or the absolute path of the socket; both nil until the page is served.
  private let port: Int?
  private let socket: String?
  /// What follows `#` in its address.
  private let fragment: String?

  /// Creates the record of a page that this process serves.
  ///
  /// - Parameters:
  ///   - keys: The secrets of the page.
  ///   - address: Where it is served, a socket with an absolute path; nil if it is not yet.
  ///   - project: The project that the address opens; nil if the page has only one.
  package init(_ keys: WebKeys, at address: WebAddress?, project: String?) {
    self.keys = keys
    process = Int(processID)
    let part = project.map { "project=\(percentEncoded($0))&" } ?? ""
    let fragment = "\(part)token=\(keys.token)"
    self.fragment = fragment
    switch address {
    case .loopback(let port):
      (self.port, socket) = (port, nil)
      url = "http://127.0.0.1:\(port)/#\(fragment)"
    case .socket(let path): (port, socket, url) = (nil, path, nil)
    case nil: (port, socket, url) = (nil, nil, nil)
    }
  }

  /// Where it is served; nil if it is not yet.
  package var address: WebAddress? {
    socket.map { .socket(path: $0) } ?? port.map { .loopback(port: $0) }
  }

  /// The address in words for a person, with the token; nil if it is not served yet.
  package var words: String? {
    url ?? socket.map { "unix:\($0), then http://localhost:PORT/#\(fragment ?? "")" }
  }

  /// What to do to serve another page.
  package var advice: String {
    "open that page, or end it first\(process.map { " with: kill \($0)" } ?? "")"
  }

  private static func path(in directory: StateDirectory) -> String {
    directory.livePath + "/web.json"
  }

  /// Takes the lock of the page of a project.
  ///
  /// - Parameter directory: The state directory.
  /// - Returns: The lock; nil if another process serves the page.
  /// - Throws: ``JournalError`` if the lock cannot be opened.
  package static func lock(in directory: StateDirectory) throws(JournalError) -> FileLock? {
    try FileLock.take(directory.livePath + "/web.lock")
  }

  /// Reads the record; nil if there is none, or it cannot be used.
  package init?(in directory: StateDirectory) {
    guard let bytes = fileContents(Self.path(in: directory), upTo: 4096),
      let page = try? JSONDecoder().decode(LivePage.self, from: Data(bytes)),
      page.keys.areWellFormed
    else { return nil }
    self = page
  }

  /// Writes the record.
  ///
  /// - Parameter directory: The state directory.
  /// - Throws: The system error.
  package func write(in directory: StateDirectory) throws {
    try Self.write(jsonBytes(self), to: Self.path(in: directory))
  }

  /// Writes a file that only its user can read.
  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try OpenFile(
      path, .readWrite, options: [.create, .noFollow], permissions: .ownerReadWrite)
    guard file.replaceContents(with: bytes) else {
      throw Problem("error: cannot write \"\(path)\"")
    }
  }

  /// Opens the page in the browser of the user.
  ///
  /// Other users see the arguments of processes, so the address with the token is in a file.
  ///
  /// - Parameter directory: The state directory.
  /// - Throws: ``Problem`` if there is no browser.
  package func open(in directory: StateDirectory) throws {
    guard let url else { return }
    let path = directory.livePath + "/web.html"
    let link = url.replacing("&", with: "&amp;")
    let markup = """
      <!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=\(link)">
      <title>Reprise</title><a href="\(link)">Open the page</a>

      """
    try Self.write(Array(markup.utf8), to: path)
    let null = try OpenFile("/dev/null", .writeOnly)
    do {
      let browser = try DetachedProgram([browserOpener, path], errors: null.descriptor)
      DispatchQueue(label: "reprise.web.browser").async { browser.waitForEnd() }
    } catch {
      throw Problem("error: \(browserOpener) cannot be started: open the address above yourself")
    }
  }
}
