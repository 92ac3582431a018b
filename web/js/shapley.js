// SPDX-License-Identifier: Apache-2.0
// Contributions of features to the score of a document, for models in the page: Shapley values, sampled.

// Random numbers in [0, 1) that are the same on every call (mulberry32).
function makeRandom() {
  let state = 12345;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffle(list, random) {
  for (let i = list.length - 1; i > 0; i--) {
    const k = Math.floor(random() * (i + 1));
    [list[i], list[k]] = [list[k], list[i]];
  }
}

const permutations = 48;

// Replaces the values of a reference by those of the document, in random orders, each also reversed. The
// contributions add up to the score minus the mean score of the references.
export function shapleyValues(score, row, references) {
  const random = makeRandom();
  const sums = new Float64Array(row.length);
  const rounds = Math.max(2 * references.length, permutations);
  let base = 0;
  let order = [];
  for (let round = 0; round < rounds; round++) {
    const reference = references[(round >> 1) % references.length];
    if (round % 2 === 0) {
      order = [...row.keys()].filter((f) => !Object.is(row[f], reference[f]));
      shuffle(order, random);
    } else order.reverse();
    const mixed = Float32Array.from(reference);
    let last = score(mixed);
    base += last;
    for (const f of order) {
      mixed[f] = row[f];
      const now = score(mixed);
      sums[f] += now - last;
      last = now;
    }
  }
  return { base: base / rounds, by: Array.from(sums, (sum) => sum / rounds) };
}
