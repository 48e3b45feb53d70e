# make, make install, make installcheck   the ordinary PGXS build, against the PostgreSQL of $(PG_CONFIG)
# make demo, make test                    install what is missing, then show, or check, everything (see scripts/)
# make lint, make format-check            clang-tidy and clang-format

EXTENSION  = pg_pull
MODULE_big = pg_pull
# The one place of the version number is default_version in pg_pull.control.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" pg_pull.control)

# Compiled in a few groups (scripts/unity.sh), or each file for itself with UNITY=0.
UNITY      ?= 1
ifeq ($(UNITY),0)
OBJS       = $(patsubst src/%.cpp,build/obj/%.o,$(sort $(shell find src -name '*.cpp')))
else
OBJS       = $(foreach layer,core source pg,$(patsubst build/unity/%.cpp,build/obj/$(layer)/unity/%.o,\
               $(shell bash scripts/unity.sh build/unity $(layer))))
endif
DATA       = $(wildcard sql/pg_pull--*.sql)
DATA_built = pg_pull--$(EXTVERSION).sql
EXTRA_CLEAN = build/obj build/unity pg_pull--*.sql

SHLIB_LINK = -Wl,--version-script=exports.map -lstdc++ -lcurl -lpq -lsimdjson -lsodium -lcrypto

REGRESS        := $(sort $(basename $(notdir $(wildcard test/sql/*.sql))))
REGRESS_OPTS   := --inputdir=test --outputdir=. --load-extension=pg_pull
ISOLATION      := $(sort $(basename $(notdir $(wildcard test/isolation/specs/*.spec))))
ISOLATION_OPTS := --inputdir=test/isolation --outputdir=build/isolation --load-extension=pg_pull

.DEFAULT_GOAL := all
.PHONY: demo test lint format-check
demo test lint format-check:
	@MAKEFLAGS= bash scripts/$@.sh

# These four work before PostgreSQL is installed; everything else needs its build system.
ifneq (,$(filter-out demo test lint format-check,$(or $(MAKECMDGOALS),all)))

# JIT bitcode would need a second compiler with its own flags, and serves inlining only.
override with_llvm := no
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Only src/pg sees the server's headers, only it and src/source see libpq's.
CCACHE     := $(shell command -v ccache)
server_dirs := $(includedir_server) $(includedir_internal)
cpp_flags   = -Isrc -DPG_PULL_VERSION='"$(EXTVERSION)"' $(filter-out -I%,$(CPPFLAGS))
cxx_flags   = -std=c++20 $(filter-out -W%,$(CXXFLAGS)) -Wall -Wextra -Wformat -Wformat-security -fPIC -fno-semantic-interposition \
              -fvisibility-inlines-hidden $(COPT)
build/obj/source/%.o: cpp_flags += -isystem $(includedir)
build/obj/pg/%.o: cpp_flags += -isystem $(includedir) $(addprefix -isystem ,$(server_dirs))
# The server's headers say register, and ++ on what is volatile; the compilers name the second warning differently.
build/obj/pg/%.o: cxx_flags += -Wno-register $(if $(findstring clang,$(CXX)),-Wno-deprecated-volatile,-Wno-volatile)

# Compiled anew when this file changes, since the flags stand here.
build/obj/%.o: src/%.cpp Makefile
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(cxx_flags) $(cpp_flags) -MMD -MP -c -o $@ $<

build/obj/core/unity/%.o build/obj/source/unity/%.o build/obj/pg/unity/%.o: build/unity/%.cpp Makefile
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(cxx_flags) $(cpp_flags) -MMD -MP -c -o $@ $<

-include $(OBJS:.o=.d)

$(shlib): exports.map

pg_pull--$(EXTVERSION).sql: $(sort $(wildcard sql/[0-9]*.sql)) pg_pull.control
	cat $(filter %.sql,$^) > $@

installcheck: | build/isolation
build/isolation:
	@mkdir -p $@

endif
