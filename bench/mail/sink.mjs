#!/usr/bin/env node
/** A relay that takes every mail at once and keeps none. Tells its parent how many it took. */
import { createServer } from 'node:net';

const END = Buffer.from('\r\n.\r\n');
let taken = 0;

const server = createServer((socket) => {
  let rest = Buffer.alloc(0);
  let inMessage = false;
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const at = rest.indexOf(inMessage ? END : '\r\n');
      if (at < 0) return;
      if (inMessage) {
        rest = rest.subarray(at + END.length);
        inMessage = false;
        taken += 1;
        socket.write(`250 2.0.0 Ok: queued as ${taken}\r\n`);
        continue;
      }
      const verb = rest.subarray(0, 4).toString('latin1').toUpperCase();
      rest = rest.subarray(at + 2);
      inMessage = verb === 'DATA';
      if (verb === 'EHLO') socket.write('250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n');
      else if (verb === 'DATA') socket.write('354 Go on\r\n');
      else if (verb === 'QUIT') socket.end('221 Bye\r\n');
      else socket.write('250 2.0.0 Ok\r\n');
    }
  });
});

process.on('message', () => process.send?.({ taken }));
process.on('disconnect', () => process.exit());
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.send?.({ port: server.address().port }));
