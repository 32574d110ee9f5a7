// A layered drawing of a graph (Sugiyama, Tagawa and Toda 1981). Pure: sizes in, places out.

const blockMin = 48;

/**
 * Places the nodes of a graph without cycles in columns.
 *
 * A column of many nodes becomes a block of several columns, which is placed as one node: edges end
 * at its border. So graphs stay readable, and thousands of siblings cost no more than one.
 */
export function layered(count, edges, size, options) {
  const columns = [];
  ranks(count, edges, options?.isLast).forEach((rank, node) => (columns[rank] ??= []).push(node));
  if (columns.every((column) => column.length < blockMin)) {
    return placed(count, edges, size, options);
  }
  const blocks = columns.flatMap((column) =>
    (column.length < blockMin ? column.map((node) => blockOf([node], size))
      : [blockOf(column, size)]));
  const blockAt = new Int32Array(count);
  blocks.forEach((block, at) => block.members.forEach((node) => { blockAt[node] = at; }));
  const known = new Map();
  const between = [];
  const edgeAt = edges.map(([from, to]) => {
    const pair = [blockAt[from], blockAt[to]];
    const key = pair.join();
    if (!known.has(key)) known.set(key, between.push(pair) - 1);
    return known.get(key);
  });
  const isLast = (at) => options?.isLast?.(blocks[at].members[0]) ?? false;
  const outer = placed(blocks.length, between, (at) => blocks[at], { ...options, isLast });
  const nodes = [];
  blocks.forEach((block, at) => {
    const { x, y } = outer.nodes[at];
    block.members.forEach((node, index) => {
      const [column, row] = [Math.floor(index / block.rows), index % block.rows];
      nodes[node] = { x: x + column * (block.cellW + blockGap), w: block.cellW,
        y: y - block.h / 2 + row * (block.cellH + blockGap) + block.cellH / 2 };
    });
  });
  return { ...outer, nodes, routes: edgeAt.map((at) => outer.routes[at]) };
}

const blockGap = 14;

/** Nodes that are placed together, about as high as they are many to a row. */
function blockOf(members, size) {
  const sizes = members.map(size);
  const cellW = sizes.reduce((most, { w }) => Math.max(most, w), 0);
  const cellH = sizes.reduce((most, { h }) => Math.max(most, h), 0);
  const rows = Math.ceil(Math.sqrt(members.length));
  const across = Math.ceil(members.length / rows);
  return { members, rows, cellW, cellH, w: across * (cellW + blockGap) - blockGap,
    h: rows * (cellH + blockGap) - blockGap };
}

/**
 * Places nodes one by one.
 *
 * Edges are pairs of node numbers; `size` returns the width and height of a node. Ranks come from
 * longest paths; long edges share one chain of dummies for each source, so that fans stay linear;
 * the order within a column comes from barycentres, and the places from isotonic regression.
 */
function placed(count, edges, size, { sweeps = 12, gapX = 46, gapY = 16, isLast } = {}) {
  const graph = withDummies(count, edges, ranks(count, edges, isLast));
  const { rank, above, below, routes } = graph;
  const layers = [];
  for (let node = 0; node < rank.length; node += 1) (layers[rank[node]] ??= []).push(node);
  const heights = rank.map((_, node) => (node < count ? size(node).h : 6));
  order(layers, rank, above, below, sweeps);
  const y = places(layers, heights, above, below, count, gapY);
  let top = Infinity;
  let bottom = -Infinity;
  for (let node = 0; node < rank.length; node += 1) {
    top = Math.min(top, y[node] - heights[node] / 2);
    bottom = Math.max(bottom, y[node] + heights[node] / 2);
  }
  const widths = layers.map((layer) =>
    layer.reduce((widest, node) => (node < count ? Math.max(widest, size(node).w) : widest), 1));
  const left = [];
  let x = 0;
  widths.forEach((width, layer) => {
    left[layer] = x;
    x += width + gapX;
  });
  let firstLast = null;
  for (let node = 0; node < count && isLast; node += 1) {
    if (isLast(node)) firstLast = Math.min(firstLast ?? Infinity, rank[node]);
  }
  const start = (node) => ({ x: left[rank[node]], y: y[node] - top });
  const end = (node) => ({ x: left[rank[node]] + widths[rank[node]], y: y[node] - top });
  return {
    width: Math.max(1, x - gapX), height: count ? bottom - top : 1,
    // Where the line before the last nodes is; null if there are none, or nothing before them.
    lastAt: firstLast ? left[firstLast] - gapX / 2 : null,
    nodes: Array.from({ length: count }, (_, node) => ({ ...start(node), w: widths[rank[node]] })),
    routes: routes.map((route) => route.flatMap((node, position) => {
      if (position === 0) return [end(node)];
      return node < count ? [start(node)] : [start(node), end(node)];
    })),
  };
}

/**
 * The column of each node: the longest path to it; sources are pulled to what needs them. Those for
 * which `isLast` holds are behind all others, which they follow without edges.
 */
function ranks(count, edges, isLast) {
  const outgoing = Array.from({ length: count }, () => []);
  const missing = new Int32Array(count);
  for (const [from, to] of edges) {
    outgoing[from].push(to);
    missing[to] += 1;
  }
  const isSource = Array.from(missing, (number) => number === 0);
  const rank = new Array(count).fill(0);
  const sorted = [];
  for (let node = 0; node < count; node += 1) if (isSource[node]) sorted.push(node);
  for (let at = 0; at < sorted.length; at += 1) {
    for (const next of outgoing[sorted[at]]) {
      rank[next] = Math.max(rank[next], rank[sorted[at]] + 1);
      missing[next] -= 1;
      if (missing[next] === 0) sorted.push(next);
    }
  }
  for (const node of sorted) {
    if (!isSource[node] || !outgoing[node].length) continue;
    rank[node] = outgoing[node].reduce((least, next) => Math.min(least, rank[next]), Infinity) - 1;
  }
  if (!isLast) return rank;
  let behind = 0;
  for (let node = 0; node < count; node += 1) {
    if (!isLast(node)) behind = Math.max(behind, rank[node] + 1);
  }
  return rank.map((own, node) => (isLast(node) ? own + behind : own));
}

/** Replaces edges across several columns by chains of dummies. */
function withDummies(count, edges, nodeRanks) {
  const rank = [...nodeRanks];
  const above = rank.map(() => []);
  const below = rank.map(() => []);
  const chains = new Map();
  const connect = (from, to) => {
    below[from].push(to);
    above[to].push(from);
  };
  const routes = edges.map(([from, to]) => {
    const route = [from];
    let last = from;
    for (let layer = rank[from] + 1; layer < rank[to]; layer += 1) {
      const key = `${from}:${layer}`;
      let dummy = chains.get(key);
      if (dummy === undefined) {
        dummy = rank.length;
        chains.set(key, dummy);
        rank.push(layer);
        above.push([]);
        below.push([]);
        connect(last, dummy);
      }
      route.push(dummy);
      last = dummy;
    }
    connect(last, to);
    return [...route, to];
  });
  return { rank, above, below, routes };
}

/** Orders the nodes within columns: first depth first, then by barycentres while it gets better. */
function order(layers, rank, above, below, sweeps) {
  const position = new Float64Array(rank.length);
  const seen = new Uint8Array(rank.length);
  const next = layers.map(() => 0);
  for (const root of layers.flat()) {
    const stack = [root];
    while (stack.length) {
      const node = stack.pop();
      if (seen[node]) continue;
      seen[node] = 1;
      position[node] = next[rank[node]]++;
      for (let at = below[node].length - 1; at >= 0; at -= 1) stack.push(below[node][at]);
    }
  }
  for (const layer of layers) layer.sort((a, b) => position[a] - position[b]);
  let best = crossings(layers, below, position);
  let bestOrder = layers.map((layer) => [...layer]);
  const centre = new Float64Array(rank.length);
  for (let sweep = 0, idle = 0; sweep < sweeps && best > 0 && idle < 3; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (let step = 1; step < layers.length; step += 1) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      for (const node of layer) {
        const near = isDown ? above[node] : below[node];
        const sum = near.reduce((total, other) => total + position[other], 0);
        centre[node] = near.length ? sum / near.length : position[node];
      }
      layer.sort((a, b) => centre[a] - centre[b] || position[a] - position[b]);
      layer.forEach((node, at) => { position[node] = at; });
    }
    const count = crossings(layers, below, position);
    idle += 1;
    if (count < best) [best, bestOrder, idle] = [count, layers.map((layer) => [...layer]), 0];
  }
  bestOrder.forEach((layer, at) => { layers[at] = layer; });
}

/** Counts crossings with a Fenwick tree for each column (Barth, Jünger and Mutzel 2002). */
function crossings(layers, below, position) {
  let total = 0;
  for (let layer = 1; layer < layers.length; layer += 1) {
    const size = layers[layer].length;
    const tree = new Int32Array(size + 1);
    let put = 0;
    for (const node of layers[layer - 1]) {
      const targets = below[node].map((target) => position[target]);
      for (const target of targets) {
        let before = 0;
        for (let at = target + 1; at > 0; at -= at & -at) before += tree[at];
        total += put - before;
      }
      for (const target of targets) {
        for (let at = target + 1; at <= size; at += at & -at) tree[at] += 1;
        put += 1;
      }
    }
  }
  return total;
}

/** Places the nodes of each column near their neighbours, in order and with gaps. */
function places(layers, heights, above, below, count, gapY) {
  const y = new Float64Array(heights.length);
  for (const layer of layers) {
    let at = 0;
    for (const node of layer) {
      y[node] = at + heights[node] / 2;
      at += heights[node] + gapY;
    }
    for (const node of layer) y[node] -= (at - gapY) / 2;
  }
  for (let sweep = 0; sweep < 8; sweep += 1) {
    const isDown = sweep % 2 === 0;
    for (let step = 0; step < layers.length; step += 1) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      const wanted = layer.map((node) => {
        const near = isDown ? above[node] : below[node];
        const all = sweep >= 6 ? [...above[node], ...below[node]] : near;
        return all.length ? all.reduce((sum, other) => sum + y[other], 0) / all.length : y[node];
      });
      settle(layer, wanted, y, heights, count, gapY);
    }
  }
  return y;
}

/** Least squares under the order: pools adjacent violators (Ayer and others 1955). Linear. */
function settle(layer, wanted, y, heights, count, gapY) {
  const offsets = [];
  let at = 0;
  layer.forEach((node, index) => {
    if (index) {
      const last = layer[index - 1];
      const gap = node >= count || last >= count ? gapY * 0.6 : gapY;
      at += (heights[last] + heights[node]) / 2 + gap;
    }
    offsets.push(at);
  });
  const blocks = [];
  layer.forEach((node, index) => {
    const weight = node >= count ? 4 : 1;
    let block = { sum: (wanted[index] - offsets[index]) * weight, weight, size: 1 };
    while (blocks.length) {
      const last = blocks[blocks.length - 1];
      if (last.sum / last.weight <= block.sum / block.weight) break;
      blocks.pop();
      block = {
        sum: last.sum + block.sum, weight: last.weight + block.weight, size: last.size + block.size,
      };
    }
    blocks.push(block);
  });
  let index = 0;
  for (const block of blocks) {
    for (let number = 0; number < block.size; number += 1, index += 1) {
      y[layer[index]] = block.sum / block.weight + offsets[index];
    }
  }
}
