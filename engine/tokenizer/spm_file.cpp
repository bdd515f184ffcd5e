// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of sentencepiece_model.proto that encoding depends on.
#include <bit>
#include <cstring>

#include "engine/tokenizer/spm_vocabulary.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

// One field of a protocol buffer message.
struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;  // of a varint or fixed field
    std::string_view bytes;   // of a length-delimited one
    bool truth() const { return value != 0; }
};

class Message {
  public:
    Message(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

    // False at the end.
    bool next(Field& field) {
        if (bytes_.empty()) return false;
        const std::uint64_t key = varint();
        field = {static_cast<std::uint32_t>(key >> 3)};
        if (key >> 3 == 0 || key >> 3 > 0x1FFFFFFF) refuse("a field without a number");
        switch (key & 7) {
            case 0: field.value = varint(); break;
            case 1: field.value = fixed<std::uint64_t>(); break;
            case 2: field.bytes = take(varint()); break;
            case 5: field.value = fixed<std::uint32_t>(); break;
            default: refuse("a field of wire type " + std::to_string(key & 7));
        }
        return true;
    }
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(Failure::Kind::BadFile, "this is no SentencePiece model: it has " + what,
                    where_, "download the file again");
    }

  private:
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(take(1).front());
            value |= static_cast<std::uint64_t>(byte & 127) << shift;
            if (byte < 128) return value;
        }
        refuse("a number of more than 10 bytes");
    }
    template <typename T>
    T fixed() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size())
            refuse("a field of " + std::to_string(count) + " bytes where " +
                   std::to_string(bytes_.size()) + " are left");
        const std::string_view taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }

    std::string_view bytes_;
    const std::string& where_;
};

SpmVocabulary::Piece read_piece(std::string_view bytes, const std::string& where) {
    SpmVocabulary::Piece piece;
    Message message(bytes, where);
    for (Field field; message.next(field);) {
        if (field.number == 1) piece.text = field.bytes;
        if (field.number == 2)
            piece.score =
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
        if (field.number == 3) {
            if (field.value < 1 || field.value > 6)
                message.refuse("a piece of type " + std::to_string(field.value));
            piece.kind = static_cast<SpmVocabulary::Kind>(field.value);
        }
    }
    return piece;
}

[[noreturn]] void unsupported(const std::string& what, const std::string& where) {
    throw Error(Failure::Kind::Unsupported, what + " is not implemented", where,
                "use the model's tokenizer.json");
}

void read_trainer(std::string_view bytes, const std::string& where, SpmFile& out) {
    std::int32_t bos = 1, eos = 2;  // the format's own defaults
    Message message(bytes, where);
    for (Field field; message.next(field);) {
        if (field.number == 3) {
            if (field.value != 1 && field.value != 2)
                unsupported("a SentencePiece model of words or single characters", where);
            out.vocabulary.unigram = field.value == 1;
        }
        if (field.number == 24 && field.truth()) unsupported("white space as a suffix", where);
        if (field.number == 41) bos = static_cast<std::int32_t>(field.value);
        if (field.number == 42) eos = static_cast<std::int32_t>(field.value);
    }
    if (bos >= 0) out.bos = static_cast<std::uint32_t>(bos);
    if (eos >= 0) out.eos = static_cast<std::uint32_t>(eos);
}

void read_normalizer_spec(std::string_view bytes, const std::string& where, SpmVocabulary& out) {
    out.single_spaces = true;  // unless it says otherwise
    Message message(bytes, where);
    for (Field field; message.next(field);) {
        if (field.number == 2) out.characters_map = field.bytes;
        if (field.number == 3) out.prefix_space = field.truth();
        if (field.number == 4) out.single_spaces = field.truth();
        if (field.number == 5 && !field.truth()) unsupported("spaces without a mark", where);
    }
}

}  // namespace

SpmFile read_spm_file(std::string_view bytes, const std::string& where) {
    SpmFile out;
    out.vocabulary.unigram = true;  // the format's default
    out.vocabulary.single_spaces = true;
    Message message(bytes, where);
    for (Field field; message.next(field);) {
        if (field.number == 1) out.vocabulary.pieces.push_back(read_piece(field.bytes, where));
        if (field.number == 2) read_trainer(field.bytes, where, out);
        if (field.number == 3) read_normalizer_spec(field.bytes, where, out.vocabulary);
        if (out.vocabulary.pieces.size() > largest_id) message.refuse("too many pieces");
    }
    return out;
}

}  // namespace engine::tokenizer
