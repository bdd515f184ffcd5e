// SPDX-License-Identifier: GPL-3.0-or-later
// One way to fail: throw engine::Error inside, catch it once at the edge (worker, command line),
// send the Failure on.
#pragma once
#include <exception>
#include <string>
#include <utility>

namespace engine {

struct Failure {
    enum class Kind {
        BadFile,      // missing, truncated, lying or foreign file
        Unsupported,  // an architecture, config term or type that is not implemented, refused by
                      // name
        BadRequest,   // an argument the model rules out: a layer, head, token or position that it
                      // does not have
        OutOfMemory,  // refused before it starts: more pages or bytes than there are
        Device,
        Io,  // cannot write, disk full
        Internal,
    };
    Kind kind = Kind::Internal;
    std::string what;   // what was wrong, with the numbers
    std::string where;  // file, tensor, layer or verb; may be empty
    std::string hint;   // what to do; may be empty

    // One line for stderr and the log.
    std::string line() const {
        std::string out = where.empty() ? what : where + ": " + what;
        if (!hint.empty()) out += "; " + hint;
        return out;
    }
};

class Error : public std::exception {
  public:
    explicit Error(Failure failure) : failure_(std::move(failure)), line_(failure_.line()) {}
    Error(Failure::Kind kind, std::string what, std::string where = {}, std::string hint = {})
        : Error(Failure{kind, std::move(what), std::move(where), std::move(hint)}) {}
    const Failure& failure() const { return failure_; }
    const char* what() const noexcept override { return line_.c_str(); }

  private:
    Failure failure_;
    std::string line_;
};

// Thrown when a stop_token was seen; not a failure, nothing is lost.
class Cancelled : public std::exception {
  public:
    const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace engine
