// Files of JSON: the journal of a tuning, or a reproduction.

import { report } from './state.js';

export function tunings() {
  return report.runs.filter(() => false);
}
