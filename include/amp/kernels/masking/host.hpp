// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The true elements of masks on the host.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/masking/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void mask_ranks(const MaskRanksArgs& args);
AMP_LAZY void mask_places(const MaskPlacesArgs& args);
AMP_LAZY void masked_select(const MaskedSelectArgs& args);
AMP_LAZY void masked_scatter(const MaskedScatterArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void mask_ranks(Device device, const MaskRanksArgs& args) {
  dispatch<&Backend::mask_ranks, host::mask_ranks>(device, args);
}
AMP_LAZY inline void mask_places(Device device, const MaskPlacesArgs& args) {
  dispatch<&Backend::mask_places, host::mask_places>(device, args);
}
AMP_LAZY inline void masked_select(Device device, const MaskedSelectArgs& args) {
  dispatch<&Backend::masked_select, host::masked_select>(device, args);
}
AMP_LAZY inline void masked_scatter(Device device, const MaskedScatterArgs& args) {
  dispatch<&Backend::masked_scatter, host::masked_scatter>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/masking/host.ipp"
#endif
