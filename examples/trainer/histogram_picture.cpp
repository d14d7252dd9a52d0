// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Draws histograms of gradients.
#include "trainer/histogram_picture.hpp"
#include "trainer/svg_writer.hpp"

#include <amp/diagnostics/histogram_text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace examples {
namespace {

using amp::ExponentHistogram;
using amp::diagnostics::Fate;
using amp::diagnostics::percent_text;
using amp::diagnostics::ratio;
using amp::diagnostics::ScaledFormat;
using amp::diagnostics::ScaleExponent;

/// Draws figure 3 of Micikevicius et al. 2017. Above the bars there is a strip for each scale,
/// which shows the ranges of the format.
class HistogramWriter {
 public:
  HistogramWriter(std::string_view title, std::size_t tensors, const ExponentHistogram& all,
                  const ScaledFormat& format)
      : all_(all), format_(format), svg_(kWidth, kHeight, title) {
    const int shift = format.exponent.up;
    low_ = std::min({all.min_exponent().value_or(0), format.limits.flushed - std::max(0, shift),
                     format.limits.flushed - shift}) -
           3;
    high_ = std::max({all.max_exponent().value_or(0) + 1, format.limits.normal + 8}) + 3;
    set_floor();
    const std::string count = std::to_string(all.total()) + " values in " +
                              std::to_string(tensors) + (tensors == 1 ? " tensor" : " tensors");
    svg_.text(kZero, 22, "start", title, "title");
    svg_.text(kZero, 40, "start", count, "quiet");
  }

  std::string write() {
    svg_.rectangle(kLeft, kTop, across(format_.limits.flushed) - kLeft, kBottom - kTop, "f1 faint");
    axes();
    bars();
    strip(kStrip, "scale 1", {0, 0}, "");
    if (format_.scaled())
      strip(kStrip + kStripStep, "scale " + amp::diagnostics::scale_text(format_.scale),
            format_.exponent, " dashed");
    legend();
    return svg_.finish();
  }

 private:
  static constexpr double kWidth = 900, kHeight = 470;
  static constexpr double kZero = 68, kLeft = 106, kRight = 640, kTop = 120, kBottom = 410;
  static constexpr double kStrip = 56, kStripStep = 26, kStripHeight = 16;
  // Colours of SvgWriter.
  static constexpr std::array<const char*, 4> kColour = {"1", "2", "4", "0"};  // by Fate

  double across(double exponent) const {
    return kLeft + std::clamp((exponent - low_) / (high_ - low_), 0.0, 1.0) * (kRight - kLeft);
  }
  /// Returns the y coordinate of a share of all values.
  double down(double share) const {
    const double height = (std::log10(share) - floor_) / -floor_;
    return kBottom - std::clamp(height, 0.0, 1.0) * (kBottom - kTop);
  }
  /// The axis begins below the smallest bar, but not below 0.0001 %.
  void set_floor() {
    double least = 0.01;
    const auto see = [&](std::int64_t count) {
      if (count != 0) least = std::min(least, ratio(count, all_.total()));
    };
    for (const std::int64_t count : all_.counts()) see(count);
    floor_ = std::max(-6.0, std::floor(std::log10(least) - 0.2));
  }

  void axes() {
    for (double decade = 0; decade >= floor_; --decade) {
      const double y = down(std::pow(10, decade));
      svg_.line(kZero, y, kRight, y, "rule");
      svg_.text(kZero - 6, y + 4, "end", SvgWriter::number(std::pow(10, decade + 2)) + " %",
                "quiet");
    }
    for (const double mark : ticks(low_, high_, 12, 1))
      svg_.text(across(mark), kBottom + 18, "middle", SvgWriter::number(mark), "quiet");
    svg_.text(kZero + 10, kBottom + 18, "middle", "zero", "quiet");
    svg_.text((kLeft + kRight) / 2, kBottom + 40, "middle",
              "log2 of the gradient's magnitude, without the loss scale", "quiet");
  }

  void bar(double x, double width, std::int64_t count, const char* colour,
           const std::string& what) {
    if (count == 0) return;
    const double share = ratio(count, all_.total()), y = std::min(down(share), kBottom - 2);
    svg_.rectangle(x, y, width, kBottom - y, std::string("f") + colour,
                   what + ": " + percent_text(share));
  }
  void bars() {
    bar(kZero + 2, 16, all_.zeros(), "5", "zeros");
    const double width = (kRight - kLeft) / (high_ - low_);
    for (int e = low_; e < high_; ++e)
      bar(across(e), std::max(0.5, width - 1), all_.count(e), colour_of(format_.fate(e)),
          "2^" + std::to_string(e) + " to 2^" + std::to_string(e + 1));
    svg_.line(kZero, kBottom, kRight, kBottom, "ink");
  }

  /// Draws the ranges of the format at a scale, and lines from its limits to the axis.
  void strip(double y, const std::string& scale, ScaleExponent exponent,
             const std::string& dashes) {
    const double zero = format_.limits.flushed - exponent.up,
                 normal = format_.limits.normal - exponent.up,
                 overflow = format_.limits.overflow - exponent.down;
    range(y, low_, zero, "f1", "becomes 0");
    range(y, zero, normal, "f3", "subnormal");
    range(y, normal, overflow, "f0", "normal");
    range(y, overflow, high_, "f4", "overflows");
    svg_.text(kRight + 10, y + 12, "start", format_.name + " at " + scale);
    limit(zero, "s1" + dashes);
    limit(normal, "s3" + dashes);
    limit(overflow, "s4" + dashes);
  }
  void range(double y, double from, double to, const char* colour, std::string_view words) {
    const double x = across(from), width = across(to) - x;
    if (width <= 0) return;
    svg_.rectangle(x, y, width, kStripHeight, std::string(colour) + " half", words);
    if (width > 7 * static_cast<double>(words.size()))
      svg_.text(x + width / 2, y + 12, "middle", words);
  }
  void limit(double exponent, const std::string& css_class) {
    if (exponent <= low_ || exponent >= high_) return;
    svg_.line(across(exponent), kTop - 10, across(exponent), kBottom, "limit " + css_class);
  }

  void legend() {
    const double total = static_cast<double>(all_.total());
    std::array<std::int64_t, 4> counts{};
    for (int e = ExponentHistogram::kMinExponent; e <= ExponentHistogram::kMaxExponent; ++e)
      counts[static_cast<std::size_t>(format_.fate(e))] += all_.count(e);
    const std::string scale = amp::diagnostics::scale_text(format_.scale);
    double y = kTop + 14;
    const auto row = [&](const char* colour, const std::string& words, std::int64_t count) {
      svg_.rectangle(kRight + 10, y - 9, 11, 11, std::string("f") + colour);
      svg_.text(kRight + 28, y, "start",
                words + ": " + percent_text(total == 0 ? 0 : static_cast<double>(count) / total));
      y += 20;
    };
    const auto fate = [&](Fate which, const std::string& words) {
      row(colour_of(which), words, counts[static_cast<std::size_t>(which)]);
    };
    svg_.text(kRight + 10, y, "start", "Of all values", "quiet"), y += 20;
    row("5", "zeros", all_.zeros());
    fate(Fate::kLost, format_.scaled() ? "become 0 even at " + scale : "become 0");
    if (format_.scaled()) fate(Fate::kSaved, "become 0 at scale 1 only");
    fate(Fate::kKept, "kept at scale 1");
    fate(Fate::kOverflow, format_.scaled() ? "overflow at " + scale : "overflow");
    if (all_.infs() + all_.nans() > 0) {
      svg_.text(
          kRight + 28, y, "start",
          "infinite: " + std::to_string(all_.infs()) + ", NaN: " + std::to_string(all_.nans()));
      y += 20;
    }
    recommendation(y + 16);
  }
  void recommendation(double y) {
    const auto line = [&](const std::string& words, std::string_view css_class = "quiet") {
      svg_.text(kRight + 10, y, "start", words, css_class);
      y += 17;
    };
    const amp::ScaleRecommendation advice = all_.recommended_scale(format_.dtype);
    line("Recommended scale: " + amp::diagnostics::scale_text(advice.scale), "");
    line("At scale 1, " + percent_text(all_.flushed_share(1, format_.dtype)));
    if (format_.scaled())
      line("at " + amp::diagnostics::scale_text(format_.scale) + ", " +
           percent_text(all_.flushed_share(format_.scale, format_.dtype)));
    line("with the recommended, " + percent_text(advice.flushed_share));
    line("of the non-zero values become 0.");
  }

  static const char* colour_of(Fate fate) { return kColour[static_cast<std::size_t>(fate)]; }

  const ExponentHistogram& all_;
  const ScaledFormat& format_;
  SvgWriter svg_;
  int low_ = 0, high_ = 1;
  double floor_ = -2;  // the logarithm of the share at which the axis begins
};

}  // namespace

std::string to_svg(const amp::GradientHistogram& gradients, std::string_view title,
                   amp::DType format) {
  const ScaledFormat scaled(format, gradients.scale());
  return HistogramWriter(title, gradients.by_name().size(), gradients.all(), scaled).write();
}

}  // namespace examples
