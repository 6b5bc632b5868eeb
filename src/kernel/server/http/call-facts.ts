import type { FastifyRequest } from 'fastify';
import type { Caller } from '../people/caller.ts';
import type { Endpoint } from '../registration.ts';

/** What serving a request found out about it, for the log that is written after the answer. */
export interface CallFacts {
  caller?: Caller;
  endpoint?: Endpoint;
  /** Where it is counted, when no endpoint of the product served it. */
  apiId?: number | undefined;
  /** Body status of a refusal. */
  status?: number;
}

const known = new WeakMap<FastifyRequest, CallFacts>();

/** Facts of a request as far as it was served; the log reads them, the serving code adds to them. */
export function factsOfCall(request: FastifyRequest): CallFacts {
  let facts = known.get(request);
  if (!facts) known.set(request, (facts = {}));
  return facts;
}
