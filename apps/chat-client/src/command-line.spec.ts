import { CommandLineError, readCommandLine } from './command-line.js';

describe('the command line', () => {
  it.each([
    [[], { help: false, plain: false, name: undefined, from: 'latest' }],
    [['--name', 'ana', '--plain'], { help: false, plain: true, name: 'ana', from: 'latest' }],
    [['--from', 'beginning'], { help: false, plain: false, name: undefined, from: 'beginning' }],
    [['--last', '50'], { help: false, plain: false, name: undefined, from: { last: 50 } }],
    [['-h'], { help: true, plain: false, name: undefined, from: 'latest' }],
  ])('%j', (args, commandLine) => {
    expect(readCommandLine(args)).toEqual(commandLine);
  });

  it.each([
    [['--nope']],
    [['--last', 'x']],
    [['--last', '0']],
    [['--from', 'noon']],
    [['--from', 'latest', '--last', '1']],
    [['ana']],
  ])('%j is refused in a sentence', (args) => {
    expect(() => readCommandLine(args)).toThrow(CommandLineError);
  });
});
