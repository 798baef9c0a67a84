import { describe, expect, test } from 'bun:test';
import { suggestFields } from './suggest.ts';
import { amountsIn } from './suggest-amounts.ts';
import { daysIn } from './suggest-dates.ts';

/** A page of rows; '|' stands between parts that are read as lines of their own, `step` apart. */
function page(text: string, { tilt = 0, step = 0.5 } = {}) {
  let line = 0;
  return text
    .trim()
    .split('\n')
    .flatMap((row, index) =>
      row.split('|').map((part, column) => {
        const [x, y] = [0.05 + column * step, 0.02 + index * 0.03];
        const right = Math.min(1, x + 0.3);
        const [left, far] = [y + tilt * x, y + tilt * right];
        return {
          line: line++,
          text: part.trim(),
          score: 0.98,
          quad: [x, left, right, far, right, far + 0.02, x, left + 0.02],
        };
      }),
    );
}
const read = (text: string, options?: { tilt?: number; step?: number }) =>
  Object.fromEntries(
    [...suggestFields(page(text, options))].map(([field, { value }]) => [field, value]),
  );

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
  expect(read(RECEIPT)).toMatchObject({
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
  expect(read(text, { step: 0.28 })).toMatchObject({
    issuer: 'Stadtwerke München GmbH',
    recipient: 'Anna Example',
    'due-date': '2024-03-28',
  });
});

test('a receipt that lies askew is read in the same rows', () => {
  expect(read(RECEIPT, { tilt: 0.08 })).toEqual(read(RECEIPT));
});

test('an English receipt: the total, not the subtotal, the tax or the change', () => {
  const receipt = read(`
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
    read(`
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
    read(`
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
    read(`
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

test('an English letter: whoever is greeted is the recipient, nobody is none', () => {
  const letter = (name: string) =>
    read(`
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
    read(`
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
    read(`
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

describe('other papers', () => {
  test('a till that prints no word for what it prints', () => {
    const receipt = read(`
ALDI SÜD
Bahnhofstr. 4
45468 Mülheim
Dortmunder Kronen 0,5|0,79 A
Äpfel lose|2,34 B
Pfand|0,25 A
Summe|3,38
davon MwSt|0,39
Bezahlt Karte|3,38
EUR
Datum 05.11.23 Zeit 18:12
Beleg 2381`);
    expect(receipt).toMatchObject({
      'document-type': 'receipt',
      issuer: 'ALDI SÜD',
      date: '2023-11-05',
      'total-amount': '3.38',
      'document-number': '2381',
    });
  });

  test('the bill of a doctor', () => {
    expect(
      read(`
Dr. med. Sabine Keller
Fachärztin für Allgemeinmedizin
Lindenweg 3, 50674 Köln
Herrn
Peter Lange
Am Park 12
50668 Köln
Köln, den 14. Februar 2024
Rechnung Nr. 2024/117
Beratung|10,72 €
Untersuchung|26,23 €
Rechnungsbetrag|36,95 €
Bitte überweisen Sie den Betrag bis zum 14.03.2024.`),
    ).toEqual({
      'document-type': 'invoice',
      title: 'Rechnung Nr. 2024/117',
      date: '2024-02-14',
      'due-date': '2024-03-14',
      issuer: 'Dr. med. Sabine Keller',
      recipient: 'Peter Lange',
      'document-number': '2024/117',
      'total-amount': '36.95',
      currency: 'EUR',
    });
  });

  test('an American invoice', () => {
    expect(
      read(`
Joe's Hardware, Inc.
1200 Oak Avenue
Springfield, IL 62704
INVOICE
Invoice #: 20391
Invoice Date: 02/10/2024
Due Date: 03/11/2024
BILL TO
Karen White
55 Elm Street
Hammer|$24.99
Nails|$11.97
Subtotal|$36.96
Tax (8%)|$2.96
Total Due|$39.92`),
    ).toMatchObject({
      date: '2024-02-10',
      'due-date': '2024-03-11',
      issuer: "Joe's Hardware",
      recipient: 'Karen White',
      'document-number': '20391',
      'total-amount': '39.92',
      currency: 'USD',
    });
  });

  test('a letter from an office', () => {
    expect(
      read(`
HM Revenue & Customs
PO Box 4000
Mr A Brown
7 High Street
Bath BA1 1AA
Our ref: AB123456C
Date: 4 January 2024
Dear Mr Brown
Your tax code has changed
Yours sincerely`),
    ).toEqual({
      'document-type': 'letter',
      date: '2024-01-04',
      issuer: 'HM Revenue & Customs',
      recipient: 'A Brown',
      'document-number': 'AB123456C',
    });
  });

  test('an identity card, by its machine-readable zone', () => {
    expect(
      read(`
BUNDESREPUBLIK DEUTSCHLAND
PERSONALAUSWEIS
IDD<<L01X00T471<<<<<<<<<<<<<<<
8308126<3108011D<<2108<<<<<<<<<4
MUSTERMANN<<ERIKA<<<<<<<<<<<<<`),
    ).toMatchObject({
      'document-type': 'identity-card',
      issuer: 'Germany',
      recipient: 'Erika Mustermann',
      'expiry-date': '2031-08-01',
      'document-number': 'L01X00T47',
    });
  });
});

test('a term of payment counts from the day of the invoice', () => {
  const found = suggestFields(page('Rechnung\nDatum 20.12.2023\nZahlbar innerhalb von 14 Tagen'));
  expect(found.get('due-date')).toMatchObject({ value: '2024-01-03', lines: [1, 2] });
});

test('a guess names the lines it was read from, and is as sure as they are', () => {
  const lines = page('Rechnung\nRechnungsbetrag|12,50 €').map((line) => ({ ...line, score: 0.6 }));
  const total = suggestFields(lines).get('total-amount');
  expect(total).toEqual({ value: '12.50', confidence: 0.57, lines: [1, 2] });
});

test('a page of a book is nothing in particular, and nothing is nothing', () => {
  expect(read('It was the best of times, it was\nthe worst of times, it was the age')).toEqual({});
  expect(read('')).toEqual({});
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
    test(text, () => expect(amountsIn(text)).toEqual([...amounts]));
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
    test(text, () => expect(daysIn(text, false).map(({ day }) => day)).toEqual([...days]));
  }
  test('an American month comes first', () => {
    expect(daysIn('03/04/2024', true)[0]?.day).toBe('2024-03-04');
    expect(daysIn('03/04/2024', false)[0]?.day).toBe('2024-04-03');
  });
});
