// What is said about bad cron expressions, and where the caret stands.

import Schedules
import Testing

struct CronErrorTests {
  /// An expression, carets below the part that is wrong, and what is said.
  struct Bad: Sendable, CustomTestStringConvertible {
    let text: String
    let carets: String
    let message: String
    let hint: String?

    init(_ text: String, _ carets: String, _ message: String, _ hint: String?) {
      (self.text, self.carets, self.message, self.hint) = (text, carets, message, hint)
    }

    var testDescription: String { text }
  }

  static let minutes = "minutes are 0 to 59"
  static let hours = "hours are 0 to 23"
  static let days = "days of the month are 1 to 31"
  static let months = "months are 1 to 12, or jan to dec"
  static let weekdays = "days of the week are 0 to 7, or sun to sat"
  static let foreign = "L, W, # and ? are not known here; \"*\" is every day of the"
  static let range = "ranges are written as in \"1-5\""
  static let list = "values are listed as in \"1,2\""
  static let comma = "a comma has nothing on one side"
  static let minuteSteps = "steps in minutes are 1 to 59"
  static let five =
    "there must be five: minute hour day-of-month month day-of-week (no seconds, no year)"
  static let macros =
    "there are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually"

  static let values: [Bad] = [
    Bad("61 * * * *", "^^", "\"61\" is no minute", minutes),
    Bad("60 * * * *", "^^", "\"60\" is no minute", minutes),
    Bad("x * * * *", "^", "\"x\" is no minute", minutes),
    Bad("+5 * * * *", "^^", "\"+5\" is no minute", minutes),
    Bad("1.5 * * * *", "^^^", "\"1.5\" is no minute", minutes),
    Bad("0~30 * * * *", "^^^^", "\"0~30\" is no minute", minutes),
    Bad("*5 * * * *", "^^", "\"*5\" is no minute", minutes),
    Bad("** * * * *", "^^", "\"**\" is no minute", minutes),
    Bad("1,2,99,x * * * *", "    ^^", "\"99\" is no minute", minutes),
    Bad(
      "99999999999999999999 * * * *", "^^^^^^^^^^^^^^^^^^^^",
      "\"99999999999999999999\" is no minute", minutes),
    Bad("0 24 * * *", "  ^^", "\"24\" is no hour", hours),
    Bad("0 20-24 * * *", "     ^^", "\"24\" is no hour", hours),
    Bad("0 mon * * *", "  ^^^", "\"mon\" is no hour", hours),
    Bad("0 2:30 * * *", "  ^^^^", "\"2:30\" is no hour", hours),
    Bad("0 0 0 * *", "    ^", "\"0\" is no day of the month", days),
    Bad("0 0 32 * *", "    ^^", "\"32\" is no day of the month", days),
    Bad("0 0 mon * *", "    ^^^", "\"mon\" is no day of the month", days),
    Bad("0 0 * 0 *", "      ^", "\"0\" is no month", months),
    Bad("0 0 * 13 *", "      ^^", "\"13\" is no month", months),
    Bad("0 0 * january *", "      ^^^^^^^", "\"january\" is no month", months),
    Bad("0 0 * mon *", "      ^^^", "\"mon\" is no month", months),
    Bad("0 0 * * 8", "        ^", "\"8\" is no day of the week", weekdays),
    Bad("0 0 * * jan", "        ^^^", "\"jan\" is no day of the week", weekdays),
    Bad("0 0 * * mon-frx", "            ^^^", "\"frx\" is no day of the week", weekdays),
    Bad("  0  24 * * *", "     ^^", "\"24\" is no hour", hours),
    // The carets are bytes: two for this letter.
    Bad("é 24 * * *", "^^", "\"é\" is no minute", minutes),
    Bad("0 0 * é,1 *", "      ^^", "\"é\" is no month", months),
    Bad("0 0 L * *", "    ^", "\"L\" is no day of the month", "\(foreign) month"),
    Bad("0 0 l-3 * *", "    ^", "\"l\" is no day of the month", "\(foreign) month"),
    Bad("0 0 15W * *", "    ^^^", "\"15W\" is no day of the month", "\(foreign) month"),
    Bad("0 0 LW * *", "    ^^", "\"LW\" is no day of the month", "\(foreign) month"),
    Bad("0 0 ? * 1", "    ^", "\"?\" is no day of the month", "\(foreign) month"),
    Bad("0 0 * * fri#2", "        ^^^^^", "\"fri#2\" is no day of the week", "\(foreign) week"),
    Bad("0 0 * * 5L", "        ^^", "\"5L\" is no day of the week", "\(foreign) week"),
    Bad("0 0 * * friL", "        ^^^^", "\"friL\" is no day of the week", "\(foreign) week"),
    Bad("0 0 * jul jul", "          ^^^", "\"jul\" is no day of the week", weekdays),
  ]

  static let forms: [Bad] = [
    Bad("5-1 * * * *", "^^^", "\"5-1\" runs backwards", "write \"5-59,0-1\""),
    Bad("0 22-2 * * *", "  ^^^^", "\"22-2\" runs backwards", "write \"22-23,0-2\""),
    Bad("0 22-2/2 * * *", "  ^^^^", "\"22-2\" runs backwards", "write \"22-23,0-2\""),
    Bad("0 0 25-5 * *", "    ^^^^", "\"25-5\" runs backwards", "write \"25-31,1-5\""),
    Bad("0 0 * nov-feb *", "      ^^^^^^^", "\"nov-feb\" runs backwards", "write \"nov-12,1-feb\""),
    Bad(
      "0 0 * * fri-mon", "        ^^^^^^^", "\"fri-mon\" runs backwards", "write \"fri-6,0-mon\""),
    Bad("0 0 * * sat-sun", "        ^^^^^^^", "\"sat-sun\" runs backwards", "write \"sat-7\""),
    Bad("0 0 * * 7-2", "        ^^^", "\"7-2\" runs backwards", "write \"0-2\""),
    Bad("*/0 * * * *", "  ^", "\"0\" is no step", minuteSteps),
    Bad("*/60 * * * *", "  ^^", "\"60\" is no step", minuteSteps),
    Bad("*/x * * * *", "  ^", "\"x\" is no step", minuteSteps),
    Bad("*/-5 * * * *", "  ^^", "\"-5\" is no step", minuteSteps),
    Bad("*/5/2 * * * *", "  ^^^", "\"5/2\" is no step", minuteSteps),
    Bad("*/ * * * *", " ^", "there is no step after the \"/\"", minuteSteps),
    Bad("0 */24 * * *", "    ^^", "\"24\" is no step", "steps in hours are 1 to 23"),
    Bad("0 0 * * */8", "          ^", "\"8\" is no step", "steps in days of the week are 1 to 7"),
    Bad("5/10 * * * *", "^^^^", "\"5/10\" has a step but no range", "write \"5-59/10\""),
    Bad("1,5/10 * * * *", "  ^^^^", "\"5/10\" has a step but no range", "write \"5-59/10\""),
    Bad("0 0 * * mon/2", "        ^^^^^", "\"mon/2\" has a step but no range", "write \"mon-6/2\""),
    Bad("0 0 * * 7/2", "        ^^^", "\"7/2\" has a step but no range", "write \"7-7/2\""),
    Bad("/5 * * * *", "^^", "there is nothing before the \"/\"", "write \"*/5\""),
    Bad("-5 * * * *", "^^", "\"-5\" is no range", range),
    Bad("5- * * * *", "^^", "\"5-\" is no range", range),
    Bad("1-2-3 * * * *", "^^^^^", "\"1-2-3\" is no range", range),
    Bad("1,,2 * * * *", " ^", comma, list),
    Bad(",1 * * * *", "^", comma, list),
    Bad("0 1, * * *", "   ^", comma, list),
    Bad("0 , * * *", "  ^", comma, list),
    Bad(
      "", "", "there is no schedule",
      "write five fields: minute hour day-of-month month day-of-week"),
    Bad(
      "  ", "^^", "there is no schedule",
      "write five fields: minute hour day-of-month month day-of-week"),
    Bad("daily", "^^^^^", "there is 1 field", five),
    Bad(" 0 0 * * ", " ^^^^^^^", "there are 4 fields", five),
    Bad("0 0 0 * * *", "^^^^^^^^^^^", "there are 6 fields", five),
    Bad("0 0 0 * * * 2026", "^^^^^^^^^^^^^^^^", "there are 7 fields", five),
    Bad("@reboot", "^^^^^^^", "\"@reboot\" is no schedule", macros),
    Bad("@", "^", "\"@\" is no schedule", macros),
    Bad("@Daily", "^^^^^^", "\"@Daily\" is no schedule", "write \"@daily\""),
    Bad("@daily 5 x", "       ^^^", "\"@daily\" is a whole schedule", "nothing may follow it"),
    Bad("0 0 30 2 *", "    ^^^^", "this never comes", "month \"2\" has no more than 29 days"),
    Bad(
      "0 0 30,31 feb *", "    ^^^^^^^^^", "this never comes",
      "month \"feb\" has no more than 29 days"),
    Bad(
      "0 0 31 4,jun,9 *", "    ^^^^^^^^^^", "this never comes",
      "month \"4,jun,9\" has no more than 30 days"),
    Bad("0 0 30 2 */2", "    ^^^^", "this never comes", "month \"2\" has no more than 29 days"),
  ]

  @Test(arguments: values + forms)
  func `a bad expression is told with its place and how to mend it`(bad: Bad) {
    let error = #expect(throws: CronError.self) { try CronExpression(bad.text) }
    let start = bad.carets.utf8.count - bad.carets.utf8.count { $0 == UInt8(ascii: "^") }
    #expect(error?.message == bad.message)
    #expect(error?.hint == bad.hint)
    #expect(error?.range == start..<bad.carets.utf8.count)
  }

  @Test(arguments: forms.filter { $0.hint?.hasPrefix("write \"") == true })
  func `what a hint says to write can be written`(bad: Bad) throws {
    let hint = try #require(bad.hint)
    let bytes = Array(bad.text.utf8)
    let start = bad.carets.utf8.count { $0 == UInt8(ascii: " ") }
    let mended =
      String(decoding: bytes[..<start], as: UTF8.self) + hint.dropFirst(7).dropLast()
      + String(decoding: bytes[bad.carets.utf8.count...], as: UTF8.self)
    #expect(throws: Never.self) { try CronExpression(mended) }
  }

  @Test(arguments: values + forms)
  func `a message is a sentence without a full stop`(bad: Bad) throws {
    let error = try #require(throws: CronError.self) { try CronExpression(bad.text) }
    #expect(!error.message.hasSuffix(".") && error.hint?.hasSuffix(".") != true)
  }
}
