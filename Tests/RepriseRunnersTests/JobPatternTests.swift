import Testing

@testable import RepriseRunners

/// How lines of schedulers are read.
struct JobPatternTests {
  @Test(arguments: [
    ("{job}", "Welcome to the cluster\n812\n", "812"), ("{job}", "123.server\n", "123.server"),
    ("Job <{job}>", "Job <917> is submitted to queue <normal>.\n", "917"),
    ("OAR_JOB_ID={job}", "Generate a key\nOAR_JOB_ID=42\n", "42"),
    ("cluster {job}", "1 job(s) submitted to cluster 17.\n", "17."),
    ("{job}", "ƒabcd\n", "ƒabcd"), ("{job}", "", nil),
    ("Job <{job}>", "Request aborted by esub. Job not submitted.\n", nil),
    ("Job <{job}>", "Job <> is\n", nil), ("Job <{job}>", "Job <1\n", nil),
  ])
  func `the number of a job is found in what a command says`(
    _ pattern: String, _ text: String, _ number: String?
  ) throws {
    #expect(try #require(JobPattern(parsing: pattern)).number(in: text) == number)
  }

  @Test func `a line is read with its fields, in any columns`() throws {
    let pattern = try #require(JobPattern(parsing: "{job} {} {} {} {state} {reason}"))
    let line = "     33 0.50000 r_gather   root         qw    because of x  "
    let fields = try #require(pattern.fields(of: line))
    #expect(fields == [.job: "33", .state: "qw", .reason: "because of x  "])
    #expect(pattern.fields(of: "33 0.5 name root r")?[.reason] == "")
    for line in ["", "33", "33 0.5 name root", "  "] {
      #expect(pattern.fields(of: line)?[.state] == nil)
    }
    #expect(
      JobPattern(parsing: "{job}.{} {state}")?.fields(of: "17.0 2") == [.job: "17", .state: "2"])
  }

  @Test func `the index of an element is the last word, or where the pattern says`() throws {
    let pattern = try #require(JobPattern(parsing: "{job} {} {} {} {state} {index}"))
    // Grid Engine shows no queue while a job waits.
    for line in [
      "  7 0.5 r_a root qw 11/29/2026 19:16:37      1 12",
      "  7 0.5 r_a root r  11/29/2026 19:16:37 main.q@n1 1 12  ",
    ] {
      #expect(pattern.fields(of: line)?[.index] == "12")
    }
    #expect(pattern.fields(of: "7 0.5 r_a root qw  ") == nil)
    for (text, number) in [("{job}.{index}", "7.12"), ("{job}[{index}]", "7[12]")] {
      let element = try #require(JobPattern(parsing: text))
      #expect(element.text(with: [.job: "7", .index: "12"]) == number)
      #expect(element.fields(of: number) == [.job: "7", .index: "12"])
      #expect(element.fields(of: "7") == nil)
    }
  }

  @Test(arguments: ["{jobs}", "{ job }", "{job", "{job} {x}"])
  func `a field that is not known is none`(_ text: String) {
    // A brace without an end is text.
    #expect((JobPattern(parsing: text)?.has(.job) ?? false) == false)
  }
}
