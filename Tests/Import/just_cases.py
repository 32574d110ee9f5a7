"""Justfiles that just and their imports run in the same way."""

from cases import Case

FILE = "justfile"

CASES = [
    Case("the first recipe alone", "all:\n  touch made\n\nclean:\n  touch cleaned\n"),
    Case("another recipe", "all:\n  touch made\n\nclean:\n  touch cleaned\n", goal="clean"),
    Case("dependencies once, before and after",
         "all: a b && z\n  echo all >> log\n\na: c\n  echo a >> log\n\nb: c\n  echo b >> log\n\n"
         "c:\n  echo c >> log\n\nz:\n  echo z >> log\n"),
    Case("arguments of dependencies", "all: (say \"a\") (say \"b\")\n\nsay what:\n  touch {{what}}\n"),
    Case("variables", "x := \"a b\"\ny := x + \"-\" + `echo c`\nall:\n"
         "  echo '{{x}}' {{y}} {{if x == \"a b\" { \"yes\" } else { \"no\" }}} {{uppercase(x)}} > log\n"),
    Case("exported variables", "export X := \"it\"\nY := \"no\"\nall:\n  echo \"$X-${Y:-}\" > log\n"),
    Case("parameters", "all name=\"you\" $other=\"me\":\n  echo {{name}} $other > log\n"),
    Case("prefixes", "all:\n  -false\n  @touch made\n  @-rm none\n"),
    Case("the first failure ends it", "all:\n  false\n  touch wrong\n"),
    Case("each line has a shell of its own",
         "all:\n  cd sub && touch in\n  touch out\n  false; touch after\n", files={"sub/x": ""}),
    Case("a script", "all:\n  #!/usr/bin/env bash\n  X=1\n  touch s$X\n"),
    Case("another shell", "set shell := [\"bash\", \"-c\"]\nall:\n  [[ a == a ]] && touch yes\n"),
    Case("lines that continue", "all:\n  for i in 1 2; do \\\n    touch f$i; \\\n  done\n"),
    Case("a variable that is not set in a shell", "all:\n  echo $NONE\n  touch wrong\n"),
    Case("the folder", "all:\n  cd sub && touch {{justfile_directory()}}/here\n", files={"sub/x": ""}),
    Case("dotenv", "set dotenv-load\nall:\n  echo $A > log\n", files={".env": "A=1\n"}),
    Case("an unknown function", "all:\n  touch x{{uuid()}}\n", fails=True),
    Case("an unknown setting", "set working-directory := \"sub\"\nall:\n  touch x\n",
         files={"sub/x": ""}, fails=True),
    Case("an unknown attribute", "[no-cd]\nall:\n  touch x\n", fails=True),
]
