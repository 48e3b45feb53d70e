#include "core/connection/resolution.h"

#include <algorithm>

namespace pg_pull {
namespace {

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& name : names) list.append(list.empty() ? "" : ", ").append(in_quotes(name));
    return list;
}

std::optional<std::size_t> entry_stamped(const NameFacts& facts, std::string_view stamp) {
    const auto at = std::find_if(facts.entries.begin(), facts.entries.end(),
                                 [&](const auto& entry) { return entry && *entry == stamp; });
    if (at == facts.entries.end()) return std::nullopt;
    return static_cast<std::size_t>(at - facts.entries.begin());
}

Error not_registered(const NameFacts& facts) {
    return fail(Reason::connector_not_registered, "connector " + in_quotes(facts.name) + " is not registered");
}

Result<std::size_t> entry_of_package(const NameFacts& facts, const std::string& package) {
    const bool holds = std::find(facts.holders.begin(), facts.holders.end(), package) != facts.holders.end();
    if (!holds)
        return fail(Reason::connector_not_registered,
                    "package " + in_quotes(package) + " does not declare connector " + in_quotes(facts.name))
            .with_hint(facts.holders.empty() ? "No installed package declares it; leave the package out."
                                             : "It is declared by " + list_of(facts.holders) + ".");
    if (const auto own = entry_stamped(facts, package)) return *own;
    // its instance may stand in an entry that came without a stamp
    if (facts.holders.size() == 1)
        if (const auto unstamped = entry_stamped(facts, kRuntimePackage)) return *unstamped;
    return not_registered(facts);
}

}  // namespace

std::string_view to_text(ResolutionState state) noexcept {
    switch (state) {
        case ResolutionState::none:
            return "none";
        case ResolutionState::environment:
            return "environment";
        case ResolutionState::one:
            return "one";
        case ResolutionState::refused:
            return "refused";
    }
    return "";
}

ResolutionState resolve_name(const NameFacts& facts) noexcept {
    if (facts.holders.size() > 1) return ResolutionState::refused;
    if (facts.holders.size() == 1) return ResolutionState::one;
    return facts.entries.empty() ? ResolutionState::none : ResolutionState::environment;
}

std::optional<std::string> instance_package(const NameFacts& facts, const std::optional<std::string>& stamp) {
    if (!stamp || *stamp != kRuntimePackage) return stamp;
    if (resolve_name(facts) == ResolutionState::one) return facts.holders.front();
    return std::nullopt;
}

Result<std::size_t> address_entry(const NameFacts& facts, const std::optional<std::string>& package) {
    if (package) return entry_of_package(facts, *package);
    if (resolve_name(facts) == ResolutionState::refused)
        return fail(Reason::name_ambiguous,
                    "connector " + in_quotes(facts.name) + " is declared by more than one package")
            .with_detail("It is declared by " + list_of(facts.holders) + ".");
    if (!facts.holders.empty())
        if (const auto held = entry_stamped(facts, facts.holders.front())) return *held;
    if (facts.entries.empty()) return not_registered(facts);
    if (facts.entries.size() > 1)
        return fail(Reason::name_ambiguous, "connector " + in_quotes(facts.name) + " has more than one entry")
            .with_detail("No installed package holds the name, so none of its entries goes first.")
            .with_hint("Drop all but one of them.");
    return std::size_t{0};
}

}  // namespace pg_pull
