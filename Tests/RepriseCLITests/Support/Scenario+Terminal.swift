// Commands on a terminal of their own.

import Foundation

extension Scenario {
  /// Runs a shell command line on a terminal while another process writes the keys.
  ///
  /// The settings of the terminal are in the files `settings-before` and `settings-after`.
  ///
  /// - Parameters:
  ///   - command: The command line; `reprise` is the program under test.
  ///   - keys: A shell command line that writes the keys; `wait_for FILE`, `shown TEXT` and
  ///     `shown_times NUMBER TEXT` wait for a file and for output, at most a minute.
  /// - Returns: Everything written to the terminal.
  /// - Throws: If a file cannot be written or the shell cannot be started.
  func onTerminal(_ command: String, keys: String) async throws -> String {
    let reprise = Scenario.Started.executable.path
    try write(
      """
      export TERM=xterm LC_ALL=C.UTF-8
      echo $$ > shell
      stty cols 80 rows 24
      stty -g > settings-before
      \(command.replacingOccurrences(of: "reprise", with: reprise))
      echo "status $?"
      stty -g > settings-after
      stty -a
      """, to: "on-terminal.sh")
    let ended = try await shell(
      """
      until_it() { n=0; until "$@"; do sleep 0.02; n=$((n+1)); [ $n -lt 3000 ] || exit 124; done; }
      wait_for() { until_it test -e "$1"; }
      shown() { until_it grep -aqsF "$1" typescript; }
      has_shown() { test "$(grep -aosF "$2" typescript | wc -l)" -ge "$1"; }
      shown_times() { until_it has_shown "$1" "$2"; }
      # A terminal that waits for other keys is hung up, so that the test fails and does not hang.
      { (\(keys)); [ $? != 124 ] || kill -HUP "$(cat shell)"; sleep 1; } | env --default-signal script -qfec 'exec sh on-terminal.sh' typescript
      """)
    return ended.output
  }
}
