/** The environment without `PG…` variables, which would change where PostgreSQL's programs look and listen. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PG|POSTGRES)/.test(name))),
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}
