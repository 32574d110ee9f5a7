// The lines of a log, which may consist of several files and still grow, read in windows.

/// The lines of a log, of any size.
///
/// A log that has reached its limit consists of its beginning, a gap, and its end in files that come
/// and go.
struct LogText {
  /// The number of bytes of a line that are shown; the rest of the line is left out.
  static let lineMax = LogPiece.lineMax

  private var pieces: [LogPiece]
  /// The files in order, each with the number of bytes of output before it.
  private(set) var files: [StepLog.File]

  /// Creates the text of some files, which are read by ``update(_:)``.
  init(_ files: [StepLog.File] = []) {
    pieces = []
    self.files = []
    update(files)
  }

  /// Creates a text of a few lines.
  init(lines: [String]) {
    pieces = [LogPiece(lines: lines)]
    files = []
  }

  /// The number of lines, including an unfinished last one.
  var lineCount: Int { pieces.reduce(0) { $0 + $1.lineCount } }

  /// The number of bytes of the files whose lines have been counted.
  var size: Int64 { pieces.reduce(0) { $0 + $1.size } }

  /// The lines of a text without files; nil if there are files.
  var fixed: [String]? { files.isEmpty ? pieces.first?.fixed ?? [] : nil }

  /// Counts the lines that were written since the last call.
  ///
  /// Linear in their bytes.
  ///
  /// - Parameter files: The files of the log.
  mutating func update(_ files: [StepLog.File]) {
    guard !files.isEmpty else { return }
    if files != self.files {
      let known = Dictionary(
        pieces.compactMap { piece in piece.path.map { ($0, piece) } }
      ) { first, _ in first }
      pieces = []
      var end: Int64?
      for file in files {
        var piece = known[file.path] ?? LogPiece(path: file.path)
        piece.update()
        if let end, file.offset > end {
          pieces.append(LogPiece(lines: ["… \(file.offset - end) bytes are left out here"]))
        }
        pieces.append(piece)
        end = file.offset + piece.size
      }
      self.files = files
    }
    // Only the last file grows.
    if !pieces.isEmpty { pieces[pieces.count - 1].update() }
  }

  /// Returns lines, each without its line feed and cut to ``lineMax`` bytes.
  func lines(_ range: Range<Int>) -> [String] {
    var lines: [String] = []
    var first = 0
    for piece in pieces {
      let own = (range.lowerBound - first)..<max(range.lowerBound - first, range.upperBound - first)
      if own.upperBound > 0, own.lowerBound < piece.lineCount { lines += piece.lines(own) }
      first += piece.lineCount
    }
    return lines
  }

  /// Returns the number of the line at an offset of the text.
  func line(at offset: Int64) -> Int {
    var (line, start) = (0, Int64(0))
    for piece in pieces {
      if piece.path != nil, offset < start + piece.size {
        return line + piece.line(at: offset - start)
      }
      line += piece.lineCount
      start += piece.size
    }
    return line
  }

  /// Returns the offset of the beginning of a line.
  func offset(ofLine line: Int) -> Int64 {
    guard fixed == nil else { return Int64(line) }
    var (first, start) = (0, Int64(0))
    for piece in pieces {
      if line < first + piece.lineCount {
        return piece.path == nil ? start : start + piece.offset(ofLine: line - first)
      }
      first += piece.lineCount
      start += piece.size
    }
    return start
  }

  /// Reads bytes up to the counted size, in pieces, until a closure returns false.
  func read(from offset: Int64, _ body: (ArraySlice<UInt8>) -> Bool) {
    var start = Int64(0)
    for piece in pieces {
      defer { start += piece.size }
      guard offset < start + piece.size else { continue }
      var goesOn = true
      piece.read(from: max(0, offset - start)) { bytes in
        goesOn = body(bytes)
        return goesOn
      }
      if !goesOn { return }
    }
  }
}
