#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/json/config_reader.h"
#include "core/json/path.h"
#include "core/request/body_template.h"
#include "core/request/parameters.h"
#include "core/request/response_map.h"
#include "core/request/template.h"

namespace pg_pull {

enum class BodyFormat : unsigned char { unset, json, form };
/// How a client says who it is at the token endpoint. `basic` takes id and secret as they are, which is what most providers expect;
/// `basic_encoded` form-encodes both first, as RFC 6749 section 2.3.1 has it.
enum class ClientAuth : unsigned char { unset, basic, basic_encoded, body, none, private_key_jwt };

/// The one request object of the configuration (DESIGN.md 5.1).
struct RequestTemplate {
    std::string method;            ///< upper case; empty: GET, or POST where there is a body
    std::optional<Template> url;   ///< absolute; or:
    std::optional<Template> path;  ///< joined to the base URL
    ParameterList query;
    ParameterList headers;
    std::optional<BodyTemplate> body;
    BodyFormat format = BodyFormat::unset;
    ClientAuth client_auth = ClientAuth::unset;
    std::map<std::string, std::optional<std::string>> params;  ///< standard name -> their name, or nothing: leave out
    std::optional<ResponseMap> response;
};

/// Does any template of the request begin with this name?
[[nodiscard]] bool uses(const RequestTemplate& request, std::string_view root);

/// A request template of `auth` (token, refresh, verify, …): an object, or a string that is its url. A `url` may also be a path
/// (begins with `/`), then it is joined to the base URL. Refuses literal credentials (credential_literal).
Result<RequestTemplate> parse_request(const nlohmann::json& config, std::string_view where);

/// The members that a mapping's `source` shares with a request template: method, query, headers, body, format.
void read_request_members(ConfigReader& reader, RequestTemplate& request);

/// What a page adds to its request; everything replaces what the template says. Values are not encoded yet.
struct RequestOverlay {
    std::optional<std::string> url;  ///< absolute: instead of base URL, path and every query (followed unchanged)
    std::vector<std::pair<std::string, std::string>> query;
    Headers headers;
    std::vector<std::pair<Path, TemplateValue>> body;  ///< in a form body the path's text is the field's name
    bool operator==(const RequestOverlay&) const = default;
};

/// What a request template is rendered upon.
struct RequestBase {
    std::string base_url;                         ///< rendered; may be empty where the template has a url
    bool base_url_secret = false;                 ///< a credential went into it
    std::vector<const ParameterList*> headers;    ///< inherited, later ones win; no null pointers
    std::vector<const ParameterList*> query;      ///< inherited
    std::vector<std::string> credential_origins;  ///< who may get credentials: allowed_origins()
    RequestOverlay overlay;
};

/// The request, ready to be sent but for timeouts, TLS and limits. The paths of base URL and template are concatenated. Queries:
/// base URL < inherited < path or url < `query` < overlay, by decoded key. Headers likewise, without case.
/// A header goes to credential_headers when a credential went into it, and also when it is not one of the well-known harmless
/// ones (Accept, Accept-Language, User-Agent, Content-Type, Prefer …), since a configuration's own header may well identify it.
/// Refuses (egress_denied) a request that holds a credential and whose origin is not among `credential_origins`.
Result<HttpRequest> render_request(const RequestTemplate& request, const TemplateContext& context,
                                   const RequestBase& base);

/// Refuses a request that carries a credential anywhere but to its credential_origins (egress_denied, naming the origin).
Result<void> check_credential_origin(const HttpRequest& request);
/// The same for an address that comes from an answer (a next link), before it is followed.
Result<void> check_origin(std::string_view url, const std::vector<std::string>& origins);

}  // namespace pg_pull
