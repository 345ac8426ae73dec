// Small line charts as SVG, with the same numbers in a table for who does not see them.

import { h, s } from "./dom.js";

const WIDTH = 640;
const HEIGHT = 180;
const EDGE = 40;

/** Lines over points in time. `series` is [{name, values}] with values from 0 to 1 or null; `labels` name the points. */
export function lineChart(title, labels, series) {
  const x = (at) =>
    EDGE + (labels.length < 2 ? (WIDTH - 2 * EDGE) / 2 : (at * (WIDTH - 2 * EDGE)) / (labels.length - 1));
  const y = (value) => HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE);
  const drawn = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title },
    [0, 0.5, 1].map((value) => [
      s("line", { x1: EDGE, x2: WIDTH - EDGE, y1: y(value), y2: y(value), class: "grid" }),
      s("text", { x: 0, y: y(value) + 4 }, value),
    ]),
    series.map((each, at) => [
      s("polyline", {
        class: `line-${at}`,
        points: each.values
          .map((value, point) => (value === null ? null : `${x(point)},${y(value)}`))
          .filter(Boolean)
          .join(" "),
      }),
      each.values.map(
        (value, point) =>
          value !== null &&
          s(
            "circle",
            { class: `line-${at}`, cx: x(point), cy: y(value), r: 4 },
            s("title", {}, `${each.name}, ${labels[point]}: ${value.toFixed(3)}`),
          ),
      ),
    ]),
  );
  return h(
    "figure",
    { class: "stack" },
    h(
      "figcaption",
      { class: "row small" },
      h("strong", {}, title),
      series.map((each, at) =>
        h("span", { class: "row" }, h("span", { class: `swatch line-${at}` }), each.name),
      ),
    ),
    drawn,
    h(
      "details",
      { class: "small" },
      h("summary", {}, "As a table"),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", {}),
              labels.map((each) => h("th", { scope: "col" }, each)),
            ),
          ),
          h(
            "tbody",
            {},
            series.map((each) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, each.name),
                each.values.map((value) => h("td", {}, value === null ? "–" : value.toFixed(3))),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A small line without axes, for beside a number. */
export function sparkline(values, lowest, highest, title) {
  if (values.length < 2) return null;
  const x = (at) => 2 + (at * 76) / (values.length - 1);
  const y = (value) => 22 - (20 * (value - lowest)) / (highest - lowest);
  return s(
    "svg",
    { viewBox: "0 0 80 24", class: "sparkline", role: "img", "aria-label": `${title}: ${values.join(", ")}` },
    s("polyline", { points: values.map((value, at) => `${x(at)},${y(value)}`).join(" ") }),
    s("circle", { cx: x(values.length - 1), cy: y(values.at(-1)), r: 2.5 }),
  );
}
