import Testing
import WorkflowLanguage

/// Files whose mistakes are in groups, needs and steps that become many.
struct BrokenGroupTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Groups and needs.
    Mistake("steps: [{parallel: }]\n", ["1:20"], "a list of branches is expected here"),
    Mistake("steps: [{parallel: [x]}]\n", ["1:21"], "a step is a map"),
    Mistake("steps: [{parallel: [[{id: a, run: x}]]}]\n", ["1:21"], "a step is a map"),
    Mistake("steps: [{parallel: [{steps: []}]}]\n", ["1:29"], "there is no step in this list"),
    Mistake("steps: [{steps: x}]\n", ["1:17"], "a list of steps is expected here"),
    Mistake(
      "steps: [{id: a, run: x, steps: [{id: b, run: x}]}]\n", ["1:25"],
      "a step has no key \"steps\""),
    Mistake("steps: [{id: a, parallel: [{id: b, run: x}], run: x}]\n", ["1:17"], "parallel"),
    Mistake(
      "steps: [{parallel: [{id: a, run: x}], id: g}]\n", ["1:39"],
      "give it to the steps in the group"),
    Mistake(
      "steps: [{parallel: [{id: a, run: x}, {id: a, run: x}]}]\n", ["1:43"],
      "a step \"a\" already, at line 1"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [[a]]}]\n", ["1:50"],
      "needs is a text, not a list"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: }]\n", ["1:49"],
      "needs is a text, not nothing"),
    Mistake("steps: [{id: a, run: x}, {id: b, run: x, needs: \"\"}]\n", ["1:49"], "needs is empty"),
    Mistake("steps: [{id: a, run: x}, {id: b, run: x, needs: \"a, c\"}]\n", ["1:49"], "a list"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: \"${{ params.x }}\"}]\n", ["1:49"],
      "needs cannot be computed"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: A}]\n", ["1:49"], "did you mean \"a\"?"),
    Mistake(
      "steps: [{id: build, run: x}, {id: b, run: x, needs: zzz}]\n", ["1:53"],
      "step \"b\" needs \"zzz\", which does not exist"),
    Mistake(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x}]\n", ["1:32"],
      "dependency cycle: a -> b -> a"),
    // What could not be read has no place in a circle.
    Mistake(
      "steps: [{id: a, foreach: x, run: x}, {id: b, run: x, needs: c}, {id: c, run: x, needs: a}]\n",
      ["1:26"], "foreach takes a list"),
    Mistake(
      "steps: [{id: a, foreach: [1, 2], run: x, needs: b}, {id: b, run: x}]\n", ["1:49"],
      "dependency cycle"),
    Mistake(
      "steps: [{id: a, foreach: [1, 2], run: x, needs: a}]\n", ["1:49"], "step \"a\" needs itself"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, foreach: [1], run: x, needs: \"a[0]\"}]\n", ["1:63"],
      "step"),
    Mistake(
      "steps: [{parallel: [{id: a, run: x, needs: b}, {id: b, run: x, needs: a}]}]\n", ["1:44"],
      "dependency cycle: a -> b -> a"),
    Mistake(
      "steps:\n- {id: a, run: x, needs: c}\n- parallel:\n  - {id: b, run: x}\n  - {id: c, run: x}\n",
      ["2:26"],
      "dependency cycle: a -> c -> a"),
    Mistake(
      "steps: [{parallel: [{id: a, run: x}], if: failure()}]\n", ["1:39"],
      "give it to the steps in the group"),
    // Foreach.
    Mistake("steps: [{id: a, foreach: , run: x}]\n", ["1:26"], "foreach"),
    Mistake(
      "steps: [{id: a, foreach: x, run: x}]\n", ["1:26"],
      "write it like: [a, b], or: { from: 1, to: 5 }"),
    Mistake(
      "steps: [{id: a, foreach: 3, run: x}]\n", ["1:26"],
      "write it like: [a, b], or: { from: 1, to: 5 }"),
    Mistake(
      "steps: [{id: a, foreach: \"1..5\", run: x}]\n", ["1:26"],
      "write it like: [a, b], or: { from: 1, to: 5 }"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1}, run: x}]\n", ["1:26"],
      "a range needs \"from\" and \"to\""),
    Mistake(
      "steps: [{id: a, foreach: {}, run: x}]\n", ["1:26"], "a range needs \"from\" and \"to\""),
    Mistake(
      "steps: [{id: a, foreach: {from: a, to: 3}, run: x}]\n", ["1:33"], "from is a whole number"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1, to: 3.5}, run: x}]\n", ["1:40"], "to is a whole number"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1, to: 99999999999}, run: x}]\n", ["1:40"],
      "to is a whole number"),
    Mistake(
      "steps: [{id: a, foreach: {from: -9223372036854775808, to: 1}, run: x}]\n", ["1:33"],
      "from is a whole number"),
    Mistake("steps: [{id: a, foreach: {from: [1], to: 3}, run: x}]\n", ["1:33"], "from"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1, to: 3, by: 0}, run: x}]\n", ["1:47"],
      "the distance of a range is not 0"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1, to: 3, step: 1}, run: x}]\n", ["1:43"],
      "did you mean \"by\"?"),
    Mistake(
      "steps: [{id: a, foreach: {start: 1, from: 1, to: 3}, run: x}]\n", ["1:27"],
      "did you mean \"from\"?"),
    Mistake(
      "steps: [{id: a, foreach: {from: 1, to: 10001}, run: x}]\n", ["1:26"],
      "this makes 10001 steps; at most 10000"),
    Mistake(
      "steps: [{id: a, foreach: {from: -2147483647, to: 2147483647}, run: x}]\n", ["1:26"],
      "at most 10000"),
    Mistake(
      "steps: [{id: a, foreach: {from: \"${{ x }}\", to: 3}, run: x}]\n", ["1:38"],
      "there is no \"x\""),
    Mistake(
      "steps: [{id: a, foreach: [1, \"${{ x }}\"], run: x}]\n", ["1:35"], "there is no \"x\""),
    Mistake("steps: [{id: a, foreach: [1], matrix: {b: [1]}, run: x}]\n", ["1:31"], "not both"),
    Mistake(
      "steps: [{id: a, foreach: [1], max-parallel: 0, run: x}]\n", ["1:45"],
      "a whole number from 1"),
    Mistake(
      "steps: [{id: a, foreach: [1], fail-fast: no, run: x}]\n", ["1:42"], "only true and false"),
    Mistake("steps: [{id: a, foreach: [1]}]\n", ["1:9"], "this step does nothing"),
    Mistake(
      "steps: [{id: a, foreach: [1, 2, 3], run: x, env: {B: \"${{ x }}\"}}]\n", ["1:59"],
      "there is no \"x\""),
    Mistake(
      "steps: [{id: a, foreach: [], run: x, env: {B: \"${{ x }}\"}}]\n", ["1:52"],
      "there is no \"x\""),
    Mistake(
      "steps: [{id: a, foreach: [1], run: x}, {id: a, run: x}]\n", ["1:45"],
      "a step \"a\" already, at line 1"),
    Mistake(
      "steps: [{id: a, foreach: [1], run: x, timeout: soon}]\n", ["1:48"], "write it like 500ms"),
    Mistake(
      "steps: [{id: a, foreach: [10s, soon], run: x, timeout: \"${{ item }}\"}]\n", ["1:56"],
      "timeout is a duration, not \"soon\""),
    Mistake(
      "params: {s: a}\nsteps: [{id: a, foreach: \"${{ params.s }}\", run: x}]\n", ["2:26"],
      "fromJSON(…) makes a list of a text"),
    Mistake(
      "params: {s: a}\nsteps: [{id: a, foreach: \"${{ fromJSON(params.s) }}\", run: x}]\n",
      ["2:40"],
      "this is not JSON"),
    Mistake(
      "params: {s: \"{}\"}\nsteps: [{id: a, foreach: \"${{ fromJSON(params.s) }}\", run: x}]\n",
      ["2:26"],
      "foreach takes a list, not a map"),
    Mistake(
      "steps: [{id: a, foreach: \"x ${{ fromJSON('[1]') }}\", run: x}]\n", ["1:26"],
      "foreach takes a list"),
    // Matrix.
    Mistake(
      "steps: [{id: a, matrix: [x], run: x}]\n", ["1:25"],
      "a matrix is a map of names and lists, not a list"),
    Mistake(
      "steps: [{id: a, matrix: x, run: x}]\n", ["1:25"],
      "a matrix is a map of names and lists, not a text"),
    Mistake(
      "steps: [{id: a, matrix: , run: x}]\n", ["1:25"],
      "a matrix is a map of names and lists, not nothing"),
    Mistake(
      "steps: [{id: a, matrix: {}, run: x}]\n", ["1:25"], "write it like: { os: [linux, mac]"),
    Mistake(
      "steps: [{id: a, matrix: {os: []}, run: x}]\n", ["1:30"],
      "the list \"os\" of the matrix is empty"),
    Mistake(
      "steps: [{id: a, matrix: {os: linux}, run: x}]\n", ["1:30"], "write it like: [linux, mac]"),
    Mistake(
      "steps: [{id: a, matrix: {os: {from: 1, to: 3}}, run: x}]\n", ["1:30"],
      "\"os\" of a matrix is a list, not a map"),
    Mistake(
      "steps: [{id: a, matrix: {os: }, run: x}]\n", ["1:30"],
      "\"os\" of a matrix is a list, not nothing"),
    Mistake("steps: [{id: a, matrix: {1os: [x]}, run: x}]\n", ["1:26"], "cannot be a name here"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], fail-fast: true}, run: x}]\n", ["1:35"], "indent it less"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], max-parallel: 2}, run: x}]\n", ["1:35"], "indent it less"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], include: {os: y}}, run: x}]\n", ["1:44"],
      "\"include\" of a matrix is a list"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], include: [y]}, run: x}]\n", ["1:45"],
      "include is a list of maps"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], exclude: [{os: x}, y]}, run: x}]\n", ["1:54"],
      "exclude is a list of maps"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], exclude: [{os: x}]}, run: x}]\n", ["1:25"],
      "exclude less"),
    Mistake(
      "steps: [{id: a, matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], b: &b [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], c: *b, d: *b}, run: x}]\n",
      ["1:25"],
      "this makes 11000 steps; at most 10000"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x, \"${{ steps.b.outputs.o }}\"]}, run: x}]\n", ["1:39"],
      "known before the run begins"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], os: [y]}, run: x}]\n", ["1:35"],
      "stands here a second time"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x], include: [y, z]}, run: x}]\n", ["1:45", "1:48"],
      "2 mistakes"),
    Mistake(
      "steps: [{id: a, run: x, matrix: {os: [x], os: [1]}}]\n", ["1:43"], "remove one of them"),
    // Afterwards.
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, needs: [a]}]\n", ["2:27"],
      "they run in order, when all others are over"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: a, run: x}]\n", ["2:16"],
      "a step \"a\" already, at line 1"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: failed}]\n", ["2:31"],
      "there are: success, failure, cancel"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: always}]\n", ["2:31"],
      "there are: success, failure, cancel"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: [failure, canceled]}]\n", ["2:41"],
      "did you mean \"cancel\"?"),
    Mistake("steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: []}]\n", ["2:31"], "ending"),
    Mistake("steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: }]\n", ["2:31"], "ending"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: {failure: true}}]\n", ["2:31"],
      "ending"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: \"${{ params.on }}\"}]\n", ["2:31"],
      "cannot be computed"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, env: {A: \"${{ steps.z.result }}\"}}]\n",
      ["2:41"],
      "there is no step \"z\""),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, env: {A: \"${{ steps.g.result }}\"}}, {id: g, run: x}]\n",
      ["2:41"],
      "\"g\""),
    Mistake("steps: [{id: a, run: x}]\nfinally: [x]\n", ["2:11"], "a step is a map"),
    Mistake(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, if: steps.a.outputs.x}]\n", ["2:31"],
      "compare it"),
    Mistake(
      "steps: [{id: a, run: x, needs: f}]\nfinally: [{id: f, run: x}]\n", ["1:32"], "\"finally\""),
    Mistake(
      "steps: [{id: a, run: x, env: {B: \"${{ steps.f.outputs.x }}\"}}]\nfinally: [{id: f, run: x}]\n",
      ["1:39"],
      "\"finally\""),
    Mistake(
      "steps: [{id: a, run: x, finally: [{id: b, run: x}]}]\n", ["1:25"],
      "a step has no key \"finally\""),
  ]

  @Test(arguments: mistakes) func `a mistake among steps is told where it is`(_ mistake: Mistake) {
    mistake.expectTold()
  }
}
