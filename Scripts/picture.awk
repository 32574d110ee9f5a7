# Creates an animated SVG from captured terminal screens: each file is a frame, with escape
# sequences for colours. A row that occurs in several frames is written once. Without animation a
# frame near the middle is shown. Colours are attributes, which every viewer draws; the style sheet
# adds the dark theme and the animation.

BEGIN {
  step = 0.25       # seconds between two frames
  hold = 3          # seconds for which the last frame is shown
  width = 8.43; height = 18; margin = 14
  classOf[1] = "b"; classOf[2] = "d"; classOf[31] = "r"; classOf[32] = "g"; classOf[33] = "y"
  classOf[36] = "c"
  light["d"] = "#656d76"; light["r"] = "#cf222e"; light["g"] = "#1a7f37"; light["y"] = "#9a6700"; light["c"] = "#0969da"
}

FNR == 1 { end_frame(); count++; contents = ""; row = 0; style = ""; colour = "" }

{
  row++
  text = $0 ~ /^\$ *$/ ? "" : svg($0)  # omit the next prompt of the shell
  if (text != "") {
    if (!(text in name)) { name[text] = "t" ++names; body[names] = text }
    contents = contents "<use href=\"#" name[text] "\" y=\"" (row * height) "\"/>"
  }
}

END {
  end_frame()
  duration = (count - 1) * step + hold
  w = int(columns * width + 2 * margin); h = rows * height + 2 * margin
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" ", w, h, w, h
  print "role=\"img\" aria-label=\"reprise run release: a step fails and is restarted\">"
  print "<!-- Made by Scripts/picture from a real run. -->"
  print "<style>"
  print "@media(prefers-color-scheme:dark){rect{fill:#161b22}text{fill:#e6edf3}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#3fb950}.y{fill:#d29922}.c{fill:#58a6ff}}"
  print ".f{visibility:hidden}#f" still() "{visibility:visible}"
  print "@media(prefers-reduced-motion:no-preference){"
  print ".f{animation:" duration "s step-end infinite}"
  for (number = 1; number <= shown; number++) {
    from = 100 * at[number] / duration
    to = number < shown ? 100 * at[number + 1] / duration : 100
    printf "#f%d{animation-name:a%d}@keyframes a%d{0%%{visibility:%s}", number, number, number, (from > 0 ? "hidden" : "visible")
    if (from > 0) printf "%.3f%%{visibility:visible}", from
    if (to < 100) printf "%.3f%%{visibility:hidden}", to
    print "}"
  }
  print "}"
  print "</style>"
  print "<rect width=\"" w "\" height=\"" h "\" rx=\"8\" fill=\"#f6f8fa\"/>"
  print "<g fill=\"#1f2328\" font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" xml:space=\"preserve\">"
  print "<defs>"
  for (number = 1; number <= names; number++) print "<text id=\"t" number "\">" body[number] "</text>"
  print "</defs>"
  for (number = 1; number <= shown; number++)
    print "<g class=\"f\" id=\"f" number "\"" (number == still() ? "" : " visibility=\"hidden\"") " transform=\"translate(" margin " " (margin - 5) ")\">" frame[number] "</g>"
  print "</g>"
  print "</svg>"
}

# Adds a frame, unless it equals the previous one.
function end_frame() {
  if (count == 0 || contents == "" || contents == frame[shown]) return
  frame[++shown] = contents
  at[shown] = shown == 1 ? 0 : (count - 1) * step
}

# The frame that is shown without animation.
function still() { return int(shown * 0.6) }

# Converts a row to spans at their columns.
function svg(line,    result, column, part, codes, number, parts) {
  result = ""; column = 0
  while (match(line, /\033\[[0-9;]*m/)) {
    part = substr(line, 1, RSTART - 1)
    codes = substr(line, RSTART + 2, RLENGTH - 3)
    line = substr(line, RSTART + RLENGTH)
    result = result span(part, column)
    column += columns_of(part)
    parts = split(codes == "" ? "0" : codes, code, ";")
    for (number = 1; number <= parts; number++) {
      if (code[number] == 0) { style = ""; colour = "" }
      else if (code[number] == 39) colour = ""
      else if (code[number] == 22) style = ""
      else if (code[number] >= 30 && code[number] in classOf) colour = classOf[code[number]]
      else if (code[number] in classOf) style = classOf[code[number]]
    }
  }
  return result span(line, column)
}

function span(text, column,    before, class, fill) {
  before = text
  sub(/^ +/, "", text)
  column += length(before) - length(text)
  sub(/ +$/, "", text)
  if (text == "") return ""
  gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
  fill = colour != "" ? colour : style
  class = style (style != "" && colour != "" ? " " : "") colour
  return "<tspan x=\"" column * width "\"" (class != "" ? " class=\"" class "\"" : "") \
    (style == "b" ? " font-weight=\"bold\"" : "") (fill in light ? " fill=\"" light[fill] "\"" : "") ">" text "</tspan>"
}

# Counts the characters of a UTF-8 text, even if awk counts bytes.
function columns_of(text,    copy) {
  copy = text
  if (length("é") > 1) gsub(/[\200-\277]/, "", copy)
  return length(copy)
}
