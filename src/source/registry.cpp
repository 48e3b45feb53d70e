#include "source/registry.h"

#include "source/fdw/check.h"
#include "source/postgres/postgres_source.h"
#include "source/rest/rest_provider.h"

namespace pg_pull {
namespace {

constexpr Provider kProviders[] = {rest::provider, postgres::provider, fdw::provider};

}  // namespace

const Provider* find_provider(std::string_view name) {
    for (const Provider& provider : kProviders)
        if (provider.name == name) return &provider;
    return nullptr;
}

}  // namespace pg_pull
