"""Makefiles that make and their imports run in the same way."""

from cases import Case

FILE = "Makefile"

CASES = [
    Case("the default goal alone", "all:\n\ttouch made\nclean:\n\ttouch cleaned\n"),
    Case("a target that is no file", "all: note\nnote: ; @echo noted > log\n"),
    Case("a folder as an order-only prerequisite",
         "out/a: | out\n\techo a > $@\nout: ; mkdir -p out\n", runs=2),
    Case("a replacement in a reference",
         "OUT = out\nall:\n\tmkdir -p x out/build && touch x/keep out/build/gone\n"
         "\trm -rf $(OUT:%=%/build)/*\n"),
    Case("suffixes", "SRCS = a.c b.c\nOBJS := $(SRCS:.c=.o)\napp: $(OBJS)\n\tcat $^ > $@\n"
         "%.o: %.c\n\tcp $< $@\n", files={"a.c": "a\n", "b.c": "b\n"}, runs=2),
    Case("files that match", "all: $(patsubst src/%.txt,out/%.up,$(wildcard src/*.txt))\n"
         "out/%.up: src/%.txt\n\t@mkdir -p $(@D)\n\ttr a-z A-Z < $< > $@\n",
         files={"src/a.txt": "a\n", "src/b.txt": "b\n"}),
    Case("conditions", "MODE = fast\nifeq ($(MODE),fast)\nF = 1\nelse ifeq ($(MODE),slow)\nF = 2\n"
         "else\nF = 3\nendif\nifdef MODE\nG = yes\nendif\nall:\n\techo $(F) $(G) > log\n"),
    Case("the system", "UNAME := $(shell uname -s)\nifeq ($(UNAME),Linux)\nX = linux\nelse\nX = o\n"
         "endif\nall:\n\techo $(X) > log\n"),
    Case("variables of a target", "F = a\nall: F += b\nall: sub\n\techo $(F) > log\n"
         "sub:\n\techo $(F) > sub.log\n"),
    Case("exported variables", "export X = yes\nY = no\nall:\n\techo \"$$X-$$Y\" > log\n"),
    Case("an exported path", "export PATH := $(CURDIR)/bin:$(PATH)\nall:\n\thello > log\n",
         files={"bin/hello": "#!/bin/sh\necho hello\n"}),
    Case("errors that are ignored", "all:\n\t-false\n\t@-rm none\n\ttouch made\n"),
    Case("an error ends it", "all: a b\na:\n\tfalse\nb:\n\ttouch b\n"),
    Case("each line has a shell of its own",
         "all:\n\tcd sub; X=1; touch in\n\ttouch out$$X\n\tfalse; touch after\n",
         files={"sub/x": ""}),
    Case("lines that continue", "all:\n\tfor i in 1 2; do \\\n\t  echo $$i \\\n\t    x >> log; \\\n\tdone\n"
         "\tprintf '%s' 'a\\\n\tb' > text\n"),
    Case("one shell", ".ONESHELL:\nall:\n\tcd sub\n\tX=1\n\tfalse\n\ttouch in$$X\n",
         files={"sub/x": ""}),
    Case("bash", "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\nall:\n"
         "\t[[ a == a ]] && touch yes\n\tfalse | true\n\ttouch no\n"),
    Case("a shell with options", "SHELL := /usr/bin/env bash -o pipefail\nall:\n\tfalse | true\n"
         "\ttouch no\n"),
    Case("quotes", "V = a b\nall:\n\techo '$(V)' \"$(V)\" $(V) 'it'\"'\"'s $(HOME)' > log\n"
         "\tawk 'BEGIN { print \"$(V)\" }' >> log\n"),
    Case("a value with quotes", "V = -DX=\"a b\" '*'\nall:\n\tprintf '[%s]' $(V) > log\n"),
    Case("defined commands", "define greet\n@echo hello $(1) >> log\n@echo bye $(1) >> log\nendef\n"
         "all:\n\t$(call greet,you)\n\t$(foreach n,a b,touch $(n);)\n"),
    Case("up to date", "all: b\nb: a\n\techo made >> log; cp a b\n", files={"a": "1"}, runs=2),
    Case("a prerequisite that is no file", "b: FORCE\n\techo made >> log; touch b\nFORCE:\n", runs=2),
    Case("a diamond", ".PHONY: all a b c\nall: a b\na: c\n\techo a >> log\nb: c\n\techo b >> log\n"
         "c:\n\techo c >> log\n"),
    Case("a target of a phony one", ".PHONY: all test\nall: x\nx:\n\ttouch x\ntest: all\n\ttouch t\n",
         goal="test"),
    Case("another goal", "all:\n\ttouch all\nclean:\n\trm -f junk\n", goal="clean",
         files={"junk": ""}),
    Case("the folder", "D := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))\nall:\n"
         "\tcd sub && touch $(CURDIR)/a $(D)b\n", files={"sub/x": ""}),
    Case("functions", "L = b a c\nall:\n\techo $(sort $(L)) $(words $(L)) $(word 2,$(L)) "
         "$(filter-out a,$(L)) $(subst b,x,$(L)) $(addprefix p/,$(L)) $(notdir x/y.z) "
         "$(basename x/y.z) $(suffix x/y.z) $(if $(L),yes,no) $(or ,z) $(join a b,1 2) > log\n"),
    Case("later values", "A = $(B)\nB = 1\nC := $(B)\nB = 2\nall:\n\techo $(A) $(C) > log\n"),
    Case("rules of make", "main: util.o\n", check=["main"],
         files={"main.c": "int main(void){return 0;}\n", "util.c": "int u;\n"}),
    Case("an included file", "include config.mk\nall:\n\techo $(NAME) > log\n-include none.d\n",
         files={"config.mk": "NAME = it\n"}),
    Case("a missing source", "all: none\n\ttouch all\n"),
    Case("deleted after an error", ".DELETE_ON_ERROR:\na:\n\techo half > a\n\tfalse\n"),
    Case("an output of a command", "V := $(shell cat VERSION)\nall:\n\techo $(V)-$(shell echo x) > log\n",
         files={"VERSION": "1.2\n"}),
    # Parts that cannot be translated fail, and nothing else runs in their place.
    Case("a variable that is not defined", "all:\n\ttouch keep$(NONE)/x || touch wrong\n",
         arguments=((), ("-p", "NONE="))),
    Case("a variable that is not defined, with a value",
         "V := -x $(EXTRA)\nall: a\n\techo \"$(NAME)\" '$(NAME)' $(V) > log\n"
         "a: ; echo $(NAME) > $@\n",
         arguments=(("NAME=a b", "EXTRA=1 2"), ("-p", "NAME=a b", "-p", "EXTRA=1 2"))),
    Case("a variable that is not defined, which another target needs",
         "all: ; touch all\nclean: ; rm -rf $(DIR)/*\n", check=["all"]),
    Case("a command that begins with a variable that is not defined",
         "all:\n\t$(DO) sub\n\ttouch here\n", files={"sub/a": ""},
         arguments=(("DO=cd",), ("-p", "DO=cd"))),
    Case("a variable that is not defined before a command",
         "all:\n\t$(Q)touch a\n", fails=True),
    Case("a variable that is not defined in a command",
         "all:\n\ttouch $(shell echo $(NONE)x)\n", fails=True),
    Case("a variable that is used before it is defined",
         "V := $(NONE)x\nNONE = y\nall:\n\ttouch $(V)\n", fails=True),
    Case("a variable in a command of $(shell)",
         "A = x\nall:\n\ttouch $(shell echo $(A)1)\n"),
    Case("a variable that a condition has asked for",
         "ifdef NONE\nX = 1\nelse\nX = 2\nendif\nall:\n\ttouch $(X)$(NONE)\n", fails=True),
    Case("a condition on a command", "ifeq ($(shell id -u),77)\nF = a\nelse\nF = b\nendif\nall:\n"
         "\ttouch $(F)\n"),
    Case("variables of a pattern", "%.x: F = 1\nall: a.x\na.x:\n\techo $(F) > $@\n"),
    Case("lines of a command", "V := $(shell printf 'a\\nb')\nexport W := $(shell printf 'c\\nd')\n"
         "all:\n\techo \"$(V)\" '$(V)' $(V) \"$$W\" > log\n"),
    Case("evaluated rules", "$(eval X = 1)\nall:\n\ttouch x$(X)\n"),
    Case("another shell", "SHELL = /usr/bin/python3\nall:\n\topen('x', 'w')\n", fails=True),
    Case("a process in the background", "all:\n\tsleep 3 &\n\ttouch x\n", fails=True),
]
