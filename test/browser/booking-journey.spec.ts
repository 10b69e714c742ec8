import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { eventually } from '@eticket/service/testing';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { BookingSite } from './booking-site.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from './chromium.js';
import { picture } from './picture.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const DEADLINE_MS = 20_000;
const LONG_NAME = 'Puig de la Bellacasa i Hohenzollern-Sigmaringen d’Entença';

interface Traveller {
  readonly name: string;
  readonly script: boolean;
  readonly options: BrowserContextOptions;
  readonly words: {
    readonly confirmed: string;
    readonly sent: RegExp;
    readonly cancelled: string;
    readonly declined: string;
    readonly london: string;
  };
}

const ENGLISH = {
  confirmed: 'Booking confirmed and ticketed',
  sent: /^Your e-ticket was sent to l\*\*\*@example\.com at \d\d:\d\d UTC/,
  cancelled: 'Booking cancelled',
  declined: 'nothing was charged',
  london: 'London',
};
const SPANISH = {
  confirmed: 'Reserva confirmada y billetes emitidos',
  sent: /^Su billete electrónico se envió a l\*\*\*@example\.com a las \d\d:\d\d UTC/,
  cancelled: 'Reserva cancelada',
  declined: 'no se ha cobrado nada',
  london: 'Londres',
};
const DESKTOP = { viewport: { width: 1200, height: 800 }, timezoneId: 'UTC' };
const PHONE = { viewport: { width: 390, height: 844 }, timezoneId: 'UTC', isMobile: true, hasTouch: true };
const TRAVELLERS: readonly Traveller[] = [
  { name: 'desktop-en', script: true, options: { ...DESKTOP, locale: 'en-GB' }, words: ENGLISH },
  { name: 'phone-es', script: true, options: { ...PHONE, locale: 'es-ES' }, words: SPANISH },
  {
    name: 'desktop-es-dark',
    script: false,
    options: { ...DESKTOP, locale: 'es-MX', colorScheme: 'dark' },
    words: SPANISH,
  },
  { name: 'phone-en', script: false, options: { ...PHONE, locale: 'en-IE' }, words: ENGLISH },
];

const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

describeInBrowser('The booking pages in Chromium', () => {
  let site: BookingSite;
  let browser: Browser;
  beforeAll(async () => {
    [site, browser] = await Promise.all([
      BookingSite.start(),
      chromium.launch({ executablePath: CHROMIUM ?? '', args: [...CHROMIUM_ARGUMENTS] }),
    ]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await site.stop();
  }, 60_000);

  /** A page whose errors of script and policy are kept. */
  async function open({ options, script }: Traveller): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const context = await browser.newContext({ ...options, javaScriptEnabled: script });
    context.setDefaultTimeout(DEADLINE_MS);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      // An answer of 4xx is said to the traveller, and by the browser to its console.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
    });
    return { page, errors };
  }

  /** axe finds nothing, and nothing reaches out of the window. */
  async function look(page: Page, traveller: Traveller, name: string): Promise<void> {
    if (!traveller.script) return;
    if (process.env.SCREENSHOTS) await picture(page, `${traveller.name}-${name}`);
    for (const frame of page.frames()) {
      const violations = await frame.evaluate(`${AXE}; axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 3).join(' ')))`);
      expect([name, frame.url(), violations]).toEqual([name, frame.url(), []]);
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    expect([name, wide]).toEqual([name, false]);
  }

  async function typeCard(page: Page, number: string): Promise<void> {
    const card = page.frameLocator('#token');
    const values = { number, expiry: '04/39', cvc: '123' };
    for (const [field, value] of Object.entries(values)) await card.locator(`#${field}`).fill(value);
  }

  /** By script one button does it; without, the frame has its own. */
  async function payWithCard(page: Page, script: boolean, complete = true): Promise<void> {
    if (!script) {
      const card = page.frameLocator('#token');
      await card.locator('button[type=submit]').click();
      if (complete) await card.locator('.saved').waitFor();
    }
    if (script || complete) await page.locator('form[action$="/confirm"] button[type=submit]').click();
  }

  const send = (page: Page) => page.locator('form button[type=submit]:not(.plain)').first().click();

  it.each(TRAVELLERS)(
    'take a traveller from the search to a cancelled booking: $name',
    async (traveller) => {
      const { page, errors } = await open(traveller);
      const { words, script } = traveller;
      await page.goto(site.url);
      await look(page, traveller, '1-search');
      await page.fill('#origin', 'madrid');
      if (script) {
        // By keyboard: what is typed, the arrow to what is meant, Enter to take it.
        await page.locator('#destination').pressSequentially('heathr');
        await page.locator('#destination-list [role=option]').first().waitFor();
        await look(page, traveller, '1-search-airport');
        await page.keyboard.press('ArrowDown');
        expect(await page.locator('[aria-selected=true]').textContent()).toContain('LHR');
        await page.keyboard.press('Enter');
        expect(await page.locator('#destination').inputValue()).toBe(`${words.london} (LHR)`);
      } else await page.fill('#destination', words.london);
      await send(page);
      await page.waitForURL('**/flights?*');
      expect(await page.locator('h1').textContent()).toBe(`Madrid → ${words.london}`);
      await look(page, traveller, '2-results');
      if (script) {
        // In its place: the focus stays at the filter, and what is left is said.
        await page.locator('#stops').focus();
        const asked = page.waitForResponse('**/flights?*stops=nonstop*');
        await page.selectOption('#stops', 'nonstop');
        await asked;
        await page.waitForURL('**/flights?*stops=nonstop*');
        expect(await page.evaluate('document.activeElement.id')).toBe('stops');
        expect(await page.locator('.nav a[hreflang]').getAttribute('href')).toContain('stops%3Dnonstop');
      }
      await page.locator('a.fare', { hasText: 'Flex' }).first().click();
      await page.waitForURL('**/book/*');
      await look(page, traveller, '3-passengers');
      await send(page);
      expect(await page.locator('#p0-givenName').getAttribute('aria-invalid')).toBe('true');
      await look(page, traveller, '4-passengers-wrong');
      if (script) expect(await page.evaluate('document.activeElement.id')).toBe('errors');
      await page.selectOption('#p0-title', 'ms');
      await page.fill('#p0-givenName', 'Lucía');
      await page.fill('#p0-familyName', 'Fernández Ortiz');
      await page.fill('#p0-bornOn', '1988-04-17');
      await page.fill('#email', 'lucia@example.com');
      await page.fill('#phone', '+34 911 234 567');
      await send(page);
      const card = page.frameLocator('#token');
      await card.locator('#number').waitFor();
      await look(page, traveller, '5-payment');
      // Something is missing: said in the frame, where it is missing; nothing is paid.
      await card.locator('#number').fill('4000 0000 0000 0002');
      await payWithCard(page, script, false);
      await card.locator('#expiry-error').waitFor();
      await look(page, traveller, '6-card-wrong');
      await typeCard(page, '4000 0000 0000 0002');
      await payWithCard(page, script);
      expect(await page.locator('#token-error').textContent()).toContain(words.declined);
      await look(page, traveller, '7-declined');
      await typeCard(page, '4242 4242 4242 4242');
      if (script) await page.locator('form[data-card-form] button[type=submit]').dblclick();
      else await payWithCard(page, script);
      await page.waitForURL('**/bookings/*');
      expect(await page.locator('.ok').textContent()).toContain(words.confirmed);
      const id = new URL(page.url()).pathname.split('/')[2] ?? '';
      const reference = (await page.locator('.refs .code').textContent()) ?? '';

      await site.tellMail(id, 'sent', 1, { sentAt: new Date().toISOString(), messageId: '<a@b>' });
      // By script the page changes by itself; without, it reloads itself.
      await eventually(async () => words.sent.test((await page.locator('#mail').innerText()).trim()), {
        deadlineMs: DEADLINE_MS,
      });
      await look(page, traveller, '8-confirmation');
      expect(await page.locator('#mail').getAttribute('data-status')).toBe('sent');

      await page.goto(`${site.url}/manage`);
      await page.fill('#reference', reference.toLowerCase());
      await page.fill('#surname', 'Nadie');
      await send(page);
      expect(await page.locator('#surname').inputValue()).toBe('Nadie');
      await look(page, traveller, '9-manage');
      await page.fill('#surname', 'fernandez ortiz');
      await send(page);
      await page.waitForURL(`**/bookings/${id}`);
      await page.locator('form[action$="/resend"] button').click();
      await eventually(async () => (await page.locator('#mail').getAttribute('data-status')) === 'queued');
      await page.click('a[href$="/cancel"]');
      await look(page, traveller, '10-cancel');
      await page.click('button.danger');
      await page.waitForURL(`**/bookings/${id}`);
      expect(await page.locator('.ok').textContent()).toContain(words.cancelled);
      await look(page, traveller, '11-cancelled');
      await page.goto(`${site.url}/book/off_nothing`);
      await look(page, traveller, '12-problem');
      expect(errors).toEqual([]);
      await page.context().close();
    },
    240_000,
  );

  it('lead back to the one booking from the back button, and from a second tab', async () => {
    const { page } = await open(TRAVELLERS[0]!);
    await page.goto(`${site.url}/flights?origin=BCN&destination=CDG`);
    await page.locator('a.fare').first().click();
    await page.selectOption('#p0-title', 'mr');
    await page.fill('#p0-givenName', 'Jordi Maximilià Bartomeu Alexandre');
    await page.fill('#p0-familyName', LONG_NAME);
    await page.fill('#p0-bornOn', '1985-01-09');
    await page.fill('#email', 'jordi@example.cat');
    await page.fill('#phone', '+34931234567');
    await send(page);
    await typeCard(page, '5555 5555 5555 4444');
    await payWithCard(page, true);
    await page.waitForURL('**/bookings/*');
    const booked = page.url();
    // A long name takes no room from the numbers, on the screen and on paper.
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      const [card, amount] = await Promise.all(
        ['section[aria-labelledby=passengers]', '.tickets tbody .number'].map((part) =>
          page.locator(part).boundingBox(),
        ),
      );
      expect(amount!.x + amount!.width).toBeLessThanOrEqual(card!.x + card!.width + 1);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
    await page.emulateMedia({ media: 'screen' });
    await page.reload();
    expect(page.url()).toBe(booked);
    await page.goBack();
    await page.locator('form[data-card-form] button[type=submit]').click();
    await page.waitForURL('**/bookings/*');
    expect(page.url()).toBe(booked);
    const tab = await page.context().newPage();
    await tab.goto(booked);
    expect(await tab.locator('.ok').textContent()).toContain('Booking confirmed');
    // Cancelled in the second tab: the back button there shows no page of before.
    await tab.click('a[href$="/cancel"]');
    await tab.click('button.danger');
    await tab.waitForURL(booked);
    await tab.click('a.brand');
    await tab.goBack();
    await tab.locator('.ended').waitFor();
    await tab.goBack();
    await tab.locator('.ended').waitFor();
    await page.context().close();
  }, 120_000);
});
