MODULE_big = commit_stats
OBJS = \
	$(WIN32RES) \
	commit_stats.o \
	src/backend_slots.o \
	src/commit_path.o \
	src/delay_evidence.o \
	src/flush_groups.o \
	src/flush_logger.o \
	src/own_flush.o \
	src/shared_memory.o \
	src/siblings.o \
	src/views.o
PGFILEDESC = "commit_stats - how commits share WAL flushes"

EXTENSION = commit_stats
DATA = commit_stats--1.0.sql

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
