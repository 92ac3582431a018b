// SPDX-License-Identifier: Apache-2.0
// The commands that produced the page, and the conventions of its numbers.

import { commandBlock, el } from './dom.js';
import { many, percent } from './format.js';
import { modelTable, recipes } from './models.js';
import { report } from './state.js';

function compareCommand(value) {
  const words = value.sets.map(({ data, systems }) =>
    [...(value.qrels ? [] : [data]), ...systems].join(' '),
  );
  const options = ['metric', 'convention', 'test', 'sided', 'confidence'];
  return [
    'gradus compare',
    words.join(' + '),
    ...(value.qrels ? [`--qrels ${value.qrels}`] : []),
    ...options.map((name) => `--${name} ${value[name]}`),
    ...(value.combined?.length ? ['--combine fisher'] : []),
  ].join(' ');
}

// The command that wrote a value of a file; '': unknown.
function commandOf(value) {
  if (value?.command) return value.command;
  if (value?.experiment)
    return `gradus reproduce ${value.experiment} --seed ${value.seed ?? 1} --scale ${value.scale ?? 1}`;
  if (value?.sets?.[0]?.systems) return compareCommand(value);
  return value?.journal ? `gradus ${value.journal}: ${value.about}` : '';
}

function runCommands() {
  const rows = report.runs
    .map(({ file, values }) => [file, values.flat().map(commandOf).filter(Boolean)])
    .filter(([, commands]) => commands.length);
  if (rows.length === 0) return [];
  return [
    el('h3', {}, 'Results'),
    ...rows.flatMap(([file, commands]) => [
      el('p', { class: 'quiet' }, file),
      commandBlock(commands.join('\n')),
    ]),
  ];
}

export function about(section) {
  section.append(el('h3', {}, 'This page'), commandBlock(report.command), ...runCommands());
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
            `${many(set.queries, 'query', 'queries')}; convention ${set.convention}: ${set.switches}. Test ${set.test.name}, ${set.test.sided === 1 ? 'one' : 'two'}-sided; ${percent(set.test.confidence, 0)} confidence intervals.`,
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
        'Each command trains the same model again, given the same data. TRAIN, VALID and other words in capitals stand for files whose names models do not store; omitted options have their defaults.',
      ),
      ...recipes(),
    );
  }
}
