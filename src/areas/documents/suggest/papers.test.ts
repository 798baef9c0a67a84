import { describe, expect, test } from 'bun:test';
import { suggestForPage } from '../../../../test/support/papers.ts';

describe('other papers', () => {
  test('recognizes a till receipt that does not say so', () => {
    const receipt = suggestForPage(`
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
      suggestForPage(`
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
      suggestForPage(`
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
      suggestForPage(`
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
      suggestForPage(`
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
