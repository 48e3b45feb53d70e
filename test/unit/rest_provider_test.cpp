#include <gtest/gtest.h>

#include "source/registry.h"

namespace pg_pull {
namespace {

using nlohmann::json;

TEST(Registry, KnowsTheProvidersOfThisVersion) {
    for (const char* name : {"rest", "postgres", "fdw"}) {
        ASSERT_NE(find_provider(name), nullptr) << name;
        EXPECT_EQ(find_provider(name)->name, name);
    }
    EXPECT_EQ(find_provider("fdw")->open, nullptr);
    EXPECT_EQ(find_provider("openapi"), nullptr);
    EXPECT_EQ(find_provider(""), nullptr);
}

class RestProvider : public ::testing::Test {
protected:
    static Error connector(const json& config, const json& auth = nullptr) {
        auto result = find_provider("rest")->check_connector(config, auth);
        return result.ok() ? Error{} : result.error();
    }
    static Error source(const json& source, const json& pagination = nullptr, const json& more = json::object()) {
        json config = {{"base_url", "https://shop.example"}};
        config.update(more);
        auto result = find_provider("rest")->check_source(config, source, pagination);
        return result.ok() ? Error{} : result.error();
    }
};

TEST_F(RestProvider, ChecksConnectorsWhenTheyAreStored) {
    EXPECT_EQ(connector({{"base_url", "https://shop.example"}}).reason, Reason::none);
    EXPECT_EQ(connector({{"base_url", "https://shop.example"}, {"timeout", 1}}).reason, Reason::unknown_key);
    EXPECT_EQ(connector(json::object()).reason, Reason::invalid_configuration);
    EXPECT_EQ(connector({{"base_url", "ftp://shop.example"}}).reason, Reason::invalid_configuration);
    EXPECT_EQ(connector({{"base_url", "https://shop.example"}}, {{"type", "bearer"}, {"token", "abc"}}).reason,
              Reason::credential_literal);
}

TEST_F(RestProvider, ChecksSourceAndPaginationTogether) {
    EXPECT_EQ(source({{"path", "/items"}}, {{"type", "link_header"}}).reason, Reason::none);
    EXPECT_EQ(source({{"path", "/items"}, {"pth", 1}}).reason, Reason::unknown_key);
    EXPECT_EQ(source({{"path", "/items"}}, {{"type", "pages"}}).reason, Reason::invalid_configuration);
    EXPECT_EQ(source({{"path", "/items"}, {"decoder", "csv"}}).code(), "0A000");
    EXPECT_EQ(source({{"path", "/x"}, {"decoder", "ndjson"}, {"records_path", "a"}}).reason,
              Reason::invalid_configuration);
    EXPECT_EQ(source({{"path", "/x"}, {"decoder", "ndjson"}}, {{"type", "next_url"}, {"path", "next"}}).reason,
              Reason::invalid_configuration);
    EXPECT_EQ(source({{"path", "/x"}, {"decoder", "ndjson"}}, {{"type", "link_header"}}).reason, Reason::none);
    // the connector's default pagination counts where the mapping declares none
    EXPECT_EQ(source({{"path", "/x"}, {"decoder", "ndjson"}}, nullptr,
                     {{"pagination", {{"type", "next_url"}, {"path", "n"}}}})
                  .reason,
              Reason::invalid_configuration);
}

}  // namespace
}  // namespace pg_pull
