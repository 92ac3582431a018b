// SPDX-License-Identifier: Apache-2.0
// Metrics of one ranking, under the convention gradus: documents with equal scores are averaged over all orders.
// The tests compare them with those of the library.

// Positions by score, best first; ties keep the order of the data, and missing scores come last.
export function sortedRows(scores) {
  const key = (i) => (Number.isNaN(scores[i]) ? -Infinity : scores[i]);
  return [...scores.keys()].sort((i, k) => (key(k) > key(i)) - (key(k) < key(i)) || i - k);
}

// Lists of labels with equal scores, best first.
function tiedGroups(scores, labels) {
  const groups = [];
  let last = null;
  for (const row of sortedRows(scores)) {
    const score = Number.isNaN(scores[row]) ? -Infinity : scores[row];
    if (last !== null && score === last) groups.at(-1).push(labels[row]);
    else groups.push([labels[row]]);
    last = score;
  }
  return groups;
}

const gain = (label) => 2 ** label - 1;
const relevant = (label) => label >= 1;
const countRelevant = (labels) => labels.filter(relevant).length;

function dcg(groups, depth) {
  let sum = 0;
  let at = 0;
  for (const group of groups) {
    const mean = group.reduce((total, label) => total + gain(label), 0) / group.length;
    for (let i = 0; i < group.length; i++, at++) if (at < depth) sum += mean / Math.log2(at + 2);
  }
  return sum;
}

function precision(groups, depth) {
  let sum = 0;
  let at = 0;
  for (const group of groups) {
    sum += (countRelevant(group) / group.length) * Math.max(0, Math.min(group.length, depth - at));
    at += group.length;
  }
  return sum / depth;
}

function averagePrecision(groups) {
  let sum = 0;
  let at = 0;
  let before = 0;
  for (const group of groups) {
    const size = group.length;
    const found = countRelevant(group);
    const others = size > 1 ? (found - 1) / (size - 1) : 0;
    for (let i = 0; i < size && found; i++)
      sum += ((found / size) * (before + 1 + i * others)) / (at + i + 1);
    at += size;
    before += found;
  }
  return sum / before;
}

function reciprocalRank(groups) {
  let at = 0;
  for (const group of groups) {
    const size = group.length;
    const found = countRelevant(group);
    if (found) {
      let sum = 0;
      let none = 1; // probability that the first i documents of the group are not relevant
      for (let i = 0; i <= size - found; i++) {
        sum += (none * found) / (size - i) / (at + i + 1);
        none *= (size - found - i) / (size - i);
      }
      return sum;
    }
    at += size;
  }
  return 0;
}

// alive[j]: the expected probability to continue after j documents of the group, in random order.
function continuing(group, most) {
  const alive = [1];
  group.forEach((label, m) => {
    const go = 1 - gain(label) / 2 ** most;
    alive.push(0);
    for (let j = m + 1; j > 0; j--)
      alive[j] = ((m + 1 - j) * alive[j] + j * go * alive[j - 1]) / (m + 1);
  });
  return alive;
}

function expectedReciprocalRank(groups, depth, most) {
  let sum = 0;
  let at = 0;
  let reach = 1;
  for (const group of groups) {
    if (at >= depth) break;
    const alive = continuing(group, most);
    for (let j = 0; j < group.length && at + j < depth; j++)
      sum += (reach * (alive[j] - alive[j + 1])) / (at + j + 1);
    reach *= alive.at(-1);
    at += group.length;
  }
  return sum;
}

// The value of a metric such as "ndcg@10"; NaN if the query has no relevant document.
export function metricValue(name, scores, labels, most) {
  const [kind, cut] = name.split('@');
  const depth = cut ? Number(cut) : Infinity;
  if (!labels.some((label) => (kind === 'ndcg' || kind === 'err' ? label > 0 : relevant(label)))) return NaN;
  const groups = tiedGroups(scores, labels);
  if (kind === 'ndcg') return dcg(groups, depth) / dcg(tiedGroups(labels, labels), depth);
  if (kind === 'err') return expectedReciprocalRank(groups, depth, most);
  if (kind === 'p') return precision(groups, depth);
  return kind === 'map' ? averagePrecision(groups) : reciprocalRank(groups);
}
