import { LAPSED } from './registry.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';

const KNOWN: Readonly<Record<string, Label>> = {
  [LAPSED]: [LAPSED, 'No heartbeat'],
  已移除: ['已移除', 'Removed'],
  metadata: ['元数据', 'Metadata'],
};

/** Why an instance changed, in words: what the product writes itself is said in both languages, the rest as it was given. */
export function reasonLabel(reason: string): Label {
  const weight = /^weight (\d+)$/.exec(reason)?.[1];
  if (weight) return [`权重 ${weight}`, `Weight ${weight}`];
  return KNOWN[reason] ?? [reason, reason];
}
