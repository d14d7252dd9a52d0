// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The report as one HTML file that needs no other.
#pragma once

#include "trainer/chart.hpp"
#include "trainer/summary.hpp"

#include <string>
#include <vector>

namespace examples {

struct Figure {
  std::string svg = {}, caption = {};
};

inline std::string to_html(const Options& options, const std::vector<Result>& results,
                           const std::vector<Figure>& figures) {
  const Result& first = results.front();
  std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Training report</title>
<style>
body { font: 16px/1.5 sans-serif; color: #222; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; }
code { overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1.5em 0; }
th, td { padding: .3em .9em; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
.note { border-left: 4px solid #ee6677; padding: .2em .8em; background: #fdf3f4; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 500px), 1fr)); gap: 1.5em; }
figure { margin: 0; }
figcaption { font-size: .85em; color: #555; }
</style>
</head>
<body>
)";
  page += "<h1>" + escaped(options.dataset) + ", " + escaped(options.optimizer) + ", " +
          std::to_string(first.epochs.size()) + (first.epochs.size() == 1 ? " epoch" : " epochs") +
          "</h1>\n<p><code>" + escaped(options.command) + "</code></p>\n<table>\n";
  const auto add_row = [&](const Row& row, const char* cell) {
    page += "<tr>";
    for (const std::string& text : row)
      page += std::string("<") + cell + ">" + escaped(text) + "</" + cell + ">";
    page += "</tr>\n";
  };
  add_row(kHeader, "th");
  for (const std::vector<Result>& group : by_precision(results)) add_row(row_of(group), "td");
  page += "</table>\n";
  for (const std::string& note : notes_of(options, results))
    page += "<p class=\"note\">" + escaped(note) + "</p>\n";
  page +=
      "<p>Final loss: mean of the last epoch. Skipped: steps that were left out because a "
      "gradient overflowed.";
  if (options.seeds > 1)
    page +=
        " Means over the seeds, +- half the distance from the lowest to the highest; the "
        "curves are those of the first seed.";
  page += "</p>\n<div class=\"figures\">\n";
  for (const Figure& figure : figures) {
    page += "<figure>\n" + figure.svg + "<figcaption>" + escaped(figure.caption) +
            "</figcaption>\n</figure>\n";
  }
  Settings settings = settings_of(options);
  settings["device"] = options.device;
  settings["epochs"] = std::to_string(options.epochs);
  return page + "</div>\n<h2>Settings</h2>\n<p><code>" + escaped(to_string(settings)) +
         "</code></p>\n</body>\n</html>\n";
}

}  // namespace examples
