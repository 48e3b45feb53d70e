#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pg_pull {

/// How a JSON value becomes the text that a column's input function reads. Domains count as their base type.
enum class ValueKind : unsigned char {
    scalar,  ///< numbers, dates, booleans, enums, bytea, ranges …: a JSON scalar's text; objects and arrays as JSON text
    text,       ///< like scalar: strings decoded, everything else the JSON text as sent
    json,       ///< json, jsonb: the JSON text as sent, strings in their quotes; JSON null is SQL NULL
    array,      ///< a JSON array becomes an array literal {…}; a string is taken as a literal
    composite,  ///< a JSON object becomes a row literal (…), keys by attribute name; a string is taken as a literal
};

struct ColumnAttribute;
struct ColumnType {
    ValueKind kind = ValueKind::scalar;
    std::shared_ptr<const ColumnType> element;  ///< array: the element's type
    char delimiter = ',';                       ///< array: pg_type.typdelim of the element
    std::vector<ColumnAttribute> attributes;    ///< composite, in order, dropped ones left out
};

/// An attribute of a composite type. (Not a std::pair, which cannot hold the type that it is part of.)
struct ColumnAttribute {
    ColumnAttribute(std::string attribute_name, ColumnType attribute_type)
        : name(std::move(attribute_name)), type(std::move(attribute_type)) {}
    std::string name;
    ColumnType type;
};

/// A column of the target that a field fills.
struct Column {
    std::string name;
    ColumnType type;
};

}  // namespace pg_pull
