// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of losses whose targets and lengths are tensors of the case.
#pragma once

#include <amp/amp.hpp>

#include "differential/case.hpp"

namespace differential {

inline void add_losses_of_classes(Calls& calls) {
  calls["multi_margin_loss.classes"] = [](const Case& c) -> Results {
    return {amp::multi_margin_loss(
        c[0], c[1],
        {.reduction = reduction(c, 0), .p = c.integer(1), .margin = c.real(2), .weight = c[2]})};
  };
  calls["multilabel_margin_loss.classes"] = [](const Case& c) -> Results {
    return {amp::multilabel_margin_loss(c[0], c[1], {.reduction = reduction(c, 0)})};
  };
  calls["ctc_loss"] = [](const Case& c) -> Results {
    return {amp::ctc_loss(
        amp::log_softmax(c[0], -1), c[1], c[2], c[3],
        {.blank = c.integer(0), .reduction = reduction(c, 1), .zero_infinity = true})};
  };
}

}  // namespace differential
