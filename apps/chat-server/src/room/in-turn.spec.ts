import { InTurn } from './in-turn.js';

describe('in turn', () => {
  it('runs one key’s work in the order of asking, also after a failure, and lets other keys go on', async () => {
    const turns = new InTurn();
    const done: string[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = turns.run('ana', () => gate.then(() => void done.push('ana 1')));
    const failing = turns.run('ana', () => Promise.reject(new Error('no')));
    const third = turns.run('ana', () => Promise.resolve(done.push('ana 3')));
    await turns.run('bob', () => Promise.resolve(done.push('bob')));
    release();
    await expect(failing).rejects.toThrow('no');
    await Promise.all([first, third]);
    expect(done).toEqual(['bob', 'ana 1', 'ana 3']);
  });
});
