#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pg_pull::pg {

/// Pages that outlive the transaction in which they were made: a temporary file of the server (temp_tablespaces and
/// temp_file_limit apply), buffered in memory by a few kB. No table, no catalog entry, no WAL; removed with this object, and
/// by the server itself when the process ends otherwise.
class Spool {
public:
    Spool() = default;
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    /// All appends, and rewind() after them, within one transaction.
    void append(const std::string& page);
    void rewind();
    /// The pages in order, once rewound; needs no transaction.
    std::optional<std::string> next();

private:
    struct File;
    File* file_ = nullptr;  ///< lives in a memory context of its own
    std::uint64_t unread_ = 0;
};

}  // namespace pg_pull::pg
