// Finds all occurrences of many byte sequences in one pass.

/// An Aho-Corasick automaton (Efficient string matching, CACM 18, 1975) over bytes.
///
/// A state is the longest prefix of a form that is a suffix of the input. States are numbered in
/// breadth-first order, so the children of a state are adjacent and need no list: 17 bytes per
/// state. Only the first levels, where most of the time is spent, have a transition table for all
/// bytes.
final class SecretAutomaton: Sendable {
  /// A position in the automaton.
  typealias State = Int

  /// The initial state: the empty prefix.
  static let root: State = 0

  /// The minimum length of a form.
  static let formBytesMin = 3

  /// The maximum number of nodes with a transition table: 16 MiB.
  static let rowCountMax = 1 << 14

  /// A node of the trie.
  private struct Node {
    /// The first child; the children end where those of the next node begin.
    var firstChild: UInt32
    /// The state of the longest proper suffix that is a prefix of a form.
    var fallback: UInt32 = 0
    /// The length of the longest form that ends here; 0 if none does.
    var matched: UInt32 = 0
    /// The length of the longest proper prefix of a form that ends here.
    var open: UInt32 = 0
  }

  /// All nodes, and a sentinel that ends the children of the last one.
  private let nodes: [Node]
  /// The byte on the edge from its parent, for each node.
  private let bytes: [UInt8]
  /// The transition tables of the first levels, with 256 entries each.
  private let rows: [UInt32]
  /// The number of nodes with a transition table.
  private let rowCount: Int

  /// Creates an automaton, in time linear in the total length of the forms except for sorting.
  ///
  /// - Parameters:
  ///   - forms: The byte sequences to find, each of at least ``formBytesMin`` bytes.
  ///   - rowCountMax: The maximum number of nodes with a table; the first two levels always have
  ///     one.
  init(forms: some Collection<[UInt8]>, rowCountMax: Int = SecretAutomaton.rowCountMax) {
    precondition(forms.allSatisfy { $0.count >= Self.formBytesMin }, "a form is too short")
    var (nodes, bytes) = Self.nodes(of: SortedForms(forms))
    let rowCount = Self.rowCount(nodes, rowCountMax)
    let rows = Self.rows(rowCount, nodes, bytes)
    Self.link(&nodes, bytes, rows, rowCount)
    self.nodes = nodes
    self.bytes = bytes
    self.rows = rows
    self.rowCount = rowCount
  }

  /// Returns the nodes of a trie, level by level, and the bytes that lead to them.
  private static func nodes(of trie: SortedForms) -> ([Node], [UInt8]) {
    let count = trie.stateCount
    var nodes: [Node] = []
    var bytes: [UInt8] = []
    nodes.reserveCapacity(count + 1)
    bytes.reserveCapacity(count)

    // Forms with a common prefix are adjacent, so each node of a level corresponds to a range.
    var level = [trie.all]
    var depth = 0
    bytes.append(0)
    while !level.isEmpty {
      var next: [Range<Int>] = []
      for range in level {
        var node = Node(firstChild: UInt32(bytes.count))
        var start = range.lowerBound
        // Shorter forms come first; those that end here have no children.
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
    return (nodes, bytes)
  }

  /// The number of states.
  var stateCount: Int { bytes.count }

  /// The size of its memory, in bytes.
  var byteCount: Int {
    nodes.capacity * MemoryLayout<Node>.stride + bytes.capacity + rows.capacity * 4
  }

  /// Processes a byte.
  ///
  /// - Parameters:
  ///   - state: The state before the byte.
  ///   - byte: The byte.
  /// - Returns: The state after the byte.
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

  /// Processes bytes until one that requires special handling.
  ///
  /// - Parameters:
  ///   - text: The input.
  ///   - state: The state before the input, updated to the state after the bytes read.
  ///   - stops: For each byte value, whether to stop before it.
  ///   - wakes: For each byte value, whether to stop before it or whether a form can begin with it.
  ///   - found: Called for each position where forms end, with the number of bytes before it and
  ///     the length of the longest form.
  /// - Returns: The number of bytes read.
  func read(
    _ text: UnsafeBufferPointer<UInt8>, from state: inout State, upTo stops: [Bool], wakes: [Bool],
    found: (_ end: Int, _ length: Int) -> Void
  ) -> Int {
    var current = state
    defer { state = current }
    return stops.withUnsafeBufferPointer { stops in
      wakes.withUnsafeBufferPointer { wakes in
        nodes.withUnsafeBufferPointer { nodes in
          bytes.withUnsafeBufferPointer { bytes in
            rows.withUnsafeBufferPointer { rows in
              var offset = 0
              while offset < text.count {
                if current == Self.root {
                  // No form has begun before most bytes, and none begins with them.
                  while offset < text.count, !wakes[Int(text[offset])] { offset += 1 }
                  guard offset < text.count else { break }
                }
                guard !stops[Int(text[offset])] else { return offset }
                current = Self.next(current, text[offset], nodes, bytes, rows, rowCount)
                offset += 1
                // States with a table are shallower than the shortest form, so no form ends there.
                guard current >= rowCount else { continue }
                let length = Int(nodes[current].matched)
                if length > 0 { found(offset, length) }
              }
              return text.count
            }
          }
        }
      }
    }
  }

  /// Returns the length of the longest form that ends in a state; 0 if none does.
  @inline(__always)
  func matchedLength(_ state: State) -> Int {
    // States with a table are shallower than the shortest form, so no form ends there.
    state >= rowCount ? Int(nodes[state].matched) : 0
  }

  /// Returns the number of preceding bytes that a state represents.
  func depth(_ state: State) -> Int {
    max(Int(nodes[state].open), Int(nodes[state].matched))
  }

  /// Returns the number of preceding bytes that may be the start of an unfinished form.
  ///
  /// - Parameter state: The state after the bytes.
  /// - Returns: The number of bytes.
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

  /// Returns the number of nodes above the third level, or above the second if these are too many.
  private static func rowCount(_ nodes: [Node], _ rowCountMax: Int) -> Int {
    let second = Int(nodes[Int(nodes[root].firstChild)].firstChild)
    let third = Int(nodes[second].firstChild)
    return third <= rowCountMax ? third : second
  }

  /// Builds the transition tables; a node without a child uses the table of its fallback.
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

  /// Sets the fallback of each node, which is on a higher level, and inherits its matches.
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
              // The node's own form or prefix is longer than those of its fallback.
              if nodes[child].matched == 0 { nodes[child].matched = nodes[next].matched }
              if nodes[child].open == 0 { nodes[child].open = nodes[next].open }
            }
          }
        }
      }
    }
  }
}
