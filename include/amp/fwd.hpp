// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Forward declarations, for headers of a program that only name amp's types: in the parameters of a
// function, or behind a pointer. A file that uses one of them includes <amp/amp.hpp>.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

class AMP_EXPORT Error;

enum class NonFinite;
template <int ExponentBits, int MantissaBits, NonFinite Special>
class small_float;
using half = small_float<5, 10, NonFinite{}>;
using bfloat16 = small_float<8, 7, NonFinite{}>;
enum class DType : std::uint8_t;

enum class DeviceType : std::uint8_t;
struct Device;

class Shape;
class Tensor;
struct TensorOptions;
struct TensorView;
struct ParameterView;

class NoGradGuard;
class AMP_EXPORT AutocastState;
class AutocastGuard;
struct AutocastOptions;
enum class OpPolicy : std::uint8_t;

namespace nn {
class Module;
class Sequential;
}  // namespace nn

class Optimizer;
class SGD;
class Adam;
class AdamW;
class Adamax;
class NAdam;
class RAdam;
class RMSprop;
class Adagrad;
class Adadelta;
class Lion;
class LAMB;
class Muon;
class Adafactor;
class ExponentialMovingAverage;

class GradScaler;
struct GradScalerOptions;
struct GradScalerState;
class StepResult;

class Checkpoint;
struct SafeTensors;
struct SafeTensorsOptions;
struct FromDLPackOptions;
struct ToDLPackOptions;

}  // namespace amp::inline v0
