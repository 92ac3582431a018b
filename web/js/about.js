// The commands that made the page, and the conventions of its numbers.

import { el } from './dom.js';
import { many } from './format.js';
import { modelTable, recipes } from './models.js';
import { report } from './state.js';

export function about(section) {
  section.append(el('h3', {}, 'This page'), el('pre', {}, report.command));
  if (report.sets.length) {
    section.append(
      el('h3', {}, 'Conventions'),
      el(
        'dl',
        {},
        ...report.sets.flatMap((set) => [
          el('dt', {}, set.data),
          el(
            'dd',
            {},
            `${many(set.queries, 'query', 'queries')}; convention ${set.convention}: ${set.switches}. Test ${set.test.name}, ${set.test.sided === '1' ? 'one' : 'two'}-sided, intervals of ${100 * Number(set.test.confidence)} %.`,
          ),
        ]),
      ),
    );
  }
  if (report.models.length) {
    section.append(
      el('h3', {}, 'Models'),
      modelTable(),
      el(
        'p',
        { class: 'quiet' },
        'Recipes: what differs from the defaults. TRAIN and VALID stand for files that models do not know.',
      ),
      ...recipes(),
    );
  }
}
