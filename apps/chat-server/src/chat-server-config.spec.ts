import { readChatServerConfig } from './chat-server-config.js';

describe('the settings of the chat server', () => {
  it('all have defaults', () => {
    expect(readChatServerConfig({})).toMatchObject({ host: '127.0.0.1', port: 3002, rules: { goneAfterMs: 30_000 } });
  });

  it('are named all at once when they are wrong', () => {
    const env = { PORT: 'x', KAFKA_TOPIC: 'UP', CHAT_GONE_AFTER_MS: '1' };
    expect(() => readChatServerConfig(env)).toThrow(/PORT.*\n.*CHAT_GONE_AFTER_MS.*\n.*KAFKA_TOPIC/);
  });
});
