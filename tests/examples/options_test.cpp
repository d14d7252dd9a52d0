// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The trainer's command line.
#include "trainer/options.hpp"

#include "support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

examples::Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "train_cnn");
  return examples::parse_options(static_cast<int>(arguments.size()), arguments.data());
}

std::string usage_error(std::vector<const char*> arguments) {
  try {
    (void)parse(std::move(arguments));
  } catch (const examples::UsageError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("flags are optional", "[examples][options]") {
  const examples::Options options = parse({});
  CHECK(options.dataset == "drawn");
  CHECK(options.precision == "all");
  CHECK(options.optimizer == "adam");
  CHECK(options.lr == 0.001);
  CHECK(options.limit == 0);
  CHECK(!options.help);
  CHECK(parse({"--optimizer", "sgd"}).lr == 0.01);
}

TEST_CASE("a value follows its flag or an equals sign", "[examples][options]") {
  const examples::Options options =
      parse({"--dataset=mnist", "--data", "a=b", "--precision", "amp-fp16", "--epochs=3",
             "--batch-size", "8", "--optimizer=adam", "--lr", "1e-2", "--seed=0", "--limit", "9"});
  CHECK(options.dataset == "mnist");
  CHECK(options.data == "a=b");
  CHECK(options.precision == "amp-fp16");
  CHECK(options.epochs == 3);
  CHECK(options.batch_size == 8);
  CHECK(options.optimizer == "adam");
  CHECK(options.lr == 0.01);
  CHECK(options.seed == 0);
  CHECK(options.limit == 9);
  CHECK(parse({"--epochs", "3", "--help", "--unknown"}).help);
}

TEST_CASE("what makes no sense is rejected with a reason", "[examples][options]") {
  CHECK(contains(usage_error({"--epoch", "3"}), "unknown flag '--epoch'"));
  CHECK(contains(usage_error({"stray"}), "unknown flag 'stray'"));
  CHECK(contains(usage_error({"--epochs"}), "--epochs needs a value"));
  CHECK(contains(usage_error({"--precision", "fp8"}), "one of all|fp32|fp16"));
  CHECK(contains(usage_error({"--precision="}), "not ''"));
  CHECK(contains(usage_error({"--precision", "fp32|fp16"}), "one of"));
  for (const char* bad : {"0", "-1", "3x", "", "1.5", "99999999999999999999"}) {
    CHECK(contains(usage_error({"--epochs", bad}), "a whole number from 1 up"));
  }
  CHECK(contains(usage_error({"--seed", "-1"}), "a whole number from 0 up"));
  for (const char* bad : {"0", "-1", "nan", "inf", "1e999", "x", "", "0.1x"}) {
    CHECK(contains(usage_error({"--lr", bad}), "a number above 0"));
  }
  CHECK(contains(usage_error({"--dataset", "cifar10"}), "needs --data DIR"));
  CHECK(contains(usage_error({"--data", "somewhere"}), "needs --dataset"));
}
