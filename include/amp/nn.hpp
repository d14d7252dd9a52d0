// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules.
#pragma once

#include "amp/nn/activation.hpp"
#include "amp/nn/any_module.hpp"
#include "amp/nn/apply.hpp"
#include "amp/nn/attention.hpp"
#include "amp/nn/clone.hpp"
#include "amp/nn/containers.hpp"
#include "amp/nn/conv.hpp"
#include "amp/nn/distance.hpp"
#include "amp/nn/dropout.hpp"
#include "amp/nn/init.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/linear.hpp"
#include "amp/nn/loss.hpp"
#include "amp/nn/module.hpp"
#include "amp/nn/norm.hpp"
#include "amp/nn/padding.hpp"
#include "amp/nn/parametrization.hpp"
#include "amp/nn/pool.hpp"
#include "amp/nn/print.hpp"
#include "amp/nn/recurrent.hpp"
#include "amp/nn/reshape.hpp"
#include "amp/nn/sequential.hpp"
#include "amp/nn/transformer.hpp"
