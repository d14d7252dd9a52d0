// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An executable and its shared objects, hidden visibility and all, share amp's state: what one
// sets, the others see.
#include <amp/amp.hpp>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#include "plugin.hpp"

extern "C" const Plugin plugin_linked;

namespace {

int failures = 0;

void expect(bool holds, const char* plugin, const char* what) {
  if (!holds) std::printf("failed: %s: %s\n", plugin, what);
  failures += !holds;
}

bool records_gradients() {
  const amp::Tensor leaf = amp::ones({2}, {.requires_grad = true});
  return (leaf + leaf).requires_grad();
}

float draw() { return amp::rand({1}).item<float>(); }

bool seen = false;

void test(const Plugin& plugin, const char* name) {
  expect(!plugin.autocast_enabled(), name, "autocast is off at first");
  {
    const amp::AutocastGuard guard(amp::kCPU, {.dtype = amp::kFloat16});
    expect(plugin.autocast_enabled(), name, "autocast of the program is on in the plugin");
  }
  expect(!plugin.autocast_enabled(), name, "autocast is off again");
  plugin.inside_autocast([] { seen = amp::is_autocast_enabled(amp::kCPU); });
  expect(seen, name, "autocast of the plugin is on in the program");
  expect(plugin.op_is_registered(), name, "a registered op is known in the plugin");

  {
    const amp::NoGradGuard guard;
    expect(!plugin.records_gradients(), name, "no gradients in the plugin either");
  }
  expect(plugin.records_gradients(), name, "gradients are on again");
  plugin.inside_no_grad([] { seen = records_gradients(); });
  expect(!seen, name, "no gradients in the program either");

  amp::manual_seed(7);
  const float first = draw(), second = draw();
  plugin.seed(7);
  expect(draw() == first && plugin.draw() == second && first != second, name,
         "one random sequence for program and plugin");

  try {
    plugin.throw_error();
    expect(false, name, "an error is thrown");
  } catch (const amp::Error&) {
  } catch (...) {
    expect(false, name, "the plugin's error is an amp::Error of the program");
  }
}

}  // namespace

int main() {
  amp::register_op("plugin_test_op", amp::OpPolicy::kFloat32);
  test(plugin_linked, "linked");
  void* const library = dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("failed: %s\n", dlerror());
    return 1;
  }
  test(*static_cast<const Plugin*>(dlsym(library, "plugin_loaded")), "loaded");
  if (failures == 0) std::puts("state is shared");
  return failures == 0 ? 0 : 1;
}
