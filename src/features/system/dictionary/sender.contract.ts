import type { SenderSecret } from '../../../domain/message/sender.rules.ts';

/** Ways messages leave by. */
export type SenderChannel = 'sms' | 'email';

/** How messages leave at this moment, as the dialog shows it. Secrets say only that, when and by whom they were set. */
export interface SenderState {
  readonly channels: Readonly<
    Record<
      SenderChannel,
      {
        /** Value of the setting. */
        readonly sender: string;
        readonly name: string;
        readonly secrets: readonly {
          readonly kind: SenderSecret;
          readonly setAt: string | null;
          readonly setBy: string | null;
        }[];
      }
    >
  >;
}

/** What became of a test message. */
export interface SenderTest {
  readonly id: string;
  readonly state: 'queued' | 'sent' | 'failed' | 'sandbox';
  /** Code of the provider's answer. */
  readonly error: string | null;
}
