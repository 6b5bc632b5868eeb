import { residentScope } from '../../../domain/residents/residents.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { LIVE } from '../../public-resource/position/position.server.ts';

/** Spaces lie in projects; merchants see none. */
export const SCOPE = residentScope('t.project_id', 't.created_by');
/** SQL: a space (`t`) is not closed yet. */
export const PRESENT = `(t.closed_on IS NULL OR t.closed_on > ${TODAY})`;
/** What has a space (`t`) today, as `n`. */
export const TAKEN_TODAY = `LEFT JOIN LATERAL (SELECT o.kind, o.to_on, o.contract_id, coalesce(nullif(c.brand, ''), c.name, kt.name, k.party_name) AS tenant
       FROM position_occupancy o LEFT JOIN contract k ON k.id = o.contract_id LEFT JOIN client c ON c.id = coalesce(o.client_id, k.client_id) LEFT JOIN tenant kt ON kt.id = k.merchant_id
      WHERE o.position_id = t.id AND ${LIVE} AND o.period @> ${TODAY} LIMIT 1) n ON true`;
