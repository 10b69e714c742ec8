import { attachmentDisposition } from './download.js';

describe('The name of a download', () => {
  it.each([
    ['ticket.pdf', `filename="ticket.pdf"; filename*=UTF-8''ticket.pdf`],
    ['Zoë.pdf', `filename="Zo_.pdf"; filename*=UTF-8''Zo%C3%AB.pdf`],
    ['a"b\\c/d.pdf', `filename="a_b_c_d.pdf"; filename*=UTF-8''a_b_c_d.pdf`],
    ['../../.bashrc', `filename="_.._.bashrc"; filename*=UTF-8''_.._.bashrc`],
    ['x\r\nSet-Cookie: a=b', `filename="xSet-Cookie_ a=b"; filename*=UTF-8''xSet-Cookie_%20a%3Db`],
    ['invoice\u202efdp.exe', `filename="invoicefdp.exe"; filename*=UTF-8''invoicefdp.exe`],
    ["it's (1).pdf", `filename="it's (1).pdf"; filename*=UTF-8''it%27s%20%281%29.pdf`],
    ['\ud83d', `filename="_"; filename*=UTF-8''%EF%BF%BD`],
    ['', `filename="attachment"; filename*=UTF-8''attachment`],
  ])('is harmless for %j', (name, expected) => {
    expect(attachmentDisposition(name)).toBe(`attachment; ${expected}`);
  });

  it('keeps the ending of a very long one', () => {
    expect(attachmentDisposition(`${'x'.repeat(500)}.pdf`)).toMatch(/filename="x{146}\.pdf";/);
  });
});
