// SPDX-License-Identifier: Apache-2.0
// Which style (colour, mark and dash) a ranker or method has: the same in every chart of the page.

import { report, systems } from './state.js';

// Returns a function that numbers names, from `first` on, in the order of their first use.
export function makeStyler(first = 0) {
  const given = new Map();
  return (name) => {
    if (!given.has(name)) given.set(name, first + given.size);
    return given.get(name);
  };
}

const otherStyle = makeStyler(systems.length);

// A ranker of the page has the number of its style; a method has that of its only model.
export function styleOf(name) {
  const ranker = systems.indexOf(name);
  if (ranker >= 0) return ranker;
  const models = report.models.filter(({ method }) => method === name);
  return models.length === 1 ? models[0].system : otherStyle(name);
}
