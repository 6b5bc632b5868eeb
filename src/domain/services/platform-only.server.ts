import { forbidden, notFound } from '../../kernel/server/http/errors.ts';
import type { Call, Endpoint } from '../../kernel/server/registration.ts';

/**
 * Calls about the product itself, which name no row whose scope would be asked: a right that a company was given by mistake
 * opens none of them. Programs prove themselves by their own scope.
 */
export function forPlatform(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((one) =>
    typeof one.access === 'object' && 'program' in one.access
      ? one
      : {
          ...one,
          handle: (call: Call) => {
            // What names a row is not there for them, as wherever a scope is asked.
            if (call.caller.tenantKind !== 3) throw one.path.includes('/:') ? notFound() : forbidden();
            return one.handle(call);
          },
        },
  );
}
