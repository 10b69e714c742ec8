import { readFileSync } from 'node:fs';

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const ROOT = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Manifest;
const NEST = ['@nestjs/common', '@nestjs/core', '@nestjs/microservices', 'rxjs'];

/** The optional peers that an entry loads. `npm pack` users install these, and only for the entries that they use. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  '.': [],
  './memory': [],
  './testing': [],
  './contract-suite': [],
  './prometheus': ['prom-client'],
  './opentelemetry': ['@opentelemetry/api'],
  './postgres': ['pg'],
  './outbox': ['pg'],
  './kafka': ['kafkajs'],
  './environment': [], // a driver, once the environment names it
  './nest': NEST,
  './nest/terminus': [...NEST, '@nestjs/terminus'],
  './nest/outbox': ['@nestjs/common', '@nestjs/microservices', 'pg', 'rxjs'],
};

/** Packages that a built file loads when it is imported, with all that it imports. */
function packagesOf(file: URL, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return packages;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier] of source.matchAll(/^(?:import|export) (?:[\w*{][^;'"=]*? from )?['"]([^'"]+)['"]/gm)) {
    if (specifier!.startsWith('.')) packagesOf(new URL(specifier!, file), seen, packages);
    else if (!specifier!.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(specifier!)![0]);
  }
  return packages;
}

describe('The package', () => {
  it('says of every entry which packages it needs', () => {
    expect(Object.keys(PEERS).sort()).toEqual(Object.keys(manifest.exports).sort());
  });

  it.each(Object.entries(PEERS))('loads for %s its own dependencies and %j alone', (entry, peers) => {
    const loaded = packagesOf(new URL(manifest.exports[entry]!.default, ROOT));
    const others = [...loaded].filter((name) => !(name in manifest.dependencies));
    expect(others.sort()).toEqual([...peers].sort());
  });

  it('has built types for every entry', () => {
    for (const { types } of Object.values(manifest.exports)) {
      expect(readFileSync(new URL(types, ROOT), 'utf8')).not.toBe('');
    }
  });

  it('makes nobody install a broker’s client, Nest or telemetry', () => {
    const optional = Object.entries(manifest.peerDependenciesMeta).filter(([, meta]) => meta.optional);
    expect(optional.map(([name]) => name).sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
  });
});
