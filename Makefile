MODULE_big = commit_stats
here := $(dir $(firstword $(MAKEFILE_LIST)))
OBJS = $(WIN32RES) commit_stats.o \
	$(patsubst $(here)%.c,%.o,$(sort $(wildcard $(here)src/*/*.c)))
PGFILEDESC = "commit_stats - how commits share WAL flushes"

# The commit path calls functions of other files, which nothing interposes:
# these calls need not go through the procedure linkage table.
PG_CFLAGS = -fno-plt -fno-semantic-interposition
PG_CPPFLAGS = -I$(srcdir)/src

EXTENSION = commit_stats
DATA = commit_stats--1.0.sql

# SQL and isolation tests run against a server that preloads the library.
REGRESS = \
	setup \
	surface \
	settings \
	info \
	commits \
	read_only \
	two_phase \
	delay \
	timing \
	latency \
	flush_log \
	histogram \
	client_stats \
	statements \
	slow_log \
	database_stats \
	wal_stats \
	enabled \
	sample \
	rates \
	sweep \
	whatif \
	reset \
	report \
	privileges \
	cleanup
ISOLATION = \
	siblings \
	group_commit \
	no_leader \
	shared_statement \
	concurrent_reset
# TAP tests start servers of their own.
TAP_TESTS = 1
PROVE_TESTS ?= t/*.pl t/unit/*.pl

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(wildcard $(PGXS)),)
$(error "$(PG_CONFIG)" is not the pg_config of a PostgreSQL server and its headers. \
Install them (Debian: postgresql-server-dev-15 for PostgreSQL 15), \
or name another: make PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

# For a build outside of the source folder, as pg_buildext does
$(shell mkdir -p $(sort $(dir $(OBJS))))

# Debian's PGXS knows no headers, and shared structs stand in them
$(OBJS) $(OBJS:.o=.bc): $(wildcard $(here)src/*/*.h)

# Each finds the modules that tests share, here and in folders.
PG_PROVE_FLAGS += $(addprefix -I ,t \
	$(sort $(patsubst $(here)%/,%,$(dir $(wildcard $(here)t/*/*.pm)))))

# Name what is missing before the compiler fails.  make clean and make
# installcheck need none of it.
ifeq ($(wildcard $(includedir_server)/postgres.h),)
lacking = The headers of PostgreSQL $(MAJORVERSION) are not in $(includedir_server). \
	Install them (Debian: postgresql-server-dev-$(MAJORVERSION))
else ifeq ($(shell command -v $(firstword $(CC)) 2>/dev/null),)
lacking = There is no $(CC). Install a C compiler (Debian: gcc and libc6-dev), or name yours with make CC=COMPILER
else ifeq ($(with_llvm)$(shell command -v $(firstword $(CLANG)) 2>/dev/null),yes)
lacking = There is no $(CLANG), which this PostgreSQL wants for its JIT. \
	Install it, or do without: make with_llvm=no, and the same for make install
endif
ifdef lacking
.PHONY: say-what-is-lacking
say-what-is-lacking:
	$(error $(lacking))
$(OBJS): say-what-is-lacking
endif

# The archive for PGXN, of the last commit.  PGXN's versions have three
# numbers.
DIST = $(EXTENSION)-$(shell sed -n "s/^default_version = '\(.*\)'/\1.0/p" commit_stats.control)

dist:
	git archive --format=zip --prefix=$(DIST)/ -o $(DIST).zip HEAD
.PHONY: dist
