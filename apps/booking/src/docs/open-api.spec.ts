import { eventually } from '@eticket/service/testing';
import fc from 'fast-check';
import { PROBLEMS } from '../problems/problem.js';
import { EXAMPLES, TestBooking } from '../testing/test-booking.js';

type BodyExamples = Readonly<
  Record<string, { readonly value: { readonly passengers: readonly { readonly type: string }[] } }>
>;
interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema?: { example?: string };
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: BodyExamples }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>> }
    >
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required?: readonly string[]; readonly properties: object }>>;
  };
}

describe('The OpenAPI document', () => {
  let booking: TestBooking;
  let document: Document;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    document = (await booking.call<Document>('/docs-json')).body;
  });
  afterAll(() => booking.stop());

  const api = () => Object.entries(document.paths).filter(([path]) => path.startsWith('/api'));
  const documented = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {});

  it('has the calls of the API, and their parameters', () => {
    expect(api().flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))).toEqual([
      'get /api/offers',
      'get /api/offers/{id}',
      'post /api/bookings',
      'get /api/bookings/{id}',
      'post /api/bookings/lookup',
      'get /api/bookings/{id}/events',
      'post /api/bookings/{id}/eticket',
      'post /api/bookings/{id}/cancellation',
    ]);
    expect(document.paths['/api/offers']?.get?.parameters?.map((parameter) => parameter.name)).toEqual(
      expect.arrayContaining([
        'origin',
        'destination',
        'departureDate',
        'returnDate',
        'adults',
        'children',
        'infants',
        'cabin',
        'currency',
      ]),
    );
  });

  it('shows every code of a problem with an example', () => {
    const shown = api().flatMap(([, methods]) =>
      Object.values(methods).flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ content }) =>
          Object.keys(content?.['application/problem+json']?.examples ?? {}),
        ),
      ),
    );
    const elsewhere = ['bad_request', 'not_found', 'form_refused'];
    expect(new Set([...shown, ...elsewhere])).toEqual(new Set(Object.keys(PROBLEMS)));
  });

  it('has examples that can be sent as they stand', async () => {
    const parameters = document.paths['/api/offers']?.get?.parameters ?? [];
    const query = new URLSearchParams();
    for (const { name, schema } of parameters) if (schema?.example !== undefined) query.set(name, schema.example);
    const found = await booking.call<{ data: readonly unknown[] }>(`/api/offers?${query.toString()}`);
    expect([found.status, found.body.data.length > 0]).toEqual([200, true]);

    const examples = document.paths['/api/bookings']?.post?.requestBody?.content['application/json']?.examples ?? {};
    expect(Object.keys(examples).length).toBeGreaterThan(1);
    for (const { value } of Object.values(examples)) {
      const count = (kind: string) => value.passengers.filter(({ type }) => type === kind).length;
      const counts = { adults: count('adult'), children: count('child'), infants: count('infant') };
      const [offer] = await booking.search({ origin: 'MAD', destination: 'JFK', departureInDays: 45, ...counts });
      expect(await booking.post({ ...value, offerId: offer?.id })).toMatchObject({ status: 201 });
    }
  });

  it('describes answers as they are: every field that is there, every field that is required', async () => {
    const missing: string[] = [];
    const check = (name: string, value: unknown): void => {
      const schema = document.components.schemas[name];
      if (!schema) throw new Error(`no schema ${name}`);
      if (typeof value !== 'object' || value === null) throw new Error(`${name} is no object`);
      const properties = schema.properties as Record<string, Reference & { items?: Reference; allOf?: Reference[] }>;
      for (const field of Object.keys(value)) if (!(field in properties)) missing.push(`${name}.${field}`);
      for (const field of schema.required ?? []) if (!(field in value)) missing.push(`${name}.${field} is required`);
      for (const [field, property] of Object.entries(properties)) {
        const inside = (value as Record<string, unknown>)[field];
        if (inside === undefined) continue;
        const reference = property.$ref ?? property.allOf?.[0]?.$ref;
        if (reference) check(nameOf(reference), inside);
        const itemReference = property.items?.$ref;
        if (itemReference && Array.isArray(inside)) inside.forEach((item) => check(nameOf(itemReference), item));
      }
    };
    for (const example of [EXAMPLES[1]!, EXAMPLES[3]!]) {
      (await booking.search(example.search)).slice(0, 5).forEach((offer) => check('OfferDto', offer));
      check('CreatedBookingResponse', (await booking.post(await booking.bodyFor(example))).body);
      check('ProblemDto', (await booking.post({})).body);
    }
    expect(missing).toEqual([]);
  });

  it('has every answer that odd requests get, and none is a fault of ours', async () => {
    const good = await booking.bodyFor(EXAMPLES[1]!);
    const paths = pathsOf(good);
    const oddValue = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.string(),
      fc.constantFrom('__proto__', '\ud800', '\0', -1, 1e308, [], {}, null),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), oddValue, async (path, value) => {
        const answer = await booking.post(withValue(good, path, value));
        expect(documented('/api/bookings', 'post')).toContain(String(answer.status));
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 80 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('reference', 'surname', 'extra'), oddValue, async (name, value) => {
        const body = { reference: 'K7XQ4S', surname: 'Puig', [name]: value };
        const answer = await booking.call('/api/bookings/lookup', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(documented('/api/bookings/lookup', 'post')).toContain(String(answer.status));
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('MAD', 'LHR', '2027-03-14', '1', '9', 'economy', 'EUR', '__proto__'),
    );
    const name = fc.oneof(
      fc.constantFrom(
        'origin',
        'destination',
        'departureDate',
        'adults',
        'cabin',
        'currency',
        'returnDate',
        '__proto__',
        'constructor',
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, word), { maxLength: 8 }), async (query) => {
        const answer = await booking.call(`/api/offers?${new URLSearchParams(query).toString()}`);
        expect(documented('/api/offers', 'get')).toContain(String(answer.status));
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 80 },
    );
  });
});

interface Reference {
  readonly $ref?: string;
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

type Path = readonly (string | number)[];

/** The way to every value inside, the whole too. */
function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [at, ...inside.flatMap(([name, member]) => pathsOf(member, [...at, name]))];
}

function withValue(root: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  const copy = structuredClone(root) as Record<string | number, unknown>;
  copy[first] = withValue(copy[first], rest, value);
  return copy;
}
