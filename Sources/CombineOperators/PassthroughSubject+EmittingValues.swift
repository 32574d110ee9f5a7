// A subject that sends the elements of an asynchronous sequence.

public import CombineShim

extension PassthroughSubject where Output: Sendable, Failure == any Error {
  /// Makes a subject that sends the elements of a sequence, beginning at once.
  ///
  /// As with every `PassthroughSubject`, a subscriber misses the elements that come before it has
  /// subscribed or exceed its demand. To lose none, use `publisher`.
  ///
  /// - Parameter sequence: The sequence. It is read in a task until it ends or the subject has been released.
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

/// Refers to a subject without retaining it.
private struct Weak<Subject: AnyObject> {
  weak var subject: Subject?
}
