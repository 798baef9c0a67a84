import { describe, expect, test } from 'bun:test';
import { createPage, suggestForPage } from '../../../../test/support/papers.ts';
import { parseAmounts } from './amounts.ts';
import { parseDays } from './dates.ts';
import { suggestFields } from './suggest.ts';

const RECEIPT = `
REWE Markt GmbH
Hauptstraße 12
10115 Berlin
Tel. 030 1234567
EUR
BIO MILCH|1,29 B
BROT|3,49 B
2 x 0,89
JOGHURT|1,78 B
SUMME|EUR 6,56
Geg. BAR|EUR 10,00
Rückgeld|EUR 3,44
MwSt 7,00%|0,43
12.05.2024|14:32 Uhr
Bon-Nr. 4711
Vielen Dank für Ihren Einkauf`;

test('a German receipt', () => {
  expect(suggestForPage(RECEIPT)).toMatchObject({
    'document-type': 'receipt',
    issuer: 'REWE Markt GmbH',
    date: '2024-05-12',
    'total-amount': '6.56',
    currency: 'EUR',
    'document-number': '4711',
  });
});

test('words of a name that were read apart are one name', () => {
  const text = `
Stadtwerke München|GmbH
Invoice
To:Anna|Example
Due|date: 28.03.2024`;
  expect(suggestForPage(text, { step: 0.28 })).toMatchObject({
    issuer: 'Stadtwerke München GmbH',
    recipient: 'Anna Example',
    'due-date': '2024-03-28',
  });
});

test('a skewed receipt gives the same rows', () => {
  expect(suggestForPage(RECEIPT, { tilt: 0.08 })).toEqual(suggestForPage(RECEIPT));
});

test('an English receipt: the total, not the subtotal, the tax or the change', () => {
  const receipt = suggestForPage(`
Corner Cafe
42 Main Street
Receipt #00123
03/14/2024 09:15
Latte|$4.50
Bagel|$3.25
Subtotal|$7.75
Sales tax|$0.62
TOTAL|$8.37
Cash|$20.00
Change|$11.63
Thank you`);
  expect(receipt).toMatchObject({
    'document-type': 'receipt',
    issuer: 'Corner Cafe',
    date: '2024-03-14',
    'total-amount': '8.37',
    currency: 'USD',
    'document-number': '00123',
  });
  expect(receipt['due-date']).toBeUndefined();
});

test('a German invoice', () => {
  expect(
    suggestForPage(`
Mustermann Elektro GmbH · Werkweg 3 · 70173 Stuttgart
Frau
Erika Beispiel
Gartenstraße 5
80331 München
Rechnungsnummer:|RE-2024-0815
Rechnungsdatum:|3. März 2024
Lieferdatum:|1. März 2024
Rechnung
Steckdosen montieren|1.000,00 €
Nettobetrag|1.000,00 €
MwSt 19 %|190,00 €
Gesamtbetrag|1.190,00 €
Zahlbar bis 17.03.2024 ohne Abzug.
IBAN DE02 1203 0000 0000 2020 51`),
  ).toEqual({
    'document-type': 'invoice',
    title: 'Rechnung',
    date: '2024-03-03',
    'due-date': '2024-03-17',
    issuer: 'Mustermann Elektro GmbH',
    recipient: 'Erika Beispiel',
    'document-number': 'RE-2024-0815',
    'total-amount': '1190.00',
    currency: 'EUR',
  });
});

test('an English invoice, with its labels over the values', () => {
  expect(
    suggestForPage(`
Acme Tools Ltd
INVOICE
Invoice No
INV-10042
Issue date
12 March 2024
Due date
April 11, 2024
Bill to:
Jane Doe
Widgets|£1,200.00
VAT 20%|£240.00
Amount due|£1,440.00`),
  ).toEqual({
    'document-type': 'invoice',
    title: 'INVOICE',
    date: '2024-03-12',
    'due-date': '2024-04-11',
    issuer: 'Acme Tools Ltd',
    recipient: 'Jane Doe',
    'document-number': 'INV-10042',
    'total-amount': '1440.00',
    currency: 'GBP',
  });
});

test('a German letter', () => {
  expect(
    suggestForPage(`
Stadtwerke Köln
Herrn
Max Muster
Domstr. 1
50667 Köln
Datum: 01.02.2023
Betreff: Ihr neuer Tarif
Sehr geehrter Herr Muster,
ab dem 01.04.2023 gilt ein neuer Preis.
Mit freundlichen Grüßen`),
  ).toEqual({
    'document-type': 'letter',
    title: 'Ihr neuer Tarif',
    date: '2023-02-01',
    issuer: 'Stadtwerke Köln',
    recipient: 'Max Muster',
  });
});

test("an English letter: the person greeted is the recipient, 'Sir or Madam' is not", () => {
  const letter = (name: string) =>
    suggestForPage(`
5 May 2022
Dear ${name},
thank you for writing to us about the garden.
Yours sincerely
Ann Smith`);
  expect(letter('Mr Jones')).toMatchObject({
    'document-type': 'letter',
    date: '2022-05-05',
    recipient: 'Mr Jones',
  });
  expect(letter('Sir or Madam').recipient).toBeUndefined();
});

test('a passport, by its machine-readable zone', () => {
  expect(
    suggestForPage(`
BUNDESREPUBLIK DEUTSCHLAND
REISEPASS|PASSPORT
MUSTERMANN
ERIKA
Geburtsdatum|12.08.1964
Gültig bis|31.10.2027
P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<
C01X00T478D<<6408125F2710315<<<<<<<<<<<<<<<4`),
  ).toEqual({
    'document-type': 'passport',
    title: 'REISEPASS PASSPORT',
    'expiry-date': '2027-10-31',
    issuer: 'Germany',
    recipient: 'Erika Mustermann',
    'document-number': 'C01X00T47',
  });
});

test('a passport whose zone is cut off: a day of birth is not its date', () => {
  expect(
    suggestForPage(`
PASSPORT
Date of birth
12 AUG 1964
Date of issue
01 NOV 2017
Date of expiry
31 OCT 2027
Passport No. 533401372
Authority
HMPO`),
  ).toEqual({
    'document-type': 'passport',
    title: 'PASSPORT',
    date: '2017-11-01',
    'expiry-date': '2027-10-31',
    issuer: 'HMPO',
    'document-number': '533401372',
  });
});

test('a term of payment counts from the day of the invoice', () => {
  const found = suggestFields(
    createPage('Rechnung\nDatum 20.12.2023\nZahlbar innerhalb von 14 Tagen'),
  );
  expect(found.get('due-date')).toMatchObject({ value: '2024-01-03', lines: [1, 2] });
});

test('a suggestion names its lines and is at most as confident as they are', () => {
  const lines = createPage('Rechnung\nRechnungsbetrag|12,50 €').map((line) => ({
    ...line,
    score: 0.6,
  }));
  const total = suggestFields(lines).get('total-amount');
  expect(total).toEqual({ value: '12.50', confidence: 0.57, lines: [1, 2] });
});

test('suggests no kind for a page of a book and nothing for no text', () => {
  expect(
    suggestForPage('It was the best of times, it was\nthe worst of times, it was the age'),
  ).toEqual({});
  expect(suggestForPage('')).toEqual({});
});

describe('amounts', () => {
  for (const [text, amounts] of [
    ['1.234,50 €', [1234.5]],
    ["CHF 1'234.50", [1234.5]],
    ['$1,234,567.89', [1234567.89]],
    ['2 125,00', [125]],
    ['19,00 % 12.05.2024 030/1234 3,5', []],
    ['0,99 1,98', [0.99, 1.98]],
  ] as const) {
    test(text, () => expect(parseAmounts(text)).toEqual([...amounts]));
  }
});

describe('days', () => {
  for (const [text, days] of [
    ['12.05.2024', ['2024-05-12']],
    ['1. 2. 24', ['2024-02-01']],
    ['2024-05-12', ['2024-05-12']],
    ['22-08-2023', ['2023-08-22']],
    ['3/14/2024', ['2024-03-14']],
    ['14/03/2024', ['2024-03-14']],
    ['12. marz 2024', ['2024-03-12']],
    ['12th of march 2024', ['2024-03-12']],
    ['12 mrz/mar 2024', ['2024-03-12']],
    ['march 12, 2024', ['2024-03-12']],
    ['01.05.99', ['1999-05-01']],
    ['31.02.2024 99.99.2024 1.234,50 192.168.1.12', []],
  ] as const) {
    test(text, () => expect(parseDays(text, false).map(({ day }) => day)).toEqual([...days]));
  }
  test('an American month comes first', () => {
    expect(parseDays('03/04/2024', true)[0]?.day).toBe('2024-03-04');
    expect(parseDays('03/04/2024', false)[0]?.day).toBe('2024-04-03');
  });
});
