import { readCommand } from './commands.js';

describe('a typed line', () => {
  it.each([
    ['hello', { type: 'say', text: 'hello' }],
    ['  a\tb ', { type: 'say', text: 'a b' }],
    ['//who', { type: 'say', text: '/who' }],
    ['', { type: 'nothing' }],
    ['   ', { type: 'nothing' }],
    ['/who', { type: 'who' }],
    ['/help me', { type: 'help' }],
    ['/leave', { type: 'leave' }],
    ['/quit', { type: 'leave' }],
    ['/dance now', { type: 'unknown', name: '/dance' }],
  ])('%j', (line, command) => {
    expect(readCommand(line)).toEqual(command);
  });
});
