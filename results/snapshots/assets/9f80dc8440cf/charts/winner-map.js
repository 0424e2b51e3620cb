// What maps of winners share, over a triangle or over a square: where each model wins, where the leader is not certain, and
// the layers of the picture.
import { svg } from "./svg.js";

/** @import { MetricData } from "../../types" */
/** The points of a map in Python's order, and the part of the map that some of them stand for.
 * @template {number[]} Node @typedef {{ nodes: Node[], ground: (nodes: Node[]) => number }} MapGrid */
/** Where one model wins. @template {number[]} Node @typedef {{ model: number, nodes: Node[], share: number }} Region */
/** Where the leader is not certain. @template {number[]} Node @typedef {{ nodes: Node[], share: number }} Unsure */
/**
 * What draws the parts of a map: its outline and the lines of a hatching as paths, the others as elements.
 * @template {number[]} Node
 * @typedef {{ outline: string, region: (region: Region<Node>) => SVGElement, hatching: (nodes: Node[]) => string,
 *   regionName: (region: Region<Node>) => SVGElement[], axes: (metrics: MetricData[]) => SVGElement[] }} Drawing
 */

/** Who wins where no model is ranked. */
export const NOBODY = -1;

/** Regions, largest first. `winners` are models in the order of the points.
 * @template {number[]} Node @param {MapGrid<Node>} grid @param {Int32Array} winners @returns {Region<Node>[]} */
export function regionsOf(grid, winners) {
  /** @type {Map<number, Node[]>} */
  const nodes = new Map();
  winners.forEach((model, at) => {
    const won = nodes.get(model);
    if (won) won.push(grid.nodes[at]);
    else nodes.set(model, [grid.nodes[at]]);
  });
  const regions = [...nodes].map(([model, won]) => ({ model, nodes: won, share: grid.ground(won) }));
  return regions.sort((one, other) => other.share - one.share || one.model - other.model);
}

/** Null where a ranking was asked for meanwhile.
 * @template {number[]} Node @param {MapGrid<Node>} grid @param {number[] | null} sure @returns {Unsure<Node> | null} */
export function unsureOf(grid, sure) {
  if (!sure) return null;
  const nodes = grid.nodes.filter((_, at) => !sure[at]);
  return { nodes, share: grid.ground(nodes) };
}

/** Runs of neighbouring points of one row: [row, first, last]. `row` and `along` say which of a point's numbers are which.
 * @param {number[][]} nodes @param {number} row @param {number} along */
export function runsOf(nodes, row, along) {
  const sorted = [...nodes].sort((one, other) => one[row] - other[row] || one[along] - other[along]);
  /** @type {[row: number, first: number, last: number][]} */
  const found = [];
  for (const node of sorted) {
    const last = found.at(-1);
    if (last?.[0] === node[row] && last[2] + 1 === node[along]) last[2] = node[along];
    else found.push([node[row], node[along], node[along]]);
  }
  return found;
}

/** Everything in the picture; smaller regions lie on top of larger ones. `unsure` are the points where the leader is not
 * certain.
 * @template {number[]} Node @param {Drawing<Node>} drawing @param {Region<Node>[]} regions @param {Node[]} unsure
 * @param {MetricData[]} metrics */
export function layersOf(drawing, regions, unsure, metrics) {
  const won = regions.filter(({ model }) => model !== NOBODY);
  return [
    svg("path", { class: "nobody", d: drawing.outline }),
    ...won.map((region) => drawing.region(region)),
    ...(unsure.length ? [svg("path", { class: "unsure", d: drawing.hatching(unsure) })] : []),
    svg("path", { class: "outline", d: drawing.outline }),
    ...won.flatMap((region) => drawing.regionName(region)),
    ...drawing.axes(metrics),
  ];
}
