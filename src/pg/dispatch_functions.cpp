// sync_connector_call, sync_connector_test: requests without a mapping, sent by a worker.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
}

#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/connections.h"
#include "pg/function_arguments.h"
#include "pg/package_store.h"
#include "pg/request.h"
#include "source/registry.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

struct Dispatch {
    std::string connector;
    std::optional<std::string> organization;
    std::optional<std::string> package;

    [[nodiscard]] json request() const {
        return {{"connector", connector}, {"organization", nullable(organization)}, {"package", nullable(package)}};
    }
};

/// What can be refused without a worker is.
ConnectorRow check_dispatch(const Dispatch& dispatch) {
    const Spi spi;
    const Extension extension = Extension::current();
    const Instance instance = address_instance(extension, dispatch.connector, dispatch.package, Visible::committed);
    require_use(extension, instance.entry, current_role());
    require_enabled(extension, instance.package);
    if (dispatch.organization && instance.auth().per_connection)
        require_organization(extension, *dispatch.organization, current_role());
    return instance.entry;
}

Datum connector_call(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    Dispatch dispatch;
    dispatch.connector = arguments.text(0, "connector");
    const std::string action = arguments.text(1, "action");
    const json input = arguments.optional_document(2, "input").value_or(json::object());
    dispatch.organization = arguments.optional_organization(3, "organization");
    dispatch.package = arguments.optional_package(4, "package");
    refuse_standby("sync_connector_call()");
    refuse_read_only("sync_connector_call()");
    const ConnectorRow connector = check_dispatch(dispatch);
    const Provider* provider = find_provider(connector.provider);
    if (provider == nullptr || provider->send == nullptr || action != "request")
        raise(fail(Reason::connector_action_unknown,
                   "connector " + in_quotes(dispatch.connector) + " has no action " + in_quotes(action))
                  .with_hint("See sync_connector_actions()."));
    json request = dispatch.request();
    request["input"] = input;
    const json answer = call_worker(RequestKind::dispatch, request, dispatch.connector);
    const auto& text = answer.at("answer").get_ref<const std::string&>();
    return call([data = text.c_str()] { return DirectFunctionCall1(jsonb_in, CStringGetDatum(data)); });
}

Datum connector_test(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    Dispatch dispatch;
    dispatch.connector = arguments.text(0, "connector");
    dispatch.organization = arguments.optional_organization(1, "organization");
    dispatch.package = arguments.optional_package(2, "package");
    refuse_standby("sync_connector_test()");
    TableResult result(fcinfo);
    (void)check_dispatch(dispatch);
    const json answer = call_worker(RequestKind::test, dispatch.request(), dispatch.connector);
    const auto text = [&](const char* key) -> std::optional<std::string> {
        const json& value = answer.at(key);
        if (value.is_null()) return std::nullopt;
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    result.add({text("ok"), text("status"), text("reason"), text("message"), text("duration_ms")});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connector_call, pg_pull::pg::connector_call)
PG_PULL_FUNCTION(sync_connector_test, pg_pull::pg::connector_test)
