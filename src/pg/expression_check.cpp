extern "C" {
#include "postgres.h"

#include "executor/spi.h"
#include "parser/parser.h"
}

#include "core/apply/statement.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/expression_check.h"
#include "pg/stage.h"

namespace pg_pull::pg {
namespace {

/// Staging without a row: a function with a column list, which takes types with their collations.
std::string staged_rows(const Stage& stage) {
    std::vector<std::string> columns;
    for (const auto& column : stage.columns) columns.push_back(apply::quote_name(column.name) + " " + column.type_sql);
    return " FROM pg_catalog.json_to_recordset('[]') AS s (" + apply::joined(columns, ", ") + ")";
}

/// By itself first, so that no bracket in it closes one of ours and no second statement hides behind it.
void read_expression(const std::string& expression, const std::string& statement) {
    const char* alone = expression.c_str();
    call([alone] { (void)raw_parser(alone, RAW_PARSE_PLPGSQL_EXPR); });
    const char* whole = statement.c_str();
    call([whole] {
        SPIPlanPtr plan = SPI_prepare(whole, 0, nullptr);
        if (plan != nullptr) SPI_freeplan(plan);
    });
}

void check_expression(const std::string& what, const std::string& expression, const std::string& statement) {
    try {
        read_expression(expression, statement);
    } catch (const PgError& error) {
        const std::string state = error.sqlstate();
        if (!state.starts_with("42") && !state.starts_with("22") && !state.starts_with("0A")) throw;
        raise(fail(Reason::invalid_configuration, what + " cannot be used: " + error.message())
                  .with_detail(error.detail())
                  .with_hint(error.hint().empty()
                                 ? "It may use the columns that the mapping fills, and other names with "
                                   "their schema."
                                 : error.hint()));
    }
}

}  // namespace

void check_expressions(const MappingRow& mapping, const std::vector<Field>& fields, const TargetTable& target,
                       const std::string& provider) {
    const auto where = staged_where(mapping, provider);
    const Stage stage =
        describe_stage(mapping, fields, target, make_stage_plan(mapping, fields, target, where), where, 0);
    const std::string rows = staged_rows(stage);
    const AsOwner as(target.owner);
    if (where)
        check_expression("source \"where\"", *where, "SELECT" + rows + " WHERE (\n" + *where + "\n) IS NOT TRUE");
    for (const auto& field : fields) {
        if (field.transform != Transform::sql) continue;
        const TargetColumn& column = *target.find(field.targets.front());
        check_expression("the expression of column \"" + column.name + "\"", field.expression,
                         "SELECT CAST((\n" + field.expression + "\n) AS " + column.bare_type_sql + ")" + rows);
    }
}

}  // namespace pg_pull::pg
