#pragma once

struct BackgroundWorker;

namespace pg_pull::pg {

/// Fills in what all our dynamic workers have in common. `function` is its main in this library, `title` its name for people.
/// Raises nothing.
void describe_worker(BackgroundWorker* worker, const char* function, const char* title) noexcept;

}  // namespace pg_pull::pg
