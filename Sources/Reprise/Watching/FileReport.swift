// `FileReport`: which files an attempt has used, as the trace of its processes says.

import Platform

/// The files that an attempt of a step has used.
package struct FileReport: Sendable, Equatable {
  /// One file.
  package struct Use: Sendable, Equatable {
    /// The absolute path, without links in its folders.
    package var path: String
    package var kinds: Kinds
    /// What it was when it was used first; nil if it was not there.
    package var first: Attributes?
  }

  /// How a file was used.
  package struct Kinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Its content was read before the attempt itself wrote it.
    package static let read = Kinds(rawValue: 1)
    /// It was made, replaced or changed, and is there.
    package static let written = Kinds(rawValue: 2)
    /// It was looked for, and was not there.
    package static let absent = Kinds(rawValue: 4)
    /// A folder whose names were read.
    package static let listed = Kinds(rawValue: 8)
    /// It was there before, and is not any more.
    package static let removed = Kinds(rawValue: 16)
    /// Its attributes were read.
    package static let lookedAt = Kinds(rawValue: 32)
    /// It was made and removed again.
    package static let temporary = Kinds(rawValue: 64)
    /// A folder that was made, or would have been if it had not been there.
    package static let folder = Kinds(rawValue: 128)
    /// Its mode, owner or time was set.
    package static let attributes = Kinds(rawValue: 256)
    /// It was run as a program.
    package static let run = Kinds(rawValue: 512)
    /// Another program has changed it while the attempt ran.
    package static let changedByOthers = Kinds(rawValue: 1024)
    /// It was read and written, and has the same content as before.
    package static let sameContent = Kinds(rawValue: 2048)

    /// The letters of the trace, see `book.h`.
    fileprivate static let letters: [UInt8: Kinds] = [
      UInt8(ascii: "R"): .read, UInt8(ascii: "W"): .written, UInt8(ascii: "A"): .absent,
      UInt8(ascii: "L"): .listed, UInt8(ascii: "D"): .removed, UInt8(ascii: "S"): .lookedAt,
      UInt8(ascii: "T"): .temporary, UInt8(ascii: "F"): .folder, UInt8(ascii: "M"): .attributes,
      UInt8(ascii: "X"): .run, UInt8(ascii: "C"): .changedByOthers,
      UInt8(ascii: "E"): .sameContent,
    ]
  }

  /// What tells whether a file is the same as before.
  package struct Attributes: Sendable, Equatable, Hashable, Codable {
    /// In bytes.
    package var size: Int64
    /// The times of the last changes of the content and of the attributes, in nanoseconds since 1970.
    package var modified: Int64
    package var changed: Int64
    package var inode: UInt64
    package var mode: UInt32
  }

  /// The files, in the order of their paths.
  package var uses: [Use] = []
  /// What could not be seen; with any, the report may lack something.
  package var notes: [String] = []
  /// Whether the attempt has connected to an address of the network.
  package var usesNetwork = false

  package init() {}

  /// Parses a trace; nil if it is not complete.
  ///
  /// Linear in its size, apart from sorting.
  ///
  /// - Parameter trace: The text of the trace.
  package init?(trace: [UInt8]) {
    var lines = trace.split(separator: UInt8(ascii: "\n"))
    guard let last = lines.popLast(), last.starts(with: "end ".utf8) else { return nil }
    for line in lines {
      let fields = line.split(
        separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
      guard fields.count == 7 else { return nil }
      guard let path = Self.path(fields[6]) else {
        notes.append("the name of a file is not UTF-8")
        continue
      }
      guard fields[0].first != UInt8(ascii: "N") else {
        notes.append(path)
        continue
      }
      guard fields[0].first != UInt8(ascii: "P") else {
        usesNetwork = true
        continue
      }
      var kinds: Kinds = []
      for letter in fields[0] {
        guard let kind = Kinds.letters[letter] else { return nil }
        kinds.formUnion(kind)
      }
      uses.append(Use(path: path, kinds: kinds, first: Attributes(fields[1...5])))
    }
    uses.sort { $0.path < $1.path }
  }

  private static func path(_ field: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), rest.count >= 3 else {
        bytes.append(byte)
        continue
      }
      bytes.append(rest.prefix(3).reduce(0) { $0 << 3 | ($1 & 7) })
      rest = rest.dropFirst(3)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension FileReport.Attributes {
  fileprivate init?(_ fields: ArraySlice<ArraySlice<UInt8>>) {
    let texts = fields.map { String(decoding: $0, as: UTF8.self) }
    guard let size = Int64(texts[0]), let modified = Int64(texts[1]),
      let changed = Int64(texts[2]), let inode = UInt64(texts[3]),
      let mode = UInt32(texts[4], radix: 8)
    else { return nil }
    self.init(size: size, modified: modified, changed: changed, inode: inode, mode: mode)
  }

  /// Reads those of a file that is there now, without following a link; nil if nothing is.
  init?(ofFile path: String) {
    guard let status = try? Stat(at: path, followsLink: false) else { return nil }
    self.init(
      size: status.size, modified: status.modifiedNanoseconds,
      changed: status.statusChangedNanoseconds, inode: UInt64(status.inode.rawValue),
      mode: UInt32(status.mode.rawValue))
  }

  /// Whether it was a folder.
  package var isFolder: Bool { mode & 0o170000 == 0o040000 }
}
