// Simulates runs of workflows from seeds, and shrinks what fails. See Documentation/reliability.md.

import Foundation
import Simulator

let usage = """
  usage: simulate [options]
    --seconds N     run fresh seeds for so long (20)
    --hours N       the same in hours
    --from N        the first seed; a random one when left out
    --count N       how many seeds at most
    --seed N        this seed alone; shrunk when it fails
    --replay FILE   a scenario in JSON, as it is printed for a failure
    --verbose       print every event of the seed
    --fault NAME    plant a fault: \(Fault.allCases.map(\.rawValue).joined(separator: ", "))
    --faults N      plant each fault, and count how many of N seeds find it
    --traces        print a hash over everything that happened for each seed
    --no-shrink     do not make a failing scenario smaller
    --workers N     how many processes work at once (2)
    --failures N    stop after so many failures (1)
    --sizes A-B     how many steps of the file
  """

// Sets and dictionaries must have the same order in each process.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  setenv("SWIFT_BACKTRACE", "enable=no", 1)
  var arguments = CommandLine.arguments.map { strdup($0) }
  arguments.append(nil)
  execv("/proc/self/exe", arguments)
  perror("simulate cannot start itself again")
  exit(2)
}

var options = Options()
do {
  options = try Options(CommandLine.arguments.dropFirst())
} catch {
  print(error, usage, separator: "\n")
  exit(2)
}
exit(options.run())
