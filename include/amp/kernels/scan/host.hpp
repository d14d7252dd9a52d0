// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scans on the host: lines share the threads, and each thread advances in several lines at a time.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/scan/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void cumsum(const ScanArgs& args);
AMP_LAZY void cumprod(const ScanArgs& args);
AMP_LAZY void logcumsumexp(const ScanArgs& args);
AMP_LAZY void cummax(const ExtremumScanArgs& args);
AMP_LAZY void cummin(const ExtremumScanArgs& args);
AMP_LAZY void cumprod_backward(const ScanBackwardArgs& args);
AMP_LAZY void logcumsumexp_backward(const ScanBackwardArgs& args);
AMP_LAZY void extremum_scan_backward(const ScanBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void cumsum(Device device, const ScanArgs& args) {
  dispatch<&Backend::cumsum, host::cumsum>(device, args);
}
AMP_LAZY inline void cumprod(Device device, const ScanArgs& args) {
  dispatch<&Backend::cumprod, host::cumprod>(device, args);
}
AMP_LAZY inline void logcumsumexp(Device device, const ScanArgs& args) {
  dispatch<&Backend::logcumsumexp, host::logcumsumexp>(device, args);
}
AMP_LAZY inline void cummax(Device device, const ExtremumScanArgs& args) {
  dispatch<&Backend::cummax, host::cummax>(device, args);
}
AMP_LAZY inline void cummin(Device device, const ExtremumScanArgs& args) {
  dispatch<&Backend::cummin, host::cummin>(device, args);
}
AMP_LAZY inline void cumprod_backward(Device device, const ScanBackwardArgs& args) {
  dispatch<&Backend::cumprod_backward, host::cumprod_backward>(device, args);
}
AMP_LAZY inline void logcumsumexp_backward(Device device, const ScanBackwardArgs& args) {
  dispatch<&Backend::logcumsumexp_backward, host::logcumsumexp_backward>(device, args);
}
AMP_LAZY inline void extremum_scan_backward(Device device, const ScanBackwardArgs& args) {
  dispatch<&Backend::extremum_scan_backward, host::extremum_scan_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/scan/host.ipp"
#endif
