#pragma once

// Compressed bodies for the test server, made by hand so that tests need no compression library.

#include <cstdint>
#include <string>
#include <string_view>

namespace pg_pull::test {

inline std::uint32_t crc32_of(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

inline std::string little_endian(std::uint32_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8U * static_cast<unsigned>(i))));
    return out;
}

/// RFC 1952 around a deflate stream.
inline std::string gzip_member(const std::string& deflated, std::string_view plain) {
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + deflated + little_endian(crc32_of(plain), 4) +
           little_endian(static_cast<std::uint32_t>(plain.size()), 4);
}

/// RFC 1951 section 3.2.4: blocks without compression.
inline std::string deflate_stored(std::string_view plain) {
    std::string out;
    do {
        const std::string_view block = plain.substr(0, 65535);
        plain.remove_prefix(block.size());
        const auto size = static_cast<std::uint32_t>(block.size());
        out += plain.empty() ? '\1' : '\0';
        out += little_endian(size, 2) + little_endian(~size, 2) + std::string(block);
    } while (!plain.empty());
    return out;
}

inline std::string gzip(std::string_view plain) { return gzip_member(deflate_stored(plain), plain); }

/// RFC 1950, the form that "deflate" means in HTTP.
inline std::string zlib(std::string_view plain) {
    std::uint32_t a = 1, b = 0;
    for (const char byte : plain) {
        a = (a + static_cast<unsigned char>(byte)) % 65521;
        b = (b + a) % 65521;
    }
    std::string checksum;
    for (const auto part : {b >> 8U, b, a >> 8U, a}) checksum.push_back(static_cast<char>(part));
    return "\x78\x01" + deflate_stored(plain) + checksum;
}

/// A gzip member that unpacks to 1 + 258 * `runs` times 'x' out of 13 bits a run: one literal, then matches of length 258 at
/// distance 1, in the fixed code of RFC 1951 section 3.2.6.
inline std::string gzip_bomb(int runs) {
    std::string out;
    unsigned char byte = 0;
    int filled = 0;
    const auto bit = [&](unsigned value) {
        byte = static_cast<unsigned char>(byte | (value << static_cast<unsigned>(filled)));
        if (++filled < 8) return;
        out.push_back(static_cast<char>(byte));
        byte = 0;
        filled = 0;
    };
    const auto code = [&](unsigned value, int bits) {  // Huffman codes go with their most significant bit first
        for (int i = bits - 1; i >= 0; --i) bit((value >> static_cast<unsigned>(i)) & 1U);
    };
    bit(1), bit(1), bit(0);  // last block, fixed codes
    code(0x30 + 'x', 8);
    for (int i = 0; i < runs; ++i) {
        code(0xc5, 8);  // length 258
        code(0, 5);     // distance 1
    }
    code(0, 7);  // end of block
    while (filled != 0) bit(0);
    return gzip_member(out, std::string(1 + 258 * static_cast<std::size_t>(runs), 'x'));
}

}  // namespace pg_pull::test
