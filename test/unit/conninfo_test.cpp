#include "source/postgres/conninfo.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "source/postgres/endpoint.h"
#include "source/postgres/postgres_source.h"

namespace pg_pull::postgres {
namespace {

using nlohmann::json;

Reason refusal(const std::string& conninfo, bool superuser) {
    const auto checked = check_conninfo(conninfo, superuser);
    return checked.ok() ? Reason::none : checked.error().reason;
}

TEST(Conninfo, TakesPairsAndUris) {
    EXPECT_EQ(refusal("host=db.example.com port=5433 dbname=shop user=reader sslmode=verify-full", false),
              Reason::none);
    EXPECT_EQ(refusal("postgresql://reader@db.example.com:5433/shop?sslmode=require&connect_timeout=5", false),
              Reason::none);
    EXPECT_EQ(refusal("host=a,b port=1,2 user=reader target_session_attrs=prefer-standby", false), Reason::none);
}

TEST(Conninfo, RefusesAPasswordInAnyForm) {
    for (const char* text : {"host=a user=b password=secret", "postgresql://b:secret@a/c",
                             "host=a user=b sslpassword=x", "postgresql://a/c?user=b&password=secret"}) {
        EXPECT_EQ(refusal(text, true), Reason::credential_literal) << text;
        EXPECT_EQ(refusal(text, false), Reason::credential_literal) << text;
    }
}

TEST(Conninfo, LeavesFilesAndSettingsOfTheServerToSuperusers) {
    for (const char* text :
         {"passfile=/x", "sslkey=/x", "sslcert=/x", "sslrootcert=/x", "sslcrl=/x", "sslcrldir=/x", "service=x",
          "'options=-c work_mem=1GB'", "krbsrvname=x", "gsslib=gssapi", "gssencmode=require", "requirepeer=x"}) {
        std::string option = text;
        if (option.front() == '\'') option = "options='-c work_mem=1GB'";
        const std::string conninfo = "host=a user=b " + option;
        const auto refused = check_conninfo(conninfo, false);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_EQ(refused.error().code(), "42501") << text;
        EXPECT_NE(refused.error().message.find("\"" + option.substr(0, option.find('=')) + "\""), std::string::npos)
            << text;
        EXPECT_EQ(refusal(conninfo, true), Reason::none) << text;
    }
    EXPECT_EQ(refusal("host=a user=b sslrootcert=system", false), Reason::none);
}

TEST(Conninfo, NeedsAUser) {
    EXPECT_EQ(refusal("host=a dbname=b", true), Reason::invalid_configuration);
    EXPECT_EQ(refusal("service=x", true), Reason::none);
}

TEST(Conninfo, IsAlwaysReadInUtf8) {
    EXPECT_EQ(refusal("host=a user=b client_encoding=LATIN1", true), Reason::invalid_configuration);
    EXPECT_EQ(refusal("host=a user=b client_encoding=utf8", false), Reason::none);
    EXPECT_EQ(refusal("host=a user=b replication=database", true), Reason::invalid_configuration);
}

TEST(Conninfo, NeverQuotesAPasswordThatItCouldNotRead) {
    for (const char* text :
         {"host=a user=b password = hunter2 canary", "postgresql://b:canary@@a:x/", "host=a canary"}) {
        const auto refused = check_conninfo(text, true);
        ASSERT_FALSE(refused.ok()) << text;
        if (std::string_view(text) == "host=a canary") continue;  // no password can stand there: libpq's words help
        const Error& error = refused.error();
        EXPECT_EQ((error.message + error.detail + error.hint).find("canary"), std::string::npos) << text;
    }
}

TEST(Conninfo, NamesAnUnknownOption) {
    const auto refused = check_conninfo("host=a user=b hots=c", true);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().detail.find("hots"), std::string::npos);
}

TEST(Conninfo, KeepsWhatTheOwnerSaidWhenItCompletes) {
    auto options = parse_conninfo("host=a user=b connect_timeout=3 fallback_application_name=mine").value();
    complete_options(options);
    EXPECT_EQ(option(options, "connect_timeout"), "3");
    EXPECT_EQ(option(options, "fallback_application_name"), "mine");
    EXPECT_EQ(option(options, "client_encoding"), "UTF8");
    EXPECT_FALSE(option(options, "passfile").empty());
    EXPECT_FALSE(option(options, "sslcert").empty());
}

TEST(Conninfo, ForgetsTheEnvironmentOfTheServer) {
    for (const char* name :
         {"PGPASSWORD", "PGHOST", "PGSERVICE", "PGSERVICEFILE", "PGPASSFILE", "PGOPTIONS", "PGSSLKEY", "PGUSER"})
        setenv(name, "/nonexistent", 1);
    setenv("PGDATA", "kept", 1);
    forget_environment();
    for (const char* name :
         {"PGPASSWORD", "PGHOST", "PGSERVICE", "PGSERVICEFILE", "PGPASSFILE", "PGOPTIONS", "PGSSLKEY", "PGUSER"})
        EXPECT_EQ(std::getenv(name), nullptr) << name;
    EXPECT_STREQ(std::getenv("PGDATA"), "kept");
    unsetenv("PGDATA");
}

TEST(Endpoints, DropOneAddressAfterTheOther) {
    Options options;
    apply_endpoints({{"db", "10.0.0.1", "5432"}, {"db", "10.0.0.2", "5432"}, {"/tmp", "", "5433"}}, options);
    EXPECT_EQ(option(options, "host"), "db,db,/tmp");
    EXPECT_EQ(option(options, "hostaddr"), "10.0.0.1,10.0.0.2,");
    EXPECT_TRUE(drop_address(options, "10.0.0.1"));
    EXPECT_EQ(option(options, "hostaddr"), "10.0.0.2,");
    EXPECT_EQ(option(options, "port"), "5432,5433");
    EXPECT_TRUE(drop_address(options, "10.0.0.2"));
    EXPECT_EQ(option(options, "hostaddr"), "");
    EXPECT_FALSE(drop_address(options, ""));
}

TEST(PostgresConnector, ChecksConfigAndAuth) {
    const json config = {{"conninfo", "host=a user=b"}};
    EXPECT_TRUE(check_connector(config, nullptr).ok());
    EXPECT_TRUE(check_connector(config, {{"type", "none"}}).ok());
    EXPECT_TRUE(check_connector(config, {{"type", "basic"}, {"credential_ref", "X"}}).ok());
    EXPECT_FALSE(check_connector(config, {{"type", "basic"}}).ok());
    EXPECT_FALSE(check_connector(config, {{"type", "bearer"}, {"credential_ref", "X"}}).ok());
    EXPECT_FALSE(check_connector(config, {{"credential_ref", "X"}}).ok());
    EXPECT_FALSE(check_connector(config, {{"type", "basic"}, {"credential_ref", "X"}, {"per", "connection"}}).ok());
    EXPECT_FALSE(check_connector(json::object(), nullptr).ok());
    const auto unknown = check_connector({{"coninfo", "host=a user=b"}}, nullptr);
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(unknown.error().reason, Reason::unknown_key);
}

}  // namespace
}  // namespace pg_pull::postgres
