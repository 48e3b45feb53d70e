#pragma once

#include <functional>

namespace pg_pull::pg {

/// Runs `body`, which only reads, in a subtransaction that is rolled back, so that no lock of what it read stays: a caller waits
/// long, and DROP EXTENSION or a change of the catalog would wait as long for him. Errors pass.
void peek(const std::function<void()>& body);

}  // namespace pg_pull::pg
