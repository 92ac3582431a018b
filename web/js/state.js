// SPDX-License-Identifier: Apache-2.0
// The data of the page, and what the reader has chosen to see.

import { shortNames } from './format.js';

export const report = JSON.parse(document.getElementById('data').textContent);
export const looking = { set: 0, metric: 0, a: 0, b: 1 };

export const systems = report.sets.length
  ? report.sets[0].systems.map(({ name }) => name)
  : report.models.map(({ file }) => file);
export const names = shortNames(systems);

export function currentSet() {
  return report.sets[looking.set];
}

export function currentMetric() {
  return currentSet().metrics[looking.metric];
}

// "ndcg@10 on test.txt, convention gradus": what the numbers are.
export function measured() {
  const metric = currentMetric();
  const sense = metric.lower_is_better ? '; lower is better' : '';
  return `${metric.name} on ${currentSet().data}, convention ${currentSet().convention}${sense}`;
}
