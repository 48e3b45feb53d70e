#pragma once

// Which declared entry a connector's name means: the rules of DESIGN.md section 6.1 as pure functions. Whoever calls them reads
// holders and entries anew at each request; an answer is never kept.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace pg_pull {

/// The stamp of an entry that came without one: its package is judged by resolution at each request.
inline constexpr std::string_view kRuntimePackage = "__runtime__";

enum class ResolutionState : unsigned char {
    none,         ///< nobody declares the name
    environment,  ///< no package holds it, but there is an entry
    one,          ///< one package holds it
    refused,      ///< two or more packages hold it
};

[[nodiscard]] std::string_view to_text(ResolutionState state) noexcept;

/// What is known of one connector name. Holders are the installed packages whose stack declares it, disabled ones included;
/// no package twice. An entry that no stack declares makes no holder, whatever its stamp says.
struct NameFacts {
    std::string name;
    std::vector<std::string> holders;
    std::vector<std::optional<std::string>> entries;  ///< stamp of each declared entry; nullopt: the environment's
};

[[nodiscard]] ResolutionState resolve_name(const NameFacts& facts) noexcept;

/// The package of the instance whose entry bears `stamp`; nullopt: none. For an absent stamp or kRuntimePackage it is the
/// package that the name resolves to, except that the environment's own entry (nullopt) never belongs to one.
[[nodiscard]] std::optional<std::string> instance_package(const NameFacts& facts,
                                                          const std::optional<std::string>& stamp);

/// The door: the index of the entry in facts.entries that the name addresses, with or without a `package` named by the caller.
/// Refuses with connector_not_registered, or name_ambiguous where the caller has to name a package (or none can be chosen).
Result<std::size_t> address_entry(const NameFacts& facts, const std::optional<std::string>& package);

}  // namespace pg_pull
