// How many values a subscriber expects, and how a publisher ends.

#if !canImport(Combine)

/// The subscribers, and the types that they use.
public enum Subscribers {}

extension Subscribers {
  /// A number of values that a subscriber requests; may be unlimited.
  public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable,
    CustomStringConvertible
  {
    /// The number of values; `Int.max` for an unlimited number.
    @usableFromInline let count: Int

    @usableFromInline init(count: Int) { self.count = count }

    /// As many values as the publisher has.
    @inlinable public static var unlimited: Demand { Demand(count: .max) }

    /// No values.
    @inlinable public static var none: Demand { Demand(count: 0) }

    /// The given number of values; not negative.
    @inlinable public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "a demand cannot be negative")
      return Demand(count: value)
    }

    /// The number of values; nil if it is unlimited.
    @inlinable public var max: Int? { count == .max ? nil : count }

    /// The demand in words.
    public var description: String { count == .max ? "unlimited" : "max(\(count))" }

    /// Adds two demands.
    @inlinable public static func + (left: Demand, right: Demand) -> Demand {
      let (sum, overflows) = left.count.addingReportingOverflow(right.count)
      return Demand(count: overflows ? .max : sum)
    }

    /// Adds a demand.
    @inlinable public static func += (left: inout Demand, right: Demand) { left = left + right }

    /// Adds a number of values.
    @inlinable public static func + (left: Demand, right: Int) -> Demand {
      let (sum, overflows) = left.count.addingReportingOverflow(right)
      return Demand(count: left.count == .max || overflows ? .max : Swift.max(0, sum))
    }

    /// Adds a number of values.
    @inlinable public static func += (left: inout Demand, right: Int) { left = left + right }

    /// Subtracts a demand; an unlimited demand stays unlimited, and none remains none.
    @inlinable public static func - (left: Demand, right: Demand) -> Demand {
      if left.count == .max { return left }
      return Demand(count: Swift.max(0, left.count - right.count))
    }

    /// Subtracts a demand.
    @inlinable public static func -= (left: inout Demand, right: Demand) { left = left - right }

    /// Subtracts a number of values.
    @inlinable public static func - (left: Demand, right: Int) -> Demand {
      left.count == .max ? left : Demand(count: Swift.max(0, left.count - right))
    }

    /// Subtracts a number of values.
    @inlinable public static func -= (left: inout Demand, right: Int) { left = left - right }

    /// Multiplies a demand.
    @inlinable public static func * (left: Demand, right: Int) -> Demand {
      let (product, overflows) = left.count.multipliedReportingOverflow(by: right)
      return Demand(count: left.count == .max || overflows ? .max : product)
    }

    /// Multiplies a demand.
    @inlinable public static func *= (left: inout Demand, right: Int) { left = left * right }

    /// Compares two demands.
    @inlinable public static func < (left: Demand, right: Demand) -> Bool {
      left.count < right.count
    }

    /// Compares with a number of values.
    @inlinable public static func == (left: Demand, right: Int) -> Bool { left.max == right }

    /// Compares with a number of values.
    @inlinable public static func != (left: Demand, right: Int) -> Bool { left.max != right }

    /// Compares with a number of values.
    @inlinable public static func > (left: Demand, right: Int) -> Bool {
      left.count == .max || left.count > right
    }

    /// Compares with a number of values.
    @inlinable public static func >= (left: Demand, right: Int) -> Bool {
      left.count == .max || left.count >= right
    }

    /// Compares with a number of values.
    @inlinable public static func < (left: Demand, right: Int) -> Bool {
      left.count != .max && left.count < right
    }

    /// Compares with a number of values.
    @inlinable public static func <= (left: Demand, right: Int) -> Bool {
      left.count != .max && left.count <= right
    }
  }

  /// How a publisher ends.
  public enum Completion<Failure: Error> {
    /// All values have been published.
    case finished
    /// The publisher cannot publish more values, because of an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers.Completion {
  /// Transforms the failure.
  func mapError<NewFailure: Error>(
    _ transform: (Failure) -> NewFailure
  ) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }

  /// The same completion, where every error is possible.
  var erased: Subscribers.Completion<any Error> { mapError { $0 } }
}

#endif
