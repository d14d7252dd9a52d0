// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints: a resumed training is the uninterrupted one, bit for bit; a file that does not fit
// changes nothing.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace checkpoint {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
namespace nn = amp::nn;
using amp::Checkpoint;
using amp::NamedTensors;
using amp::SafeTensors;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Buffers, and random numbers in every step.
struct Net : nn::Module {
  nn::Conv2d conv{register_module("conv", nn::Conv2d(2, 4, 3))};
  nn::BatchNorm2d norm{register_module("norm", nn::BatchNorm2d(4))};
  nn::Dropout dropout{register_module("dropout", nn::Dropout(0.25))};
  nn::Linear head{register_module("head", nn::Linear(16, 3))};

  Tensor forward(const Tensor& x) const {
    return head(dropout(amp::relu(norm(conv(x)))).flatten(1));
  }
};

template <class Optimizer>
auto options() {
  std::remove_cvref_t<decltype(std::declval<Optimizer&>().options())> options;
  options.lr = 0.05;
  options.weight_decay = 0.01;
  if constexpr (requires { options.momentum; }) options.momentum = 0.9;
  options.schedule = amp::cosine_schedule(20, 0.001).after_warmup(3);
  return options;
}

/// All that changes in a training, copied.
struct State {
  NamedTensors tensors;
  amp::GradScalerState scaler;
  amp::RngState random;
  std::int64_t step;
  std::string note;

  friend bool operator==(const State& a, const State& b) {
    const auto same = [](const auto& x, const auto& y) {
      const Tensor &s = x.second, &t = y.second;
      return x.first == y.first && s.dtype() == t.dtype() && s.shape() == t.shape() &&
             std::memcmp(s.raw_data(), t.raw_data(),
                         static_cast<std::size_t>(s.numel() * amp::item_size(s.dtype()))) == 0;
    };
    return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                      same) &&
           a.scaler == b.scaler && a.random == b.random && a.step == b.step && a.note == b.note;
  }
};

/// float16 under a scale that soon is too high, again and again.
template <class Optimizer>
struct Training {
  Net net;
  Optimizer optimizer{net.named_parameters(), options<Optimizer>()};
  amp::GradScaler scaler{{.growth_interval = 2}};
  Tensor mean = amp::zeros({3}).requires_grad_();  // of the outputs
  std::int64_t step = 0;
  std::string note = "at the start";
  Checkpoint checkpoint;

  explicit Training(bool reversed = false) {
    const std::function<void()> parts[] = {
        [&] { checkpoint.add("model", net); },  [&] { checkpoint.add("optimizer", optimizer); },
        [&] { checkpoint.add("mean", mean); },  [&] { checkpoint.add("scaler", scaler); },
        [&] { checkpoint.add("step", step); },  [&] { checkpoint.add("note", note); },
        [&] { checkpoint.add_random_stream(); }};
    if (reversed) {
      std::for_each(std::rbegin(parts), std::rend(parts), [](const auto& add) { add(); });
    } else {
      std::for_each(std::begin(parts), std::end(parts), [](const auto& add) { add(); });
    }
  }

  void run(std::int64_t last) {
    for (; step < last; ++step) {
      note = "at step " + std::to_string(step);
      if (step == 4) optimizer.options().lr = 0.03;
      const Tensor images = amp::randn({6, 2, 4, 4}),
                   targets = amp::tensor({0, 1, 2, 0, 1, 2}, {6});
      optimizer.zero_grad();
      Tensor loss;
      {
        const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
        const Tensor output = net.forward(images);
        mean = amp::mean(output.detach().to(amp::kFloat32), 0).requires_grad_();
        loss = amp::cross_entropy(output, targets);
      }
      scaler.scale(loss).backward();
      if (step % 2 == 0) scaler.unscale_and_clip(optimizer, 1.0);
      scaler.step(optimizer);
      scaler.update();
    }
  }
  State state() const {
    State state{
        {{"mean", mean.detach().clone()}}, scaler.state_dict(), amp::get_rng_state(), step, note};
    for (const auto& [name, tensor] : net.state_dict())
      state.tensors.emplace_back("model." + name, tensor.detach().clone());
    for (auto& entry : optimizer.state_dict()) state.tensors.push_back(std::move(entry));
    return state;
  }
};

/// Changes a file.
void edit(const fs::path& from, const fs::path& to, const std::function<void(SafeTensors&)>& how) {
  SafeTensors contents = amp::load_safetensors(from);
  how(contents);
  amp::save_safetensors(to, contents);
}
std::size_t index_of(const SafeTensors& contents, std::string_view name) {
  for (std::size_t i = 0; i < contents.tensors.size(); ++i) {
    if (contents.tensors[i].first == name) return i;
  }
  FAIL(name);
  return 0;
}
std::function<void(SafeTensors&)> without(const std::string& name) {
  return [=](SafeTensors& contents) {
    contents.tensors.erase(contents.tensors.begin() +
                           static_cast<std::ptrdiff_t>(index_of(contents, name)));
  };
}
std::function<void(SafeTensors&)> with(const std::string& name, const Tensor& tensor) {
  return [=](SafeTensors& contents) {
    const auto known = [&](const auto& entry) { return entry.first == name; };
    std::erase_if(contents.tensors, known);
    contents.tensors.emplace_back(name, tensor);
  };
}
std::function<void(SafeTensors&)> without_note(const std::string& name) {
  return [=](SafeTensors& contents) { REQUIRE(contents.metadata.erase(name) == 1); };
}
std::function<void(SafeTensors&)> with_note(const std::string& name, const std::string& text) {
  return [=](SafeTensors& contents) { contents.metadata.at(name) = text; };
}

}  // namespace

TEMPLATE_TEST_CASE("Checkpoint: a resumed training is the uninterrupted one, bit for bit",
                   "[interop]", amp::SGD, amp::AdamW) {
  const Folder folder;
  const std::vector<std::int64_t> interruptions = {0, 1, 4, 9, 16, 29};
  const std::int64_t last = 30;
  std::vector<State> saved;
  amp::manual_seed(1);
  Training<TestType> whole;
  for (const std::int64_t step : interruptions) {
    whole.run(step);
    whole.checkpoint.save(folder / std::to_string(step));
    saved.push_back(whole.state());
  }
  whole.run(last);
  const State end = whole.state();
  CHECK(end.scaler.skipped >= 3);  // else the scaler is not tried
  CHECK(end.scaler.applied >= 10);

  amp::manual_seed(1);
  Training<TestType> unsaved;
  unsaved.run(last);
  CHECK(unsaved.state() == end);  // saving changes nothing

  for (std::size_t i = 0; i < interruptions.size(); ++i) {
    for (const std::int64_t steps_before : {0, 6}) {  // made anew, or used
      for (const bool reversed : {false, true}) {
        INFO("after step " << interruptions[i]);
        amp::manual_seed(2);
        Training<TestType> resumed(reversed);
        resumed.run(steps_before);
        CHECK_FALSE(resumed.state() == saved[i]);
        resumed.checkpoint.load(folder / std::to_string(interruptions[i]));
        CHECK(resumed.state() == saved[i]);
        resumed.run(last);
        CHECK(resumed.state() == end);
      }
    }
  }
}

TEMPLATE_TEST_CASE("Checkpoint: load is all or nothing", "[interop]", amp::SGD, amp::AdamW) {
  const Folder folder;
  const fs::path good = folder / "good", bad = folder / "bad";
  amp::manual_seed(1);
  Training<TestType> other;
  other.run(5);
  other.checkpoint.save(good);
  const std::string scaler = amp::load_safetensors(good).metadata.at("scaler");
  const Tensor number = amp::full({}, -1, {.dtype = amp::kFloat64});

  struct Damage {
    std::function<void(SafeTensors&)> how;
    const char *part, *text;
  };
  const std::vector<Damage> damages = {
      {without("model.head.weight"), "model", "head.weight"},
      {without("model.norm.running_var"), "model", "norm.running_var"},
      {with("model.head.bias", amp::ones({4})), "model", "head.bias"},
      {with("model.more", amp::ones({4})), "model", "more"},
      {without("optimizer.applied_steps"), "optimizer", "applied_steps"},
      {without("optimizer.groups.0.lr"), "optimizer", "groups.0.lr"},
      {with("optimizer.groups.0.lr", number), "optimizer", "lr"},
      {with("optimizer.applied_steps", number), "optimizer", "applied_steps"},
      {with("optimizer.more", number), "optimizer", "more"},
      {without("mean.value"), "mean", "expected one tensor"},
      {with("mean.more", number), "mean", "expected one tensor"},
      {without_note("scaler"), "scaler", "missing"},
      {with_note("scaler", ""), "scaler", "GradScaler"},
      {with_note("scaler", scaler.substr(0, scaler.size() / 2)), "scaler", "grad_scaler"},
      {with_note("scaler", scaler + "x"), "scaler", "expected the end"},
      {without_note("step"), "step", "missing"},
      {without_note("note"), "note", "missing"},
      {without_note("random"), "random", "missing"}};
  std::vector<Damage> all = damages;
  for (const char* const text :
       {"", "x", "3x", " 3", "3 ", "1.5", "+3", "0x3", "9223372036854775808"})
    all.push_back({with_note("step", text), "step", "whole number"});
  for (const char* const text : {"", "1", "x"})
    all.push_back({with_note("random", text), "random", "two numbers"});
  for (const char* const text :
       {"1 ", " 1", "1 2 3", "1 -2", "-1 2", "a b", "1  2", "18446744073709551616 0"})
    all.push_back({with_note("random", text), "random", "whole number"});

  for (const bool reversed : {false, true}) {
    amp::manual_seed(2);
    Training<TestType> training(reversed);
    training.run(7);
    const State before = training.state();
    const Tensor mean = training.mean;
    for (const Damage& damage : all) {
      INFO(damage.part << ": " << damage.text);
      edit(good, bad, damage.how);
      const std::string text = error_of([&] { training.checkpoint.load(bad); });
      CHECK_THAT(text, ContainsSubstring(bad.string()) && ContainsSubstring(damage.text) &&
                           ContainsSubstring('"' + std::string(damage.part) + '"'));
      CHECK(training.state() == before);
      CHECK(training.mean.is_same(mean));
      CHECK(training.mean.requires_grad());
    }
    std::ofstream(bad) << bytes_of(good).substr(0, 1000);
    CHECK_THAT(error_of([&] { training.checkpoint.load(bad); }), ContainsSubstring(bad.string()));
    CHECK_THAT(error_of([&] { training.checkpoint.load(folder / "none"); }),
               ContainsSubstring((folder / "none").string()));
    CHECK(training.state() == before);

    training.run(12);  // goes on as if nothing had been tried
    amp::manual_seed(2);
    Training<TestType> undisturbed;
    undisturbed.run(12);
    CHECK(training.state() == undisturbed.state());
    training.checkpoint.load(good);
    CHECK(training.step == 5);
  }
}

TEST_CASE("Checkpoint: a file holds the parts under their names", "[interop]") {
  const Folder folder;
  const nn::Linear model(2, 1);
  amp::AdamW optimizer(model.named_parameters());
  amp::GradScaler scaler;
  std::int64_t epoch = -3;
  std::string note = "größe";
  Tensor best = amp::full({2}, 7);
  Checkpoint checkpoint;
  checkpoint.add("model", model).add("optimizer", optimizer).add("scaler", scaler);
  checkpoint.add("epoch", epoch).add("note", note).add("best", best).add_random_stream();
  amp::sum(model(amp::ones({1, 2}))).backward();
  optimizer.step();
  amp::set_rng_state({.seed = 12, .offset = 34});
  checkpoint.save(folder / "f");
  const SafeTensors contents = amp::load_safetensors(folder / "f");
  for (const char* const name :
       {"model.weight", "model.bias", "optimizer.weight.exp_avg", "optimizer.bias.exp_avg_sq",
        "optimizer.applied_steps", "optimizer.groups.0.lr", "best.value"})
    CHECK(contents.tensors[index_of(contents, name)].second.defined());
  CHECK(contents.tensors.size() == 3 + optimizer.state_dict().size());
  CHECK(contents.metadata.size() == 4);
  CHECK(contents.metadata.at("note") == note);
  CHECK(contents.metadata.at("epoch") == "-3");
  CHECK(contents.metadata.at("random") == "12 34");
  CHECK(contents.metadata.at("scaler") == amp::to_string(scaler.state_dict()));
}

TEST_CASE("Checkpoint: a part can be taken from a whole checkpoint", "[interop]") {
  const Folder folder;
  amp::manual_seed(1);
  Training<amp::AdamW> training;
  training.run(5);
  training.checkpoint.save(folder / "f");
  const State saved = training.state();

  const Net net;
  Checkpoint model, nothing;
  amp::manual_seed(9);
  const amp::RngState random = amp::get_rng_state();
  CHECK_NOTHROW(nothing.load(folder / "f"));
  model.add("model", net).load(folder / "f");
  CHECK(amp::get_rng_state() == random);
  for (const auto& [name, tensor] : net.state_dict()) {
    const auto same_name = [&, key = "model." + name](const auto& entry) {
      return entry.first == key;
    };
    const auto found = std::find_if(saved.tensors.begin(), saved.tensors.end(), same_name);
    REQUIRE(found != saved.tensors.end());
    CHECK(tensor.to_vector<float>() == found->second.to_vector<float>());
  }
  std::int64_t step = 0;
  Checkpoint number;
  number.add("step", step).load(folder / "f");
  CHECK(step == 5);
}

TEST_CASE("Checkpoint: a part that the file lacks throws, naming file and part", "[interop]") {
  const Folder folder;
  Training<amp::SGD> training;
  training.run(1);
  training.checkpoint.save(folder / "f");
  const State before = training.state();
  const auto refusal = [&](const auto& add) {
    Checkpoint checkpoint;
    checkpoint.add("step", training.step);
    add(checkpoint);
    const std::string text = error_of([&] { checkpoint.load(folder / "f"); });
    CHECK_THAT(text, ContainsSubstring((folder / "f").string()));
    CHECK(training.state() == before);
    return text;
  };
  const auto named = ContainsSubstring("\"other\"");
  std::int64_t number = 8;
  std::string text = "kept";
  Tensor tensor;
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", training.net); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", training.optimizer); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", training.scaler); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", number); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", text); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("other", tensor); }), named);
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add_random_stream("other"); }), named);
  CHECK(number == 8);
  CHECK(text == "kept");
  CHECK_FALSE(tensor.defined());
  // The names are there, but of other kinds.
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("model", number); }),
             ContainsSubstring("\"model\""));
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("scaler", tensor); }),
             ContainsSubstring("\"scaler\""));
  CHECK_THAT(refusal([&](Checkpoint& c) { c.add("random", training.net); }),
             ContainsSubstring("\"random\""));
}

TEST_CASE("Checkpoint: an error about names lists those of the file", "[interop]") {
  const Folder folder;
  nn::Linear model(3, 2);
  std::int64_t epoch = 3;
  Checkpoint saving, other_name, other_layers, no_number;
  saving.add("net", model).add("epoch", epoch).save(folder / "f");
  other_name.add("model", model);
  CHECK_THAT(error_of([&] { other_name.load(folder / "f"); }),
             ContainsSubstring("\"model\"") && ContainsSubstring("missing") &&
                 ContainsSubstring("the file holds \"net.bias\", \"net.weight\", \"epoch\""));
  const nn::Sequential deeper(nn::Linear(3, 2), nn::Linear(2, 2));
  other_layers.add("net", deeper);
  CHECK_THAT(error_of([&] { other_layers.load(folder / "f"); }),
             ContainsSubstring("the file holds \"net.bias\", \"net.weight\"") &&
                 !ContainsSubstring("epoch"));
  no_number.add("step", epoch);
  CHECK_THAT(error_of([&] { no_number.load(folder / "f"); }),
             ContainsSubstring("\"step\"") && ContainsSubstring("\"epoch\""));

  SafeTensors many;
  for (int i = 0; i < 1000; ++i) many.tensors.emplace_back("t" + std::to_string(i), model.bias);
  amp::save_safetensors(folder / "f", many);
  const std::string text = error_of([&] { other_name.load(folder / "f"); });
  CHECK_THAT(text, ContainsSubstring("\"t0\"") && ContainsSubstring("and 992 more"));
  CHECK(text.size() < 500);
}

TEST_CASE("Checkpoint: an entry of a dtype that amp has not matters to its own part", "[interop]") {
  const Folder folder;
  Tensor a = amp::ones({2}, {.dtype = amp::kUInt8}), b = a;
  Checkpoint saving, first, second;
  saving.add("a", a).add("b", b).save(folder / "f");
  std::string bytes = bytes_of(folder / "f");
  const std::size_t of_b = bytes.find("U8", bytes.find("b.value"));
  REQUIRE(of_b != std::string::npos);
  std::ofstream(folder / "f", std::ios::binary) << bytes.replace(of_b, 2, "I8");
  a.zero_();
  first.add("a", a).load(folder / "f");
  CHECK(a.to_vector<int>() == std::vector<int>{1, 1});
  second.add("b", b);
  CHECK_THAT(error_of([&] { second.load(folder / "f"); }), ContainsSubstring("\"b.value\" is I8"));
}

TEST_CASE("Checkpoint: names that cannot be throw, and nothing is added", "[interop]") {
  const Folder folder;
  const Net net;
  amp::SGD optimizer(net.named_parameters());
  amp::GradScaler scaler;
  std::int64_t number = 1;
  std::string text;
  Tensor tensor = amp::ones({1});
  Checkpoint checkpoint;
  checkpoint.add("taken", number);
  for (const char* const bad : {"", ".", "a.b", "a.", ".a", "taken"}) {
    INFO('"' << bad << '"');
    const auto refused = [&](const auto& add) {
      CHECK_THAT(error_of(add), ContainsSubstring("Checkpoint::add") &&
                                    ContainsSubstring('"' + std::string(bad) + '"'));
    };
    refused([&] { checkpoint.add(bad, net); });
    refused([&] { checkpoint.add(bad, optimizer); });
    refused([&] { checkpoint.add(bad, scaler); });
    refused([&] { checkpoint.add(bad, number); });
    refused([&] { checkpoint.add(bad, text); });
    refused([&] { checkpoint.add(bad, tensor); });
    refused([&] { checkpoint.add_random_stream(bad); });
  }
  const nn::Module none = nullptr;
  CHECK_THAT(error_of([&] { checkpoint.add("none", none); }), ContainsSubstring("\"none\""));
  checkpoint.save(folder / "f");
  const SafeTensors contents = amp::load_safetensors(folder / "f");
  CHECK(contents.tensors.empty());
  CHECK(contents.metadata.size() == 1);
}

TEST_CASE("Checkpoint: a tensor is replaced, whatever it was", "[interop]") {
  const Folder folder;
  const Tensor values = amp::tensor({1.5, 2.5, -3.5}, {1, 3}, {.dtype = amp::kBFloat16});
  Tensor saved = values;
  Checkpoint saving;
  saving.add("best", saved).save(folder / "f");

  Tensor loaded;
  Checkpoint loading;
  loading.add("best", loaded).load(folder / "f");
  CHECK(loaded.dtype() == amp::kBFloat16);
  CHECK(loaded.shape() == values.shape());
  CHECK(loaded.to_vector<float>() == values.to_vector<float>());

  loaded = amp::ones({2, 2});
  const Tensor handle = loaded;
  loading.load(folder / "f");
  CHECK(loaded.to_vector<float>() == values.to_vector<float>());
  CHECK(handle.to_vector<float>() == std::vector<float>{1, 1, 1, 1});

  // An undefined tensor stays undefined if another part fails, and cannot be saved.
  loaded = Tensor();
  std::int64_t epoch = 4;
  loading.add("epoch", epoch);
  CHECK_THAT(error_of([&] { loading.load(folder / "f"); }), ContainsSubstring("\"epoch\""));
  CHECK_FALSE(loaded.defined());
  const std::string old = bytes_of(folder / "f");
  CHECK_THAT(error_of([&] { loading.save(folder / "f"); }), ContainsSubstring("\"best.value\""));
  CHECK(bytes_of(folder / "f") == old);
}

TEST_CASE("Checkpoint: numbers and random states of any size", "[interop]") {
  const Folder folder;
  std::int64_t number = 0;
  Checkpoint checkpoint;
  checkpoint.add("number", number).add_random_stream("stream");
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const amp::RngState random{.seed = UINT64_MAX - static_cast<std::uint64_t>(value),
                               .offset = static_cast<std::uint64_t>(value)};
    number = value;
    amp::set_rng_state(random);
    checkpoint.save(folder / "f");
    number = 17;
    amp::manual_seed(17);
    checkpoint.load(folder / "f");
    CHECK(number == value);
    CHECK(amp::get_rng_state() == random);
  }
}

TEST_CASE("Checkpoint: any text that is UTF-8", "[interop]") {
  const Folder folder;
  std::string text;
  Checkpoint checkpoint;
  checkpoint.add("text", text);
  for (const std::string& value : {std::string(), std::string("\0a\n\"\\", 5),
                                   std::string("größe 日本 🙂"), std::string(100'000, 'x')}) {
    text = value;
    checkpoint.save(folder / "f");
    text = "other";
    checkpoint.load(folder / "f");
    CHECK(text == value);
  }
  const std::string old = bytes_of(folder / "f");
  text = "\xff";
  CHECK_THAT(error_of([&] { checkpoint.save(folder / "f"); }),
             ContainsSubstring((folder / "f").string()) && ContainsSubstring("UTF-8"));
  CHECK(bytes_of(folder / "f") == old);
}

TEST_CASE("Checkpoint: several models and optimizers in one file", "[interop]") {
  const Folder folder;
  struct Pair {  // one name begins with the other
    nn::Linear net{3, 2}, net2{3, 2};
    amp::Adam adam{net.named_parameters(), {.lr = 0.1}};
    amp::SGD sgd{net2.named_parameters(), {.lr = 0.1, .momentum = 0.9}};
    Checkpoint checkpoint;
    Pair() { checkpoint.add("net", net).add("net2", net2).add("opt", adam).add("opt2", sgd); }
    void step() {
      const Tensor x = amp::ones({2, 3});
      adam.zero_grad();
      sgd.zero_grad();
      amp::sum(net(x) * net2(x)).backward();
      adam.step();
      sgd.step();
    }
    std::vector<float> values() const {
      std::vector<float> all = net.weight.to_vector<float>();
      for (const float x : net2.weight.to_vector<float>()) all.push_back(x);
      return all;
    }
  };
  Pair first, second;
  for (int i = 0; i < 3; ++i) first.step();
  first.checkpoint.save(folder / "f");
  CHECK(first.values() != second.values());
  second.checkpoint.load(folder / "f");
  CHECK(first.values() == second.values());
  for (int i = 0; i < 3; ++i) first.step(), second.step();
  CHECK(first.values() == second.values());
  CHECK(second.adam.applied_steps() == 6);
}

TEST_CASE("Checkpoint: a disabled scaler is saved, and loading leaves it as it is", "[interop]") {
  const Folder folder;
  amp::GradScaler disabled({.enabled = false}), enabled({.init_scale = 512});
  std::int64_t number = 1;
  Checkpoint one, two;
  one.add("scaler", disabled).add("number", number);
  two.add("scaler", enabled).add("number", number);
  disabled.set_growth_factor(0.5);  // legal, as it is never used
  one.save(folder / "disabled");
  two.save(folder / "enabled");
  const amp::GradScalerState before = disabled.state_dict();
  number = 2;
  CHECK_NOTHROW(one.load(folder / "disabled"));
  CHECK(number == 1);
  CHECK_NOTHROW(one.load(folder / "enabled"));
  CHECK(disabled.state_dict() == before);
  CHECK_FALSE(disabled.is_enabled());

  std::int64_t missing = 3;
  number = 2;
  one.add("missing", missing);
  CHECK_THAT(error_of([&] { one.load(folder / "enabled"); }), ContainsSubstring("\"missing\""));
  CHECK(number == 2);
}

TEST_CASE("Checkpoint: a failed save leaves the old file alone", "[interop]") {
  const Folder folder;
  std::int64_t number = 1;
  Checkpoint checkpoint;
  checkpoint.add("number", number).save(folder / "f");
  number = 2;
  Tensor none;
  checkpoint.add("none", none);
  CHECK_THAT(error_of([&] { checkpoint.save(folder / "f"); }), ContainsSubstring("\"none.value\""));
  none = amp::ones({1});
  CHECK_THAT(error_of([&] { checkpoint.save(folder / "f" / "g"); }),
             ContainsSubstring((folder / "f" / "g").string()));
  CHECK_THAT(error_of([&] { checkpoint.save(folder.path); }),
             ContainsSubstring(folder.path.string()));
  Checkpoint loading;
  loading.add("number", number).load(folder / "f");
  CHECK(number == 1);
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}

}  // namespace checkpoint
