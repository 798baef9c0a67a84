import { type Row, toSuggestion, type Suggestion } from './rows.ts';

/** Fields of the machine-readable zone of a passport or an identity card. */
export type Zone = Partial<
  Record<'issuer' | 'recipient' | 'document-number' | 'expiry-date', Suggestion>
>;

const PASSPORT_NAME = /^[P][A-Z<]([A-Z<]{3})([A-Z<]{10,})$/;
const PASSPORT_DATA = /^([A-Z0-9<]{9})[0-9<]([A-Z<]{3})\d{6}[0-9<][MFX<](\d{6})\d/;
const CARD_NUMBER = /^[IAC][A-Z<]([A-Z<]{3})([A-Z0-9<]{9})[0-9<]/;
const CARD_DATA = /^\d{6}\d[MFX<](\d{6})\d[A-Z<]{3}/;
const CARD_NAME = /^([A-Z]+(?:<[A-Z]+)*<<[A-Z<]{3,})$/;
const STRENGTH = 0.95;

/** Reads the zone (ICAO 9303 formats TD3 and TD1). Empty without one. */
export function readZone(rows: readonly Row[]): Zone {
  const coded = rows.map((row) => ({ row, code: row.text.replaceAll(/\s/g, '').toUpperCase() }));
  /** Returns the groups of the first row that matches; none without one. */
  const match = (pattern: RegExp): ZoneField[] => {
    for (const { row, code } of coded) {
      const found = code.includes('<') ? pattern.exec(code) : null;
      if (found) return found.slice(1).map((text) => [text, row]);
    }
    return [];
  };
  const [state, name] = match(PASSPORT_NAME);
  const [number, , expiry] = match(PASSPORT_DATA);
  if (state && name && number && expiry) return toZone({ state, name, number, expiry });
  const [cardState, cardNumber] = match(CARD_NUMBER);
  const [cardExpiry] = match(CARD_DATA);
  const [cardName] = match(CARD_NAME);
  if (!cardState || !cardNumber || !cardExpiry) return {};
  return toZone({ state: cardState, name: cardName, number: cardNumber, expiry: cardExpiry });
}

type ZoneField = readonly [text: string, row: Row];
type ZoneText = {
  readonly state: ZoneField;
  readonly name: ZoneField | undefined;
  readonly number: ZoneField;
  readonly expiry: ZoneField;
};

function toZone({ state, name, number, expiry }: ZoneText): Zone {
  const bare = (text: string) => text.replaceAll('<', ' ').replaceAll(/\s+/g, ' ').trim();
  const [yy, mm, dd] = [0, 2, 4].map((at) => expiry[0].slice(at, at + 2)) as [
    string,
    string,
    string,
  ];
  // Documents are valid for about ten years: an expiry is in this century.
  const isDay = !Number.isNaN(Date.parse(`20${yy}-${mm}-${dd}T00:00:00Z`));
  return {
    issuer: toSuggestion(STATES[bare(state[0])] ?? bare(state[0]), STRENGTH, [state[1]]),
    ...(name && { recipient: toSuggestion(formatName(name[0], bare), STRENGTH, [name[1]]) }),
    'document-number': toSuggestion(bare(number[0]), STRENGTH, [number[1]]),
    ...(isDay && { 'expiry-date': toSuggestion(`20${yy}-${mm}-${dd}`, STRENGTH, [expiry[1]]) }),
  };
}

function formatName(text: string, bare: (text: string) => string): string {
  const [family = '', given = ''] = text.split('<<').map(bare);
  return `${given} ${family}`
    .trim()
    .toLowerCase()
    .replaceAll(/(^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** English state names; others are shown by their code. */
const STATES: Readonly<Record<string, string>> = {
  D: 'Germany',
  AUT: 'Austria',
  CHE: 'Switzerland',
  GBR: 'United Kingdom',
  USA: 'United States of America',
  FRA: 'France',
  ITA: 'Italy',
  ESP: 'Spain',
  NLD: 'Netherlands',
  POL: 'Poland',
  IRL: 'Ireland',
  CAN: 'Canada',
  AUS: 'Australia',
};
