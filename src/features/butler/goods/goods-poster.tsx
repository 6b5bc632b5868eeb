import { QRCode } from 'antd';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import '../butler.css';

/** The poster butlers share: picture, words and price of the goods, and where the code of a link will stand. */
export function GoodsPoster({ row }: { readonly row: RowData }) {
  const text = useText();
  const picture = row.image as FileValue | null;
  const title = String(row.shareTitle || row.productName);
  return (
    <figure className="bt-poster">
      {picture ? (
        <img src={picture.url} alt={String(row.productName)} />
      ) : (
        <p className="k-quiet">{text(['商品没有图片', 'The goods have no picture'])}</p>
      )}
      <figcaption>
        <div>
          <b>{title}</b>
          {row.shareText ? <p>{String(row.shareText)}</p> : null}
          <b className="k-number">¥{thousands(String(row.price))}</b>
        </div>
        <QRCode value={`butler-goods:${row.id}`} size={96} type="svg" color="#000" bgColor="#fff" />
      </figcaption>
      <p className="k-quiet k-small">
        {text([
          '预览；管家分享时换成本人的分享码',
          'A preview: each butler shares it with a code of their own link',
        ])}
      </p>
    </figure>
  );
}
