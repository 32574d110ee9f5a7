// The services that must run again for some steps of a graph. Pure.

import Workflows

/// A service that has ended, or is being stopped.
struct EndedService: Sendable, Equatable {
  /// The steps that use it.
  let users: [StepIndex]
  /// The steps after it that are pending: its end, which they wait for, is forgotten when it starts
  /// again.
  var waiting: [StepIndex] = []
}

extension Graph {
  /// Adds the services that steps use and that must be started for them, and the steps that still
  /// wait for such a service.
  ///
  /// - Parameters:
  ///   - services: The services that have ended.
  ///   - steps: The steps that run again, in topological order.
  /// - Returns: The steps, in topological order.
  func withServices(
    _ services: [StepIndex: EndedService], of steps: [StepIndex]
  ) -> [StepIndex] {
    guard !services.isEmpty else { return steps }
    var all = Set(steps)
    // A service can use others.
    while let (service, ended) = services.first(where: { service, ended in
      !all.contains(service) && ended.users.contains(where: all.contains)
    }) {
      all.formUnion(ended.waiting + [service])
    }
    return all.count == steps.count ? steps : topologicalOrder.filter(all.contains)
  }
}
