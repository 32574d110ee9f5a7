// A cron expression as sets of minutes, hours, days and months. Knows no clock and no time zone.

/// The times at which something is to happen, as crontab(5) writes them.
///
/// There are five fields, with blanks between them: `minute hour day-of-month month day-of-week`.
/// A field is a list with commas of
/// - `*`, which is every value;
/// - a value: a number, or the first three letters of an English month or day in either case
///   (`jan`, `MON`); 0 and 7 are Sunday;
/// - a range such as `1-5`, both ends included;
/// - `*` or a range with a step: `*/15`, `10-40/10`. A step begins anew in each hour, day, month or
///   year, so `*/25` is at 0, 25 and 50.
///
/// Instead of the fields there may be `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`,
/// `@yearly` or `@annually`. There are no seconds, no years and no `L`, `W`, `#` or `?`.
///
/// **Days.** When both day fields are restricted, a day matches when either of them does:
/// `0 9 1 * mon` is the first of each month and every Monday. As in crontab(5), a field that begins
/// with `*` is not restricted, also when it has a step; then both must match: `0 9 */2 * mon` is
/// the Mondays with an odd date, and `0 9 1-31/2 * mon` the odd dates and all Mondays.
///
/// **Time zones.** `Documentation/triggers.md` tells what comes when clocks are changed.
///
/// Two expressions are equal when they have the same text.
public struct CronExpression: Sendable, Equatable {
  /// The text that was read.
  public let text: String
  /// The minutes as bits 0 to 59.
  let minutes: UInt64
  /// The hours as bits 0 to 23.
  let hours: UInt64
  /// The days of the month as bits 1 to 31.
  let daysOfMonth: UInt64
  /// The months as bits 1 to 12.
  let months: UInt64
  /// The days of the week as bits 0, which is Sunday, to 6.
  let daysOfWeek: UInt64
  /// Whether a day matches when either day field does, instead of both.
  let eitherDayMatches: Bool
  /// Whether neither the minute nor the hour begins with `*`; then no change of clocks loses or
  /// doubles what comes.
  let isFixedTime: Bool

  /// Reads an expression.
  ///
  /// It takes time in proportion to the text.
  ///
  /// - Parameter text: The five fields, or one of the names that begin with `@`.
  /// - Throws: ``CronError`` for the first mistake; also for a day that no month of the expression
  ///   has, such as 30 February.
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

    // Any date that there is falls on each day of the week in some year, also 29 February.
    let chosen = (1...12).filter { months & 1 << UInt64($0) != 0 }
    let daysMax: Int = chosen.map { CivilDate.daysMax(inMonth: $0) }.max() ?? 0
    guard eitherDayMatches || daysOfMonth.trailingZeroBitCount <= daysMax else {
      let range = fields[2].range.lowerBound..<fields[3].range.upperBound
      let month = String(decoding: Array(text.utf8)[fields[3].range], as: UTF8.self)
      throw CronError(
        message: "this never comes",
        hint: "month \"\(month)\" has no more than \(daysMax) days", range: range)
    }
  }
}
