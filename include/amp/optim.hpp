// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers, learning rates and gradient clipping.
#pragma once

#include "amp/optim/adadelta.hpp"
#include "amp/optim/adafactor.hpp"
#include "amp/optim/adagrad.hpp"
#include "amp/optim/adam.hpp"
#include "amp/optim/adamax.hpp"
#include "amp/optim/clip.hpp"
#include "amp/optim/lamb.hpp"
#include "amp/optim/lambda_lr.hpp"
#include "amp/optim/lion.hpp"
#include "amp/optim/muon.hpp"
#include "amp/optim/nadam.hpp"
#include "amp/optim/radam.hpp"
#include "amp/optim/reduce_lr_on_plateau.hpp"
#include "amp/optim/rmsprop.hpp"
#include "amp/optim/sgd.hpp"
#include "amp/optim/weight_average.hpp"
