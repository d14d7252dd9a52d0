// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/multilabel_margin/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void multilabel_margin(const MultilabelMarginArgs& args);
AMP_LAZY void multilabel_margin_backward(const MultilabelMarginBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void multilabel_margin(Device device, const MultilabelMarginArgs& args) {
  dispatch<&Backend::multilabel_margin, host::multilabel_margin>(device, args);
}
AMP_LAZY inline void multilabel_margin_backward(Device device,
                                                const MultilabelMarginBackwardArgs& args) {
  dispatch<&Backend::multilabel_margin_backward, host::multilabel_margin_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/multilabel_margin/host.ipp"
#endif
