// A subject that sends the elements of an asynchronous sequence.

public import ReactiveCore

extension PassthroughSubject where Output: Sendable, Failure == any Error {
  /// Creates a subject that sends the elements of a sequence, starting immediately.
  ///
  /// As with every `PassthroughSubject`, a subscriber misses elements that arrive before it
  /// subscribes or that exceed its demand. To receive all elements, use `publisher`.
  ///
  /// - Parameter sequence: The sequence. A task reads it until it ends or the subject is released.
  /// - Returns: The subject; it completes with the sequence.
  public static func emittingValues<Base: AsyncSequence & Sendable>(
    from sequence: Base
  ) -> PassthroughSubject<Output, any Error> where Base.Element == Output {
    let subject = PassthroughSubject<Output, any Error>()
    let observer = UncheckedSendable(Weak(subject: subject))
    Task {
      do {
        for try await element in sequence {
          guard let subject = observer.value.subject else { return }
          subject.send(element)
        }
        observer.value.subject?.send(completion: .finished)
      } catch {
        observer.value.subject?.send(completion: .failure(error))
      }
    }
    return subject
  }
}

/// A weak reference to a subject.
private struct Weak<Subject: AnyObject> {
  weak var subject: Subject?
}
