// Cron expressions: sets of minutes, hours, days and months.

/// A schedule in the syntax of crontab(5).
///
/// There are five fields, separated by blanks: `minute hour day-of-month month day-of-week`. A
/// field is a comma-separated list of
/// - `*`: every value;
/// - a value: a number, or the first three letters of an English month or day in any case (`jan`,
///   `MON`); 0 and 7 are Sunday;
/// - a range such as `1-5`, including both ends;
/// - `*` or a range with a step: `*/15`, `10-40/10`. Steps restart in each hour, day, month or
///   year, so `*/25` matches 0, 25 and 50.
///
/// Instead of the fields, the text can be `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`,
/// `@yearly` or `@annually`. Seconds, years and `L`, `W`, `#` and `?` are not supported.
///
/// **Days.** If both day fields are restricted, a day matches if either of them matches: `0 9 1 *
/// mon` is the first of each month and every Monday. As in crontab(5), a field that begins with `*`
/// is not restricted, even if it has a step; then both fields must match: `0 9 */2 * mon` is every
/// Monday with an odd date, and `0 9 1-31/2 * mon` is every odd date and every Monday.
///
/// **Time zones.** `Documentation/triggers.md` describes what happens when clocks change.
///
/// Two expressions are equal if they have the same text.
public struct CronExpression: Sendable, Equatable {
  /// The source text.
  public let text: String
  /// The minutes as bits 0 to 59.
  let minutes: UInt64
  /// The hours as bits 0 to 23.
  let hours: UInt64
  /// The days of the month as bits 1 to 31.
  let daysOfMonth: UInt64
  /// The months as bits 1 to 12.
  let months: UInt64
  /// The days of the week as bits 0 (Sunday) to 6.
  let daysOfWeek: UInt64
  /// Whether a day matches if either day field matches, instead of both.
  let eitherDayMatches: Bool
  /// Whether neither the minute nor the hour field begins with `*`; a clock change then neither
  /// skips nor repeats an occurrence.
  let isFixedTime: Bool

  /// Parses an expression.
  ///
  /// Linear in the length of the text.
  ///
  /// - Parameter text: The five fields, or a name that begins with `@`.
  /// - Throws: ``CronError`` for the first error, including a day that does not occur in any month
  ///   of the expression, such as 30 February.
  public init(_ text: String) throws(CronError) {
    let parser = CronParser(text)
    let fields = try parser.fields()
    self.text = text
    minutes = fields[0].mask
    hours = fields[1].mask
    daysOfMonth = fields[2].mask
    months = fields[3].mask
    daysOfWeek = fields[4].mask
    eitherDayMatches = !fields[2].beginsWithStar && !fields[4].beginsWithStar
    isFixedTime = !fields[0].beginsWithStar && !fields[1].beginsWithStar

    // Every existing date, even 29 February, falls on each day of the week in some year.
    let chosen = (1...12).filter { months & 1 << UInt64($0) != 0 }
    let daysMax: Int = chosen.map { CivilDate.daysMax(inMonth: $0) }.max() ?? 0
    guard eitherDayMatches || daysOfMonth.trailingZeroBitCount <= daysMax else {
      let range = fields[2].range.lowerBound..<fields[3].range.upperBound
      let month = String(decoding: Array(text.utf8)[fields[3].range], as: UTF8.self)
      throw CronError(
        message: "this schedule never occurs",
        hint: "month \"\(month)\" has no more than \(daysMax) days", range: range)
    }
  }
}
