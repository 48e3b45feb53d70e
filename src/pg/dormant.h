#pragma once

#include "pg/schema.h"

namespace pg_pull::pg {

/// Raises `dormant` where pg_pull.dormant is on: this server is a copy of another, and no request leaves it.
void refuse_dormant_server();

/// Also where this database is a copy (its oid is not that of the database whose connections it holds): what uses up a token
/// of the original is left to the original, until sync_connection_claim(). Needs a transaction and an Spi scope.
void refuse_dormant(const Extension& extension);

}  // namespace pg_pull::pg
