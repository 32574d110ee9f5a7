# Completes a manual page that the argument parser's tool has generated from a command's help: headings and
# examples in the description keep their lines, and page names have hyphens (`man reprise-run`).

{ $0 = hyphenated($0) }

# Each page claims the conventional exit status; the statuses of all commands are in reprise(1).
/^\.Sh "EXIT STATUS"$/ { skipped = 1; if (!isMain) print ".Sh EXIT STATUS\nSee\n.Xr reprise 1 ."; next }
skipped && /^\.Ex -std$/ { skipped = 0; next }

/^\.Dt REPRISE 1$/ { isMain = 1 }
/^\.Os$/ { print ".Os Reprise"; next }
inDescription && /^\.Bl / && !hasOptions++ { literal(0); print ".Ss OPTIONS" }
/^\.Sh / { literal(0); inDescription = ($2 == "DESCRIPTION"); print; next }
!inDescription || /^\./ { literal(0); print; next }
/^$/ { blank = 1; next }
/^[A-Z][A-Z ]+$/ { literal(0); print ".Ss " $0; blank = 0; next }
/^  / { literal(1); if (blank) print "\\&"; sub(/^  /, ""); print escaped($0); blank = 0; next }
{ literal(0); if (blank) print ".Pp"; print escaped($0); blank = 0 }

# A line that begins with a quote or a dot would be a macro.
function escaped(line) { return (line ~ /^[.']/ ? "\\&" : "") line }

# Starts or ends a block whose lines are kept as they are.
function literal(wanted) {
  if (wanted && !isLiteral) { print ".Bd -literal -offset indent"; blank = 0 }
  if (!wanted && isLiteral) { print ".Ed"; blank = 0 }
  isLiteral = wanted
}

function hyphenated(line) {
  while (match(line, /(reprise|REPRISE)\.[a-zA-Z]/))
    line = substr(line, 1, RSTART + 6) "-" substr(line, RSTART + 8)
  return line
}
