// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One step of a recurrent layer, with x = input weights' products and p = those of the state h:
//   LSTM (Hochreiter and Schmidhuber 1997, Neural Computation 9; Gers et al. 2000, ibid. 12):
//     i, f, o = sigmoid(x + p),  g = tanh(x + p),  c' = f c + i g,  h' = o tanh(c')
//   GRU (Cho et al. 2014, arXiv 1406.1078; the reset gate after the product, as in cuDNN):
//     r, z = sigmoid(x + p),  n = tanh(x + r p),  h' = n + z (h - n)
//   Elman's network: h' = tanh(x + p), or relu(x + p)
// and its gradients.
#pragma once

#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::recurrent_cells {

using functions::Relu;
using functions::Sigmoid;
using functions::Tanh;

struct Lstm {
  AMP_FORMULA cell(C i, C f, C g, C c) { return f * c + i * g; }
  AMP_FORMULA hidden(C o, C c) { return o * Tanh::apply(c); }
  /// The gradient of c', in which t is tanh(c').
  AMP_FORMULA grad_cell(C grad_h, C grad_c, C o, C t) {
    return grad_c + Tanh::derivative(grad_h * o, t);
  }
};

struct Gru {
  AMP_FORMULA candidate(C x, C r, C p) { return Tanh::apply(x + r * p); }
  AMP_FORMULA hidden(C z, C n, C h) { return n + z * (h - n); }
  /// The gradients before the functions of n and z.
  AMP_FORMULA grad_candidate(C grad, C z, C n) { return Tanh::derivative(grad * (C{1} - z), n); }
  AMP_FORMULA grad_update(C grad, C z, C n, C h) { return Sigmoid::derivative(grad * (h - n), z); }
};

}  // namespace amp::inline v0::kernels::recurrent_cells
