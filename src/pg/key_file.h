#pragma once

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/secret.h"

namespace pg_pull::pg {

/// The text of the file; nullopt where there is none. key_unavailable, naming the file, where it cannot be read or others than the
/// server's account (or its group, for a file of root's) may read it.
Result<std::optional<Secret>> read_key_file(const std::string& path);

/// Writes the text beside the file, readable by its owner only, and puts it in its place once it is on disk. `replace` false: a file that
/// is there stays, and false is returned. The caller sees to it that only one process writes.
Result<bool> write_key_file(const std::string& path, const Secret& text, bool replace);

}  // namespace pg_pull::pg
