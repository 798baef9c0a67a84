/** Samples of an exposition, by name and labels as they were written. */
export type Exposition = {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: ReadonlyMap<string, number>;
};

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"`;
const SAMPLE = new RegExp(`^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? (\\S+)$`);
const NUMBER = /^(?:[+-]?Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum'],
  info: ['_info'],
};

/**
 * Reads an exposition of OpenMetrics 1.0. Throws for what the specification forbids: a missing end, families
 * that are told twice or in between others, undeclared or repeated samples, units that names do not end in,
 * negative counters, histograms whose buckets fall or lack +Inf.
 */
export function parseOpenMetrics(text: string): Exposition {
  if (!text.endsWith('\n# EOF\n')) throw new Error('No # EOF at the end');
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  let family = '';
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const wrong = (reason: string) => new Error(`${reason}: ${line}`);
    const [, keyword, name = '', value = ''] =
      new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.+)$`).exec(line) ?? [];
    if (keyword === 'TYPE') {
      if (types.has(name) || !(value in SUFFIXES)) throw wrong('Repeated or unknown type');
      types.set(name, value);
      family = name;
    } else if (keyword) {
      if (name !== family) throw wrong('Outside its family');
      if (keyword === 'UNIT' && !name.endsWith(`_${value}`))
        throw wrong('Not the unit of the name');
    } else {
      const [, sample, labels = '', ...rest] = SAMPLE.exec(line) ?? [];
      if (sample === undefined) throw wrong('No sample');
      const number = rest.at(-1)!;
      const type = types.get(family)!;
      if (!NUMBER.test(number)) throw wrong('No number');
      if (!SUFFIXES[type]!.some((suffix) => sample === family + suffix)) throw wrong('Undeclared');
      if (samples.has(sample + labels)) throw wrong('Repeated');
      if (type !== 'gauge' && Number(number) < 0) throw wrong('Negative');
      samples.set(sample + labels, number === '+Inf' ? Infinity : Number(number));
    }
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples);
  return { types, samples };
}

function checkHistogram(name: string, samples: Exposition['samples']): void {
  const series = new Map<string, { bound: number; count: number }[]>();
  for (const [key, count] of samples) {
    const [, before = '', bound] =
      new RegExp(`^${name}_bucket\\{(.*),le="([^"]+)"\\}$`).exec(key) ?? [];
    if (bound === undefined) continue;
    const buckets = series.get(before) ?? [];
    series.set(before, [...buckets, { bound: bound === '+Inf' ? Infinity : Number(bound), count }]);
  }
  for (const [labels, buckets] of series) {
    const isAscending = buckets.every(({ bound, count }, at) => {
      const before = buckets[at - 1];
      return !before || (before.bound < bound && before.count <= count);
    });
    const isComplete = buckets.at(-1)!.bound === Infinity;
    const isCounted = samples.get(`${name}_count{${labels}}`) === buckets.at(-1)!.count;
    if (!isAscending || !isComplete || !isCounted || !samples.has(`${name}_sum{${labels}}`)) {
      throw new Error(`No histogram: ${name}{${labels}}`);
    }
  }
}
