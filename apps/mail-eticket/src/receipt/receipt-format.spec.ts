import { dayChange, durationText, receiptFormat, ticketNumberText } from './receipt-format.js';

describe('A receipt prints', () => {
  it.each([
    ['en-GB', '1650.00', 'EUR', 'EUR 1,650.00'],
    ['es-ES', '1650.00', 'EUR', '1650,00 EUR'],
    ['es-ES', '21650.05', 'EUR', '21.650,05 EUR'],
    ['en-GB', '25400', 'JPY', 'JPY 25,400'],
    ['en-GB', '31.250', 'KWD', 'KWD 31.250'],
    ['en-GB', '1234.50', 'HUF', 'HUF 1,234.50'],
    ['en-GB', '900000.00', 'IDR', 'IDR 900,000.00'],
    ['en-IN', '12345678.90', 'INR', 'INR 1,23,45,678.90'],
    ['en-GB', '123456789012345.67', 'EUR', 'EUR 123,456,789,012,345.67'],
    ['en-GB', '189.9', 'EUR', 'EUR 189.90'],
    ['en-GB', '1.2345', 'CLF', 'CLF 1.2345'],
    ['en-GB', '12.50', 'JPY', 'JPY 12.50'],
    ['en-GB', '-12.50', 'EUR', '-EUR 12.50'],
  ])('money in %s: %s %s as %s', (locale, amount, currency, printed) => {
    expect(receiptFormat(locale).money({ amount, currency })).toBe(printed);
  });

  it.each([
    ['en-GB', 'Sun, 14 Mar 2027'],
    ['es-ES', 'dom, 14 mar 2027'],
    ['en-US', 'Sun, Mar 14, 2027'],
  ])('the date at the airport, in %s', (locale, printed) => {
    expect(receiptFormat(locale).date('2027-03-14T23:55:00-10:00')).toBe(printed);
    expect(receiptFormat(locale).date('2027-03-14T00:05:00+13:00')).toBe(printed);
    expect(receiptFormat(locale).time('2027-03-14T00:05:00+13:00')).toBe('00:05');
  });

  it.each([
    ['2027-03-14T23:30:00+01:00', '2027-03-15T05:00:00+01:00', '+1'],
    ['2027-02-08T23:35:00-10:00', '2027-02-10T07:35:00+13:00', '+2'],
    ['2027-02-20T00:55:00+13:00', '2027-02-19T10:45:00-10:00', '-1'],
    ['2027-03-28T00:30:00+01:00', '2027-03-28T04:30:00+02:00', ''],
    ['2027-12-31T22:00:00+00:00', '2028-01-01T06:00:00+00:00', '+1'],
  ])('the change of day from %s to %s as %j', (departingAt, arrivingAt, printed) => {
    expect(dayChange(departingAt, arrivingAt)).toBe(printed);
  });

  it.each([
    ['PT2H35M', '2 h 35 min'],
    ['PT45M', '45 min'],
    ['PT9H', '9 h'],
    ['PT9H0M', '9 h'],
    ['P1DT2H5M', '26 h 5 min'],
  ])('the duration %s as %s', (duration, printed) => {
    expect(durationText(duration)).toBe(printed);
  });

  it('ticket numbers with the airline’s code apart', () => {
    expect(ticketNumberText('1252106312810')).toBe('125-2106312810');
  });
});
