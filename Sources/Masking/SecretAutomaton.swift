// Finds all occurrences of many byte sequences in one pass. Knows nothing of masking.

/// The automaton of Aho and Corasick (Efficient string matching, CACM 18, 1975) over bytes.
///
/// A state is the longest beginning of a form that what has been read ends with. States are
/// numbered level by level, so that the children of a state stand side by side and need no list of
/// their own: 17 bytes for each state. Only the first levels, where nearly all of the time is
/// spent, have a row for all bytes.
final class SecretAutomaton: Sendable {
  /// A position in the automaton.
  typealias State = Int

  /// The state in which nothing of any form has been read.
  static let root: State = 0

  /// The shortest form that it can find.
  static let formBytesMin = 3

  /// The most nodes that get a row: 16 MiB.
  static let rowCountMax = 1 << 14

  /// Where a state leads and what is known in it.
  private struct Node {
    /// The first of its children; they end where those of the next node begin.
    var firstChild: UInt32
    /// The state of the longest shorter beginning of a form that ends here.
    var fallback: UInt32 = 0
    /// The length of the longest form that ends here; 0 where none does.
    var matched: UInt32 = 0
    /// The length of the longest beginning of a form that ends here and can still grow.
    var open: UInt32 = 0
  }

  /// All nodes and one more, which ends the children of the last.
  private let nodes: [Node]
  /// By which byte each node is reached from its parent.
  private let bytes: [UInt8]
  /// The next states of the nodes of the first levels, 256 for each.
  private let rows: [UInt32]
  /// The number of nodes that have a row.
  private let rowCount: Int

  /// Makes an automaton, in time linear in the length of the forms but for sorting them.
  ///
  /// - Parameters:
  ///   - forms: What has to be found, each of at least ``formBytesMin`` bytes.
  ///   - rowCountMax: How many nodes may get a row; those of the first two levels do always.
  init(forms: some Collection<[UInt8]>, rowCountMax: Int = SecretAutomaton.rowCountMax) {
    precondition(forms.allSatisfy { $0.count >= Self.formBytesMin }, "a form is too short")
    let trie = SortedForms(forms)
    let count = trie.stateCount
    var nodes: [Node] = []
    var bytes: [UInt8] = []
    nodes.reserveCapacity(count + 1)
    bytes.reserveCapacity(count)

    // The forms that begin with what leads to a node are neighbours: a range for each node of a
    // level.
    var level = [trie.all]
    var depth = 0
    bytes.append(0)
    while !level.isEmpty {
      var next: [Range<Int>] = []
      for range in level {
        var node = Node(firstChild: UInt32(bytes.count))
        var start = range.lowerBound
        // The shortest stand first, and those that end here have no children.
        while start < range.upperBound, trie.length(start) == depth {
          node.matched = UInt32(depth)
          start += 1
        }
        while start < range.upperBound {
          let byte = trie.byte(start, depth)
          var end = start + 1
          while end < range.upperBound, trie.byte(end, depth) == byte { end += 1 }
          bytes.append(byte)
          next.append(start..<end)
          start = end
        }
        if UInt32(bytes.count) > node.firstChild { node.open = UInt32(depth) }
        nodes.append(node)
      }
      level = next
      depth += 1
    }
    nodes.append(Node(firstChild: UInt32(bytes.count)))

    let rowCount = Self.rowCount(nodes, rowCountMax)
    let rows = Self.rows(rowCount, nodes, bytes)
    Self.link(&nodes, bytes, rows, rowCount)
    self.nodes = nodes
    self.bytes = bytes
    self.rows = rows
    self.rowCount = rowCount
  }

  /// The number of states.
  var stateCount: Int { bytes.count }

  /// The memory that it takes.
  var byteCount: Int {
    nodes.capacity * MemoryLayout<Node>.stride + bytes.capacity + rows.capacity * 4
  }

  /// Reads a byte.
  ///
  /// - Parameters:
  ///   - state: What has been read before.
  ///   - byte: The byte.
  /// - Returns: The state behind it.
  @inline(__always)
  func next(_ state: State, _ byte: UInt8) -> State {
    nodes.withUnsafeBufferPointer { nodes in
      bytes.withUnsafeBufferPointer { bytes in
        rows.withUnsafeBufferPointer { rows in
          Self.next(state, byte, nodes, bytes, rows, rowCount)
        }
      }
    }
  }

  /// Reads bytes until one comes that has to be looked at.
  ///
  /// - Parameters:
  ///   - text: What is read.
  ///   - state: What has been read before, and then what has been read.
  ///   - stops: For each byte whether it ends the reading; it is not read.
  ///   - found: Called for each place where forms end, with the number of bytes up to it and the length of
  ///     the longest of them.
  /// - Returns: How many bytes were read.
  func read(
    _ text: ArraySlice<UInt8>, from state: inout State, upTo stops: [Bool],
    found: (_ end: Int, _ length: Int) -> Void
  ) -> Int {
    var current = state
    defer { state = current }
    return text.withUnsafeBufferPointer { text in
      stops.withUnsafeBufferPointer { stops in
        nodes.withUnsafeBufferPointer { nodes in
          bytes.withUnsafeBufferPointer { bytes in
            rows.withUnsafeBufferPointer { rows in
              for offset in 0..<text.count {
                guard !stops[Int(text[offset])] else { return offset }
                current = Self.next(current, text[offset], nodes, bytes, rows, rowCount)
                // No form is as short as to end in a state that has a row.
                guard current >= rowCount else { continue }
                let length = Int(nodes[current].matched)
                if length > 0 { found(offset + 1, length) }
              }
              return text.count
            }
          }
        }
      }
    }
  }

  /// The length of the longest form that ends where a state has been reached; 0 where none does.
  @inline(__always)
  func matchedLength(_ state: State) -> Int {
    // No form is as short as to end in a state that has a row.
    state >= rowCount ? Int(nodes[state].matched) : 0
  }

  /// How many of the bytes read last a state knows.
  func depth(_ state: State) -> Int {
    max(Int(nodes[state].open), Int(nodes[state].matched))
  }

  /// How many of the bytes read last may be the beginning of a form that has not ended.
  ///
  /// - Parameter state: What has been read.
  /// - Returns: Their number.
  func openLength(_ state: State) -> Int { Int(nodes[state].open) }

  // MARK: Steps

  @inline(__always)
  private static func next(
    _ state: State, _ byte: UInt8, _ nodes: UnsafeBufferPointer<Node>,
    _ bytes: UnsafeBufferPointer<UInt8>, _ rows: UnsafeBufferPointer<UInt32>, _ rowCount: Int
  ) -> State {
    var state = state
    while state >= rowCount {
      var child = Int(nodes[state].firstChild)
      let end = Int(nodes[state + 1].firstChild)
      while child < end && bytes[child] < byte { child += 1 }
      if child < end && bytes[child] == byte { return child }
      state = Int(nodes[state].fallback)
    }
    return Int(rows[state << 8 | Int(byte)])
  }

  /// How many nodes stand above the third level or, where these are too many, above the second.
  private static func rowCount(_ nodes: [Node], _ rowCountMax: Int) -> Int {
    let second = Int(nodes[Int(nodes[root].firstChild)].firstChild)
    let third = Int(nodes[second].firstChild)
    return third <= rowCountMax ? third : second
  }

  /// Makes the rows: where a node has no child, the row of the node to which it falls back counts.
  private static func rows(_ rowCount: Int, _ nodes: [Node], _ bytes: [UInt8]) -> [UInt32] {
    var rows = [UInt32](repeating: UInt32(root), count: rowCount << 8)
    var fallbacks = [Int](repeating: root, count: rowCount)
    for node in 0..<rowCount {
      let fallback = fallbacks[node] << 8
      for byte in 0..<256 { rows[node << 8 | byte] = rows[fallback | byte] }
      for child in Int(nodes[node].firstChild)..<Int(nodes[node + 1].firstChild) {
        let byte = Int(bytes[child])
        if node != root && child < rowCount { fallbacks[child] = Int(rows[fallback | byte]) }
        rows[node << 8 | byte] = UInt32(child)
      }
    }
    return rows
  }

  /// Gives each node its fallback, whose level is nearer to the root, and what it takes over from
  /// it.
  private static func link(
    _ nodes: inout [Node], _ bytes: [UInt8], _ rows: [UInt32], _ rowCount: Int
  ) {
    nodes.withUnsafeMutableBufferPointer { nodes in
      bytes.withUnsafeBufferPointer { bytes in
        rows.withUnsafeBufferPointer { rows in
          let readable = UnsafeBufferPointer(nodes)
          for parent in 0..<bytes.count {
            let fallback = State(nodes[parent].fallback)
            for child in Int(nodes[parent].firstChild)..<Int(nodes[parent + 1].firstChild) {
              let next =
                parent == root
                ? root : Self.next(fallback, bytes[child], readable, bytes, rows, rowCount)
              nodes[child].fallback = UInt32(next)
              // A form that ends here is longer than those that the fallback knows, and so is a
              // beginning that can grow.
              if nodes[child].matched == 0 { nodes[child].matched = nodes[next].matched }
              if nodes[child].open == 0 { nodes[child].open = nodes[next].open }
            }
          }
        }
      }
    }
  }
}
