// The subscribers of a shared publisher, in the order of their subscriptions.

/// An ordered list of objects from which one is removed in logarithmic time, however many there are.
///
/// All are of one class, which its owner knows; see ``typed(_:as:)``. A list or an array of a generic
/// class would cost unspecialized code several look-ups of type metadata for each value.
package struct MemberList {
  /// In order of their numbers, with nil for members that were removed.
  package private(set) var members: [AnyObject?] = []
  /// The number of each member.
  private var numbers: [Int] = []
  private var nextNumber = 0
  /// The number of members.
  package private(set) var count = 0

  /// Creates an empty list.
  package init() {}

  /// Whether there are no members.
  package var isEmpty: Bool { count == 0 }

  /// Returns a member as an object of the class of all members.
  @inline(__always) package static func typed<Member: AnyObject>(
    _ member: AnyObject, as type: Member.Type
  ) -> Member {
    unsafeDowncast(member, to: type)
  }

  /// Appends a member.
  ///
  /// - Returns: Its number, which is not used again.
  package mutating func append(_ member: AnyObject) -> Int {
    defer { nextNumber += 1 }
    members.append(member)
    numbers.append(nextNumber)
    count += 1
    return nextNumber
  }

  /// Calls a closure with each member.
  package func forEach<Member: AnyObject>(as type: Member.Type, _ body: (Member) -> Void) {
    for member in members { if let member { body(Self.typed(member, as: type)) } }
  }

  /// Removes a member.
  ///
  /// - Returns: The member; nil if it has been removed before.
  package mutating func remove(_ number: Int) -> AnyObject? {
    guard let position = position(of: number), let member = members[position].take() else {
      return nil
    }
    count -= 1
    if count == 0 {
      (members, numbers) = ([], [])
    } else if members.count > 16, count * 2 < members.count {
      // Compaction takes amortized constant time.
      numbers = numbers.indices.filter { members[$0] != nil }.map { numbers[$0] }
      members.removeAll { $0 == nil }
    }
    return member
  }

  /// Removes all members.
  ///
  /// - Returns: The members that were removed.
  package mutating func removeAll() -> MemberList {
    var rest = MemberList()
    rest.nextNumber = nextNumber
    defer { self = rest }
    return self
  }

  /// Returns the position of a member, by binary search.
  private func position(of number: Int) -> Int? {
    var range = numbers.startIndex..<numbers.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if numbers[middle] < number {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    let position = range.lowerBound
    return position < numbers.endIndex && numbers[position] == number ? position : nil
  }
}
