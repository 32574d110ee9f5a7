// The messages for invalid cron expressions, and the position of the caret.

import Schedules
import Testing

struct CronErrorTests {
  /// An expression, carets below the invalid part, and the message.
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
  static let foreign = "L, W, # and ? are not supported; \"*\" is every day of the"
  static let range = "write a range as in \"1-5\""
  static let list = "write a list as in \"1,2\""
  static let comma = "missing value next to a comma"
  static let minuteSteps = "steps in minutes are 1 to 59"
  static let five =
    "the fields are: minute hour day-of-month month day-of-week (no seconds, no year)"
  static let macros =
    "valid names: @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually"

  static let values: [Bad] = [
    Bad("61 * * * *", "^^", "\"61\" is not a valid minute", minutes),
    Bad("60 * * * *", "^^", "\"60\" is not a valid minute", minutes),
    Bad("x * * * *", "^", "\"x\" is not a valid minute", minutes),
    Bad("+5 * * * *", "^^", "\"+5\" is not a valid minute", minutes),
    Bad("1.5 * * * *", "^^^", "\"1.5\" is not a valid minute", minutes),
    Bad("0~30 * * * *", "^^^^", "\"0~30\" is not a valid minute", minutes),
    Bad("*5 * * * *", "^^", "\"*5\" is not a valid minute", minutes),
    Bad("** * * * *", "^^", "\"**\" is not a valid minute", minutes),
    Bad("1,2,99,x * * * *", "    ^^", "\"99\" is not a valid minute", minutes),
    Bad(
      "99999999999999999999 * * * *", "^^^^^^^^^^^^^^^^^^^^",
      "\"99999999999999999999\" is not a valid minute", minutes),
    Bad("0 24 * * *", "  ^^", "\"24\" is not a valid hour", hours),
    Bad("0 20-24 * * *", "     ^^", "\"24\" is not a valid hour", hours),
    Bad("0 mon * * *", "  ^^^", "\"mon\" is not a valid hour", hours),
    Bad("0 2:30 * * *", "  ^^^^", "\"2:30\" is not a valid hour", hours),
    Bad("0 0 0 * *", "    ^", "\"0\" is not a valid day of the month", days),
    Bad("0 0 32 * *", "    ^^", "\"32\" is not a valid day of the month", days),
    Bad("0 0 mon * *", "    ^^^", "\"mon\" is not a valid day of the month", days),
    Bad("0 0 * 0 *", "      ^", "\"0\" is not a valid month", months),
    Bad("0 0 * 13 *", "      ^^", "\"13\" is not a valid month", months),
    Bad("0 0 * january *", "      ^^^^^^^", "\"january\" is not a valid month", months),
    Bad("0 0 * mon *", "      ^^^", "\"mon\" is not a valid month", months),
    Bad("0 0 * * 8", "        ^", "\"8\" is not a valid day of the week", weekdays),
    Bad("0 0 * * jan", "        ^^^", "\"jan\" is not a valid day of the week", weekdays),
    Bad("0 0 * * mon-frx", "            ^^^", "\"frx\" is not a valid day of the week", weekdays),
    Bad("  0  24 * * *", "     ^^", "\"24\" is not a valid hour", hours),
    // Carets count bytes: this letter has two.
    Bad("é 24 * * *", "^^", "\"é\" is not a valid minute", minutes),
    Bad("0 0 * é,1 *", "      ^^", "\"é\" is not a valid month", months),
    Bad("0 0 L * *", "    ^", "\"L\" is not a valid day of the month", "\(foreign) month"),
    Bad("0 0 l-3 * *", "    ^", "\"l\" is not a valid day of the month", "\(foreign) month"),
    Bad("0 0 15W * *", "    ^^^", "\"15W\" is not a valid day of the month", "\(foreign) month"),
    Bad("0 0 LW * *", "    ^^", "\"LW\" is not a valid day of the month", "\(foreign) month"),
    Bad("0 0 ? * 1", "    ^", "\"?\" is not a valid day of the month", "\(foreign) month"),
    Bad(
      "0 0 * * fri#2", "        ^^^^^", "\"fri#2\" is not a valid day of the week",
      "\(foreign) week"),
    Bad("0 0 * * 5L", "        ^^", "\"5L\" is not a valid day of the week", "\(foreign) week"),
    Bad(
      "0 0 * * friL", "        ^^^^", "\"friL\" is not a valid day of the week", "\(foreign) week"),
    Bad("0 0 * jul jul", "          ^^^", "\"jul\" is not a valid day of the week", weekdays),
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
    Bad("*/0 * * * *", "  ^", "\"0\" is not a valid step", minuteSteps),
    Bad("*/60 * * * *", "  ^^", "\"60\" is not a valid step", minuteSteps),
    Bad("*/x * * * *", "  ^", "\"x\" is not a valid step", minuteSteps),
    Bad("*/-5 * * * *", "  ^^", "\"-5\" is not a valid step", minuteSteps),
    Bad("*/5/2 * * * *", "  ^^^", "\"5/2\" is not a valid step", minuteSteps),
    Bad("*/ * * * *", " ^", "missing step after \"/\"", minuteSteps),
    Bad("0 */24 * * *", "    ^^", "\"24\" is not a valid step", "steps in hours are 1 to 23"),
    Bad(
      "0 0 * * */8", "          ^", "\"8\" is not a valid step",
      "steps in days of the week are 1 to 7"),
    Bad("5/10 * * * *", "^^^^", "\"5/10\" has a step but no range", "write \"5-59/10\""),
    Bad("1,5/10 * * * *", "  ^^^^", "\"5/10\" has a step but no range", "write \"5-59/10\""),
    Bad("0 0 * * mon/2", "        ^^^^^", "\"mon/2\" has a step but no range", "write \"mon-6/2\""),
    Bad("0 0 * * 7/2", "        ^^^", "\"7/2\" has a step but no range", "write \"7-7/2\""),
    Bad("/5 * * * *", "^^", "missing value before \"/\"", "write \"*/5\""),
    Bad("-5 * * * *", "^^", "\"-5\" is not a valid range", range),
    Bad("5- * * * *", "^^", "\"5-\" is not a valid range", range),
    Bad("1-2-3 * * * *", "^^^^^", "\"1-2-3\" is not a valid range", range),
    Bad("1,,2 * * * *", " ^", comma, list),
    Bad(",1 * * * *", "^", comma, list),
    Bad("0 1, * * *", "   ^", comma, list),
    Bad("0 , * * *", "  ^", comma, list),
    Bad(
      "", "", "the schedule is empty",
      "write five fields: minute hour day-of-month month day-of-week"),
    Bad(
      "  ", "^^", "the schedule is empty",
      "write five fields: minute hour day-of-month month day-of-week"),
    Bad("daily", "^^^^^", "expected 5 fields, found 1", five),
    Bad(" 0 0 * * ", " ^^^^^^^", "expected 5 fields, found 4", five),
    Bad("0 0 0 * * *", "^^^^^^^^^^^", "expected 5 fields, found 6", five),
    Bad("0 0 0 * * * 2026", "^^^^^^^^^^^^^^^^", "expected 5 fields, found 7", five),
    Bad("@reboot", "^^^^^^^", "\"@reboot\" is not a valid schedule", macros),
    Bad("@", "^", "\"@\" is not a valid schedule", macros),
    Bad("@Daily", "^^^^^^", "\"@Daily\" is not a valid schedule", "write \"@daily\""),
    Bad(
      "@daily 5 x", "       ^^^", "\"@daily\" is a complete schedule", "remove the text after it"),
    Bad(
      "0 0 30 2 *", "    ^^^^", "this schedule never occurs", "month \"2\" has no more than 29 days"
    ),
    Bad(
      "0 0 30,31 feb *", "    ^^^^^^^^^", "this schedule never occurs",
      "month \"feb\" has no more than 29 days"),
    Bad(
      "0 0 31 4,jun,9 *", "    ^^^^^^^^^^", "this schedule never occurs",
      "month \"4,jun,9\" has no more than 30 days"),
    Bad(
      "0 0 30 2 */2", "    ^^^^", "this schedule never occurs",
      "month \"2\" has no more than 29 days"),
  ]

  @Test(arguments: values + forms)
  func `an invalid expression is reported with its position and a fix`(bad: Bad) {
    let error = #expect(throws: CronError.self) { try CronExpression(bad.text) }
    let start = bad.carets.utf8.count - bad.carets.utf8.count { $0 == UInt8(ascii: "^") }
    #expect(error?.message == bad.message)
    #expect(error?.hint == bad.hint)
    #expect(error?.range == start..<bad.carets.utf8.count)
  }

  @Test(arguments: forms.filter { $0.hint?.hasPrefix("write \"") == true })
  func `the fix in a hint is valid`(bad: Bad) throws {
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
