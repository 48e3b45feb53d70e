#pragma once

// Which stored connection answers for an instance of a connector: the table of DESIGN.md section 6.1 as pure functions.
// A wrong answer sends one company's data with another company's token, so every doubt is a refusal, never a pick.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/connection/resolution.h"

namespace pg_pull {

/// The package that a stored connection names; nullopt: none.
using RowPackage = std::optional<std::string>;

enum class Answer : unsigned char {
    not_connected,
    row,       ///< exactly one row answers
    two_rows,  ///< conflict: more than one row could answer
    nobodys,   ///< conflict: under two holders a row names no package, or one that does not hold the name
};

struct Answering {
    Answer answer = Answer::not_connected;
    std::size_t row = 0;  ///< index, where answer is row
    [[nodiscard]] bool conflict() const noexcept { return answer == Answer::two_rows || answer == Answer::nobodys; }
};

/// `rows`: the packages of all rows of one (organization, name). `instance`: the package of the instance that asks.
[[nodiscard]] Answering answering_row(const NameFacts& facts, const RowPackage& instance,
                                      const std::vector<RowPackage>& rows);

/// What a connect does: adopts the one row that answers (stamping it with the instance's package), inserts one, or refuses.
struct ConnectStep {
    enum class Kind : unsigned char { insert, adopt, refuse } kind = Kind::insert;
    std::size_t row = 0;                 ///< adopt
    Answer conflict = Answer::two_rows;  ///< refuse
};
[[nodiscard]] ConnectStep connect_step(const NameFacts& facts, const RowPackage& instance,
                                       const std::vector<RowPackage>& rows);

/// The rows that a revoke deletes: every answering row, so with at most one holder all rows of the name (this is where a conflict
/// of two rows is cleared). Empty: not connected. Refuses nobody's row.
struct RevokeStep {
    bool refused = false;  ///< Answer::nobodys
    std::vector<std::size_t> rows;
};
[[nodiscard]] RevokeStep revoke_step(const NameFacts& facts, const RowPackage& instance,
                                     const std::vector<RowPackage>& rows);

/// Dispatch without an organization: over all organizations that have rows of the name, whoever asks.
struct OrganizationChoice {
    enum class Kind : unsigned char { none, one, one_in_conflict, several } kind = Kind::none;
    std::size_t organization = 0;  ///< index, where kind is one or one_in_conflict
};
[[nodiscard]] OrganizationChoice choose_organization(const NameFacts& facts, const RowPackage& instance,
                                                     const std::vector<std::vector<RowPackage>>& rows_by_organization);

/// The refusal of a conflict, for the door (PT409) or for dispatch (PT503). Offers bind only for a row that names no package.
[[nodiscard]] Error conflict_error(const NameFacts& facts, Answer conflict, const std::vector<RowPackage>& rows,
                                   const std::string& organization, bool at_dispatch);

}  // namespace pg_pull
