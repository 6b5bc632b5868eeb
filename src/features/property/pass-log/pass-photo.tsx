import { useState } from 'react';
import { Button } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { passLog } from './pass-log.contract.ts';

/** The photo the device took: fetched when asked for, because that is written down. */
export function PassPhoto({ row }: { readonly row: RowData }) {
  const text = useText();
  const [photo, setPhoto] = useState<FileValue>();
  const [busy, setBusy] = useState(false);
  if (row.hasPhoto !== true) return null;
  if (photo)
    return (
      <img
        src={photo.url}
        alt={text(['抓拍照片', 'Photo of the passage'])}
        style={{ maxWidth: '100%', maxHeight: 280, marginBottom: 16 }}
      />
    );
  const show = async () => {
    setBusy(true);
    try {
      setPhoto(await call<FileValue>('POST', `${rootOf(passLog)}/${row.id}/photo`, { body: {} }));
    } catch {
      // The call has told it already.
    } finally {
      setBusy(false);
    }
  };
  return (
    <p>
      <Button loading={busy} onClick={() => void show()}>
        {text(['查看抓拍', 'See the photo'])}
      </Button>{' '}
      <span className="k-quiet">{text(['查看会被记录', 'Looking at it is written down'])}</span>
    </p>
  );
}
