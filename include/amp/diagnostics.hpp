// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tools that report in which precision a program computes, and find numerical errors in it. Not
// part of <amp/amp.hpp>; tools that are not used cost nothing.
#pragma once

#include "amp/diagnostics/anomaly.hpp"             // AnomalyGuard: the first op that is not finite
#include "amp/diagnostics/diagnose.hpp"            // diagnose: why a step was skipped
#include "amp/diagnostics/exponent_histogram.hpp"  // ExponentHistogram of a tensor
#include "amp/diagnostics/gradient_histogram.hpp"  // GradientHistogram: what float16 would lose
#include "amp/diagnostics/gradient_histogram_guard.hpp"  // the same of activations, in backward
#include "amp/diagnostics/loss_scale_timeline.hpp"       // where drawing went
#include "amp/diagnostics/precision_report.hpp"          // a model by dtype, and its gradients
#include "amp/diagnostics/shadow_run.hpp"                // one step in two precisions, op by op
#include "amp/diagnostics/trace.hpp"        // Trace: op, precision, reason, casts, time
#include "amp/diagnostics/trace_guard.hpp"  // records a Trace
