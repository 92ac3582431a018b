// SPDX-License-Identifier: Apache-2.0
// Data and models of the server that sent the page.

let token = ''; // in memory only

// ask: returns a promise of a token, when the server requires one.
function makeRequest(ask) {
  let asking = null;
  return async function request(path, body) {
    for (;;) {
      const used = token;
      const answer = await fetch(path, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(body ? { 'Content-Type': 'application/json' } : {}),
          ...(token ? { Authorization: `Bearer ${token}` } : {}),
        },
        body: body ? JSON.stringify(body) : undefined,
      });
      if (answer.status === 401 && used !== token) continue; // another request has asked meanwhile
      if (answer.status === 401) {
        asking ??= ask(token !== '').finally(() => (asking = null));
        token = await asking;
        continue;
      }
      const json = await answer.json();
      if (answer.ok) return json;
      throw new Error(json.error);
    }
  };
}

// Versions are part of the name where a model has several.
function namedModels(list) {
  return list.map((model) => {
    const several = list.filter(({ name }) => name === model.name).length > 1;
    return {
      ...model,
      model: model.name,
      name: several ? `${model.name}/${model.version}` : model.name,
      explains: true,
    };
  });
}

export const openServer = async (ask) => {
  const request = makeRequest(ask);
  const about = await request('data');
  const models = namedModels((await request('models')).models);
  const names = new Map(); // of the features of a model
  const values = new Map();
  const find = (name) => models.find((model) => model.name === name);

  // Rows with as many features as the model has.
  const documents = (model, rows) =>
    rows.map((row) =>
      Array.from({ length: model.features }, (_, f) => {
        const value = f < row.length ? row[f] : 0;
        return Number.isNaN(value) ? null : value;
      }),
    );
  const asked = (model, rows, more) => ({
    model: model.model,
    version: model.version,
    documents: documents(model, rows),
    ...more,
  });

  async function featureNames(model) {
    if (!names.has(model.name)) {
      const path = `v2/models/${encodeURIComponent(model.model)}/versions/${encodeURIComponent(model.version)}`;
      names.set(model.name, (await request(path)).features.map(String));
    }
    return names.get(model.name);
  }

  function pathOf(ranking) {
    if (ranking === 'ideal') return 'data/ideal';
    const [kind, name] = [ranking.slice(0, ranking.indexOf(':')), ranking.slice(ranking.indexOf(':') + 1)];
    if (kind === 'feature') return `data/features/${Number(name)}`;
    const model = find(name);
    return model
      ? `data/models/${encodeURIComponent(model.model)}/versions/${encodeURIComponent(model.version)}`
      : null;
  }

  return {
    about: {
      data: about.data,
      features: about.features,
      metrics: about.metrics,
      most: about.max_label,
      queries: about.queries,
      models,
      pasting: true,
    },
    query: async (i) => {
      const { documents: all } = await request(`data/queries/${i + 1}`);
      return all.map(({ id, label, features }, row) => ({
        id: id || String(row + 1),
        label,
        features: Float32Array.from(features, (value) => value ?? NaN),
      }));
    },
    // Values of all queries, for each metric; null: unknown for this ranking.
    values: (ranking) => {
      const path = about.queries.length ? pathOf(ranking) : null;
      if (!path) return Promise.resolve(null);
      if (!values.has(ranking)) {
        const made = request(path).then(({ values: lists }) => lists);
        made.catch(() => values.delete(ranking));
        values.set(ranking, made);
      }
      return values.get(ranking);
    },
    scores: async (name, rows) => {
      const answer = await request('rank', asked(find(name), rows, {}));
      const scores = new Float64Array(rows.length);
      for (const { id, score } of answer.documents) scores[id - 1] = score ?? NaN;
      return scores;
    },
    // against: "mean", "query", or a row.
    contributions: async (name, rows, row, against) => {
      const model = find(name);
      const all = await featureNames(model);
      const answer = await request(
        'explain',
        asked(model, rows, {
          explain: String(row + 1),
          against: typeof against === 'number' ? String(against + 1) : against,
        }),
      );
      const { base, score, contributions } = answer.documents.find(({ id }) => id === row + 1);
      const parts = contributions.map(({ feature, value, reference, contribution }) => ({
        feature: all.indexOf(String(feature)),
        value,
        reference,
        by: contribution,
      }));
      return { base, score, parts, exact: true };
    },
  };
};
