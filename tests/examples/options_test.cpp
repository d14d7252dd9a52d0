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

TEST_CASE("the loss scale can be given, or left out, where there is one", "[examples][options]") {
  CHECK(parse({"--init-scale", "1024"}).init_scale == 1024);
  CHECK(parse({"--precision", "amp-fp16", "--no-scaling"}).scaling == false);
  const auto settings = settings_of(parse({"--init-scale", "8", "--precision", "amp-fp16"}));
  CHECK(settings.at("init-scale") == "8");
  CHECK(settings_of(parse({"--no-scaling"})).at("scaling") == "no");
  CHECK(settings_of(parse({})).count("scaling") + settings_of(parse({})).count("init-scale") == 0);
  CHECK(contains(usage_error({"--init-scale", "0"}), "a number above 0"));
  CHECK(contains(usage_error({"--no-scaling", "--init-scale", "8"}), "exclude each other"));
  CHECK(contains(usage_error({"--no-scaling", "--precision", "bf16"}), "amp-fp16, or all"));
  CHECK(contains(usage_error({"--init-scale=4", "--precision", "fp32"}), "amp-fp16, or all"));
}

TEST_CASE("what makes no sense is rejected with a reason", "[examples][options]") {
  CHECK(usage_error({"--epoch", "3"}) == "unknown flag '--epoch'; did you mean --epochs?");
  CHECK(contains(usage_error({"--batchsize=8"}), "did you mean --batch-size?"));
  CHECK(usage_error({"stray"}) == "unknown flag 'stray'");
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
  for (const char* bad : {"-1", "nan", "x", ""}) {
    CHECK(contains(usage_error({"--weight-decay", bad}), "a number from 0 up"));
  }
  CHECK(contains(usage_error({"--clip", "0"}), "a number above 0"));
  CHECK(contains(usage_error({"--accumulate", "0"}), "a whole number from 1 up"));
  CHECK(contains(usage_error({"--schedule", "linear"}), "one of constant|step|cosine|one-cycle"));
  CHECK(contains(usage_error({"--device", "gpu"}), "one of cpu|cuda"));
  CHECK(contains(usage_error({"--augment=1"}), "takes no value"));
  CHECK(contains(usage_error({"--augment", "1"}), "unknown flag '1'"));
  CHECK(contains(usage_error({"--checkpoint", "--resume"}), "takes a name"));
  CHECK(contains(usage_error({"--report="}), "takes a name"));
  CHECK(contains(usage_error({"--checkpoint", "file"}), "one --precision"));
  CHECK(contains(usage_error({"--checkpoint", "file", "--precision", "fp32", "--seeds", "2"}),
                 "one seed"));
  CHECK(contains(usage_error({"--resume"}), "--resume needs --checkpoint"));
  CHECK(
      contains(usage_error({"--checkpoint-steps", "3"}), "--checkpoint-steps needs --checkpoint"));
}

TEST_CASE("a flag may be a word of its own", "[examples][options]") {
  const examples::Options options =
      parse({"--augment", "--precision",  "fp32",   "--checkpoint",   "file", "--resume",
             "--lr=1",    "--schedule",   "cosine", "--warmup",       "5",    "--clip",
             "0.5",       "--accumulate", "4",      "--weight-decay", "0",    "--workers",
             "0",         "--report",     "folder"});
  CHECK(options.augment);
  CHECK(options.resume);
  CHECK(options.checkpoint == "file");
  CHECK(options.lr == 1);
  CHECK(options.schedule == "cosine");
  CHECK(options.warmup == 5);
  CHECK(options.clip == 0.5);
  CHECK(options.accumulate == 4);
  CHECK(options.weight_decay == 0.0);
  CHECK(options.workers == 0);
  CHECK(options.report == "folder");
  CHECK(options.given.size() == 12);
  CHECK(!parse({}).weight_decay);
}

TEST_CASE("the settings of a training tell what its result depends on", "[examples][options]") {
  const examples::Settings plain = settings_of(parse({}));
  for (const char* same : {"--epochs=7", "--workers=3", "--report=folder", "--device=cuda"}) {
    CAPTURE(same);
    CHECK(settings_of(parse({same})) == plain);
  }
  for (const char* other :
       {"--seed=7", "--limit=5", "--lr=0.5", "--batch-size=5", "--optimizer=adamw", "--augment",
        "--clip=1", "--accumulate=2", "--weight-decay=0", "--warmup=1", "--schedule=step",
        "--precision=fp32"}) {
    CAPTURE(other);
    CHECK(settings_of(parse({other})) != plain);
  }
  CHECK(settings_of(parse({"--schedule=step", "--epochs=2"})) !=
        settings_of(parse({"--schedule=step", "--epochs=3"})));
}

TEST_CASE("settings survive as text, and those that differ are listed alone and sorted",
          "[examples][options]") {
  const examples::Settings plain = settings_of(parse({}));
  CHECK(examples::parse_settings(examples::to_string(plain)) == plain);
  CHECK(examples::differences(plain, plain).empty());
  CHECK(examples::differences(plain, settings_of(parse({"--seed=7", "--augment", "--lr=0.1"}))) ==
        "\n  --augment: no there, yes here\n  --lr: 0.001 there, 0.1 here"
        "\n  --seed: 1 there, 7 here");
}
