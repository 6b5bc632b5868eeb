import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { frameKit, REFUNDS } from './frame-kit.ts';
import { openPage } from './product.ts';

const kit = frameKit();

/** A line that lets everything through, but holds back the rest of every answer of a path while it is told to. */
async function slowLine(path: string) {
  let holding = false;
  let held = 0;
  const server = http.createServer((request, reply) => {
    const onward = http.request(
      kit.product.url + request.url,
      { method: request.method, headers: request.headers },
      (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        if (!holding || !request.url!.startsWith(path)) return void answer.pipe(reply);
        held++;
        answer.once('data', (bytes: Buffer) => reply.write(bytes.subarray(0, 10)));
        answer.resume();
      },
    );
    onward.on('error', () => reply.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (now: boolean) => (holding = now),
    held: () => held,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('a page that is left while its session loads ends no session', async () => {
  const line = await slowLine('/api/admin/user/front/menus');
  const { page, context } = await openPage(kit.browser, {}, line.url);
  try {
    await context.addCookies([{ name: 'Authorization', value: kit.admin, url: line.url }]);
    await page.addInitScript(() => localStorage.setItem('mustChangePassword', 'false'));
    for (let time = 0; time < 3; time++) {
      line.hold(true);
      const before = line.held();
      await page.goto(`${line.url}/dashboard`, { waitUntil: 'commit' });
      await expect.poll(line.held, { timeout: 20_000 }).toBe(before + 1);
      // The head is there, the rest is not.
      await page.waitForTimeout(200);
      line.hold(false);
      await page.goto(`${line.url}${REFUNDS}`);
      await page
        .getByText(/^RF2\d+/)
        .first()
        .waitFor();
    }
    expect((await context.cookies()).find((cookie) => cookie.name === 'Authorization')?.value).toBe(
      kit.admin,
    );
  } finally {
    await context.close();
    line.close();
  }
});
