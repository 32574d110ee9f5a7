// The record of a result, as it is written to a local and to a shared store.

import Paths
import Reprise

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A result as JSON, with a hash of that.
///
/// The files of a result are checked by the hashes in its record, so the record itself needs a hash: a changed bit
/// in a path would restore a file of another name.
struct StoredRecord: Codable {
  private let result: String
  /// The SHA-256 of `result`; nil in records of earlier versions, which are not used.
  private let hash: String?
  /// The HMAC of `result`; nil without a key.
  private let signature: String?

  /// Returns the record of a result.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - key: The key of its signature; nil for none.
  /// - Returns: The bytes of a JSON object.
  /// - Throws: An error if it cannot be encoded.
  static func bytes(of result: StoredResult, _ key: [UInt8]? = nil) throws -> [UInt8] {
    let text = String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
    let record = StoredRecord(
      result: text, hash: contentHash(of: Array(text.utf8), isExecutable: false),
      signature: key.map { hmacSHA256(Array(text.utf8), key: $0) })
    return Array(try JSONEncoder().encode(record))
  }

  /// Whether a record was written by an earlier version.
  static func isOfEarlierVersion(_ record: [UInt8]) -> Bool {
    let record = try? JSONDecoder().decode(Self.self, from: Data(record))
    return record.map { $0.hash == nil } ?? false
  }

  /// Returns the result of a record; nil if it is damaged, or its signature is not that of a key.
  static func result(in record: [UInt8], _ key: [UInt8]? = nil) -> StoredResult? {
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(record)) else { return nil }
    let bytes = Array(record.result.utf8)
    guard record.hash == contentHash(of: bytes, isExecutable: false),
      key.map({ record.signature == hmacSHA256(bytes, key: $0) }) ?? true,
      let result = try? JSONDecoder().decode(StoredResult.self, from: Data(bytes)),
      result.isWellFormed
    else { return nil }
    return result
  }
}

extension StoredResult {
  /// The result without the stamps of files, which only their machine can compare.
  var forOthers: StoredResult {
    var plain = self
    for index in plain.files.indices { plain.files[index].stamp = nil }
    return plain
  }
}
