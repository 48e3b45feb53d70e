#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/oauth/client.h"
#include "core/request/context.h"
#include "core/request/request.h"

namespace pg_pull::oauth {

/// The values that templates of an authorization's requests see.
[[nodiscard]] JsonContext make_context(const Client& client, const Holder& holder);

/// A parameter that a standard names.
struct StandardParameter {
    std::string name;
    std::string value;
    bool secret = false;
};

/// Makes one request out of a template and the standard's parameters, which `params` renames or leaves out and which the template's
/// own `query` and `body` replace by name. They go to the query of a GET, else to the body: a form, or JSON by `format`. A body that
/// is one text takes none.
class Call {
public:
    Call(const Client& client, const Holder& holder, RequestTemplate request)
        : client_(client), holder_(holder), request_(std::move(request)), context_(make_context(client, holder)) {}

    JsonContext& context() { return context_; }
    void add(std::string name, std::string value, bool secret = false) {
        standard_.push_back({std::move(name), std::move(value), secret});
    }
    /// A member of the template's body that the standard's goes before.
    void keep_standard(std::string name) { kept_.push_back(std::move(name)); }
    /// Identifies the client, in one place only. `fallback`: where the template does not say how.
    Result<void> authenticate(ClientAuth fallback);
    /// Another user and password than the client's own (a login).
    void authenticate_as(std::string_view user, const Secret& password);
    /// The request's headers and query of the connector, and its token: for calls of the API itself.
    void as_api_call() { api_call_ = true; }
    /// Where the template has no address.
    void set_endpoint(const std::string& url) { endpoint_ = url; }

    Result<HttpRequest> make();
    /// For a browser: everything in the query.
    Result<std::string> make_url();
    /// The rendered address, without query.
    Result<std::string> address();

private:
    Result<void> locate();
    Result<std::string> base_url() const;
    Result<void> allow_api();
    [[nodiscard]] std::optional<std::string> sent_name(const std::string& name) const;
    Result<void> put_into_url(HttpRequest& request);
    Result<void> put_into_body(HttpRequest& request);
    [[nodiscard]] bool has_header(std::string_view name) const;
    void finish(HttpRequest& request) const;

    const Client& client_;
    const Holder& holder_;
    RequestTemplate request_;
    JsonContext context_;
    std::vector<StandardParameter> standard_;
    std::vector<std::string> kept_;
    std::string endpoint_;
    std::string authorization_;
    bool api_call_ = false;
    RequestBase base_;
};

/// The client's own id, or the connection's.
[[nodiscard]] std::string client_id_of(const Client& client, const Holder& holder);
[[nodiscard]] const Secret& client_secret_of(const Client& client, const Holder& holder);

}  // namespace pg_pull::oauth
