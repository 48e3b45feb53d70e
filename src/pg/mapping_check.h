#pragma once

#include "pg/catalog.h"

namespace pg_pull::pg {

/// Judges a whole definition as its owner would run it: its own words, connector, source and target, and the other mappings on
/// that target. Fills `scope` with its default unless `scope_said`. Takes locks until the transaction ends, so that what was
/// judged still holds when it is written. Raises; shows NOTICEs for what is allowed and yet unwise.
/// Needs a transaction, an Spi scope and a pinned search_path; runs as the caller.
void check_mapping(const Extension& extension, MappingRow& mapping, bool scope_said);

}  // namespace pg_pull::pg
