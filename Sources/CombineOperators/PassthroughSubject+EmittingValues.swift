// A subject that is fed from an asynchronous sequence. Knows nothing of the elements.

public import CombineShim

extension PassthroughSubject where Output: Sendable, Failure == any Error {
  /// Makes a subject that sends the elements of a sequence, beginning at once.
  ///
  /// Elements that come when nobody has subscribed, or when a subscriber has asked for no more, are
  /// lost to it, as with every `PassthroughSubject`. Where none may be lost, use `publisher`.
  ///
  /// - Parameter sequence: The sequence. It is read in a task until it ends or the subject is gone.
  /// - Returns: The subject; it completes with the sequence.
  public static func emittingValues<Base: AsyncSequence & Sendable>(
    from sequence: Base
  ) -> PassthroughSubject<Output, any Error> where Base.Element == Output {
    let subject = PassthroughSubject<Output, any Error>()
    let observer = WeakSubject(subject: subject)
    Task {
      do {
        for try await element in sequence {
          guard let subject = observer.subject else { return }
          subject.send(element)
        }
        observer.subject?.send(completion: .finished)
      } catch {
        observer.subject?.send(completion: .failure(error))
      }
    }
    return subject
  }
}

/// Refers to a subject without keeping it.
// @unchecked: a subject may be sent values from any thread, one call at a time: only the task does.
private struct WeakSubject<Output, Failure: Error>: @unchecked Sendable {
  weak var subject: PassthroughSubject<Output, Failure>?
}
