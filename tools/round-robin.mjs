// A small proxy that takes several servers by turns, for looking at what they share. Not for production: no TLS, no health checks.
import http from 'node:http';

/**
 * Listens on a port (0: any free one) and hands each call to the next of the addresses. A server that refuses the connection
 * is passed over; streams flow as they come. Returns the address, and how many calls each server got.
 */
export async function roundRobin(addresses, port = 0) {
  const targets = addresses.map((address) => new URL(address));
  const counts = targets.map(() => 0);
  let turn = 0;
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, reply) => {
    const from = turn++ % targets.length;
    // What was sent cannot be sent twice, so only calls without a body go on to the next server.
    const isBare = request.method === 'GET' || request.method === 'HEAD';
    const pass = (nth) => {
      const index = (from + nth) % targets.length;
      const target = targets[index];
      const onward = http.request(
        {
          host: target.hostname,
          port: target.port,
          method: request.method,
          path: request.url,
          agent,
          headers: {
            ...request.headers,
            'x-forwarded-for': [request.headers['x-forwarded-for'], request.socket.remoteAddress]
              .filter(Boolean)
              .join(', '),
          },
        },
        (answer) => {
          counts[index]++;
          reply.writeHead(answer.statusCode, { ...answer.headers, 'x-served-by': String(index + 1) });
          answer.pipe(reply);
        },
      );
      onward.on('error', (error) => {
        if (reply.headersSent) return reply.destroy();
        if (isBare && error.code === 'ECONNREFUSED' && nth + 1 < targets.length) return pass(nth + 1);
        reply.writeHead(502).end();
      });
      reply.on('close', () => onward.destroy());
      if (isBare) onward.end();
      else request.pipe(onward);
    };
    pass(0);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
