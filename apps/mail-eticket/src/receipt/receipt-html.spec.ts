import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { BOOKING_SHAPE_NAMES, cancelledEvent, eticketEvent, eticketEventWithIds } from '../testing/eticket-fixtures.js';
import { mailOccasion } from './mail-occasion.js';
import type { EticketMailEvent } from './mail-occasion.js';
import { renderReceipt } from './render-receipt.js';

/** The HTML standard, and what WCAG says that a program can check; less what Outlook’s Word engine needs against it. */
const validator = new HtmlValidate(
  new StaticConfigLoader({
    root: true,
    extends: ['html-validate:recommended'],
    rules: {
      'doctype-style': ['error', { style: 'lowercase' }],
      'no-conditional-comment': 'off',
      'no-deprecated-attr': 'off',
      'no-inline-style': 'off',
      // Each row of a table would cost 15 bytes of the 80 KB.
      'prefer-tbody': 'off',
      // The title is the mail’s subject.
      'long-title': 'off',
    },
  }),
);

async function faultsOf(event: EticketMailEvent): Promise<readonly string[]> {
  const report = await validator.validateString(renderReceipt(mailOccasion(event), 'qr@meridian.example').html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}

describe('The HTML of a mail', () => {
  it.each(BOOKING_SHAPE_NAMES)('is valid in every kind and language for a booking with %s', async (shape) => {
    for (const locale of ['en-GB', 'es-ES']) {
      const confirmed = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape, { locale });
      for (const event of [confirmed, { ...confirmed, version: 2 }, cancelledEvent(confirmed)]) {
        expect(await faultsOf(event)).toEqual([]);
      }
    }
  });

  it('stays valid with markup in names', async () => {
    const { booking, ...event } = eticketEvent();
    const [passenger] = booking.passengers;
    const passengers = [{ ...passenger!, givenName: '</td><b title="', familyName: `"'&lt;<!-- ]]>` }];
    expect(await faultsOf({ ...event, booking: { ...booking, passengers } })).toEqual([]);
  });
});
