// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of elements on the host. A line is sorted by its keys, digit by digit; lines share the
// threads.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/order/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void sort(const SortArgs& args);
AMP_LAZY void select(const SelectArgs& args);
AMP_LAZY void put(const PutArgs& args);
AMP_LAZY void begin_runs(const RunsArgs& args);
AMP_LAZY void search(const SearchArgs& args);
AMP_LAZY void count_in_bins(const CountArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void sort(Device device, const SortArgs& args) {
  dispatch<&Backend::sort, host::sort>(device, args);
}
AMP_LAZY inline void select(Device device, const SelectArgs& args) {
  dispatch<&Backend::select, host::select>(device, args);
}
AMP_LAZY inline void put(Device device, const PutArgs& args) {
  dispatch<&Backend::put, host::put>(device, args);
}
AMP_LAZY inline void begin_runs(Device device, const RunsArgs& args) {
  dispatch<&Backend::begin_runs, host::begin_runs>(device, args);
}
AMP_LAZY inline void search(Device device, const SearchArgs& args) {
  dispatch<&Backend::search, host::search>(device, args);
}
AMP_LAZY inline void count_in_bins(Device device, const CountArgs& args) {
  dispatch<&Backend::count_in_bins, host::count_in_bins>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/order/host.ipp"
#endif
