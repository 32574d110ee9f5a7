// merge of a collection of publishers.

public import ReactiveCore

extension Collection where Element: Publisher {
  /// Merges the values of all publishers of the collection as they arrive.
  ///
  /// The contract is that of `Publishers.MergeMany`.
  ///
  /// - Returns: The publisher of all values.
  public func merge() -> Publishers.MergeMany<Element> {
    Publishers.MergeMany(self)
  }
}
